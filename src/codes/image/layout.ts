/** The light margin that the standard asks for, in modules. */
const quietModules = 4;

/** Squares of whole pixels, all of one width, centred in the picture. */
export interface Layout {
  cells: boolean[][];
  cellPixels: number;
  /** The first square stands this many pixels from the left and from the top. */
  offset: number;
}

/** The width of a module in whole pixels with the whole quiet zone around the symbol; 0 where that does not fit. */
export function modulePixels(modules: number, size: number): number {
  return Math.floor(size / (modules + 2 * quietModules));
}

/** The size from which on each module has this many pixels. */
export function sizeFor(modules: number, pixels: number): number {
  return pixels * (modules + 2 * quietModules);
}

/**
 * Lays the symbol out in a picture of exactly that size. Pixels that are left over widen the quiet zone. Where there are
 * too few, the quiet zone is what shrinks first; where even the symbol does not fit, modules are left out.
 */
export function layOut(modules: boolean[][], size: number): Layout {
  const cells = modules.length > size ? thinOut(modules, size) : modules;
  const cellPixels = Math.max(1, modulePixels(cells.length, size));
  return { cells, cellPixels, offset: Math.floor((size - cells.length * cellPixels) / 2) };
}

function thinOut(modules: boolean[][], size: number): boolean[][] {
  const kept = Array.from({ length: size }, (_, index) =>
    Math.floor(((index + 0.5) * modules.length) / size),
  );
  return kept.map((row) => kept.map((column) => modules[row]?.[column] === true));
}
