/** The light margin that the standard requires, in modules. */
const quietModules = 4;

/** Modules of whole pixels and equal width, centered in the image. */
export interface Layout {
  cells: boolean[][];
  cellPixels: number;
  /** Pixels from the left and the top to the first module. */
  offset: number;
}

/** The width of a module in whole pixels, with a full quiet zone; 0 where that does not fit. */
export function modulePixels(modules: number, size: number): number {
  return Math.floor(size / (modules + 2 * quietModules));
}

/** The smallest size at which each module has this many pixels. */
export function sizeFor(modules: number, pixels: number): number {
  return pixels * (modules + 2 * quietModules);
}

/**
 * Lays the symbol out in an image of exactly that size. Extra pixels widen the quiet zone. With too few pixels the quiet
 * zone shrinks first; where even the symbol does not fit, modules are dropped.
 */
export function layOut(modules: boolean[][], size: number): Layout {
  const cells = modules.length > size ? dropModules(modules, size) : modules;
  const cellPixels = Math.max(1, modulePixels(cells.length, size));
  return { cells, cellPixels, offset: Math.floor((size - cells.length * cellPixels) / 2) };
}

function dropModules(modules: boolean[][], size: number): boolean[][] {
  const kept = Array.from({ length: size }, (_, index) =>
    Math.floor(((index + 0.5) * modules.length) / size),
  );
  return kept.map((row) => kept.map((column) => modules[row]?.[column] === true));
}
