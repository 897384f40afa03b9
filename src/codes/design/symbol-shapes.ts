import type { EyeBallShape, EyeFrameShape, ModuleShape } from './design.ts';
import { circle, moved, type Path, polygon, rectangle, reversed, roundedRectangle } from './scene.ts';

/** The dark modules of a symbol, row by row. */
type Cells = readonly (readonly boolean[])[];

type DrawModule = (cells: Cells, x: number, y: number) => Path;

const dotRadius = 0.46;
/** Above 0.5, so that enough of a module is dark. */
const diamondReach = 0.62;
const barWidth = 0.84;

const isDark = (cells: Cells, x: number, y: number) => cells[y]?.[x] === true;

const drawModule: Record<ModuleShape, DrawModule> = {
  square(cells, x, y) {
    if (isDark(cells, x - 1, y)) return [];
    let end = x + 1;
    while (isDark(cells, end, y)) end += 1;
    return rectangle(x, y, end - x, 1);
  },
  /** Rounds corners that no neighbor touches. */
  rounded(cells, x, y) {
    const [up, right, down, left] = [
      isDark(cells, x, y - 1),
      isDark(cells, x + 1, y),
      isDark(cells, x, y + 1),
      isDark(cells, x - 1, y),
    ];
    const radius = (isConnected: boolean) => (isConnected ? 0 : 0.5);
    return roundedRectangle(x, y, 1, 1, [
      radius(up || left),
      radius(up || right),
      radius(down || right),
      radius(down || left),
    ]);
  },
  dots: (_cells, x, y) => circle(x + 0.5, y + 0.5, dotRadius),
  diamond(_cells, x, y) {
    const [centerX, centerY] = [x + 0.5, y + 0.5];
    return polygon(
      [centerX, centerY - diamondReach],
      [centerX + diamondReach, centerY],
      [centerX, centerY + diamondReach],
      [centerX - diamondReach, centerY],
    );
  },
  /** One vertical bar for each run of modules. */
  bars(cells, x, y) {
    if (isDark(cells, x, y - 1)) return [];
    let end = y + 1;
    while (isDark(cells, x, end)) end += 1;
    const radius = barWidth / 2;
    const inset = (1 - barWidth) / 2;
    return roundedRectangle(x + inset, y + inset / 2, barWidth, end - y - inset, [
      radius,
      radius,
      radius,
      radius,
    ]);
  },
};

/** One path, so that neighbors meet without a seam. */
export function modulesPath(cells: Cells, shape: ModuleShape): Path {
  const path: Path = [];
  cells.forEach((row, y) => {
    row.forEach((isSet, x) => {
      if (isSet) path.push(...drawModule[shape](cells, x, y));
    });
  });
  return path;
}

/** Modules per side of an eye: a frame of one module around a gap of one around a ball of three. */
const eyeModules = 7;

type Corners = readonly [number, number, number, number];

const all = (radius: number): Corners => [radius, radius, radius, radius];
const leaf = (radius: number): Corners => [radius, 0, radius, 0];

/** In the upper left corner. Not every reader finds rounder frames in a rotated picture. */
const frames: Record<EyeFrameShape, Path> = {
  square: [...rectangle(0, 0, 7, 7), ...reversed(rectangle(1, 1, 5, 5))],
  rounded: ring(all(1.75), all(0.9)),
  cut: [...octagon(0, 7, 1.1), ...reversed(octagon(1, 5, 0.6))],
  leaf: ring(leaf(1.3), leaf(0.5)),
};

const balls: Record<EyeBallShape, Path> = {
  square: rectangle(2, 2, 3, 3),
  rounded: roundedRectangle(2, 2, 3, 3, all(0.9)),
  circle: roundedRectangle(2, 2, 3, 3, all(1.2)),
  leaf: roundedRectangle(2, 2, 3, 3, leaf(1.2)),
  octagon: octagon(2, 3, 0.8),
};

function octagon(start: number, side: number, cut: number): Path {
  const end = start + side;
  return polygon(
    [start + cut, start],
    [end - cut, start],
    [end, start + cut],
    [end, end - cut],
    [end - cut, end],
    [start + cut, end],
    [start, end - cut],
    [start, start + cut],
  );
}

export function eyeFramesPath(modules: number, shape: EyeFrameShape): Path {
  return inThreeCorners(frames[shape], modules);
}

export function eyeBallsPath(modules: number, shape: EyeBallShape): Path {
  return inThreeCorners(balls[shape], modules);
}

function inThreeCorners(path: Path, modules: number): Path {
  const far = modules - eyeModules;
  return [...path, ...moved(path, far, 0), ...moved(path, 0, far)];
}

function ring(outer: Corners, inner: Corners): Path {
  return [...roundedRectangle(0, 0, 7, 7, outer), ...reversed(roundedRectangle(1, 1, 5, 5, inner))];
}

/** Removes the eyes, which are drawn separately. */
export function withoutEyes(cells: boolean[][]): boolean[][] {
  const last = cells.length - eyeModules;
  return cells.map((row, y) =>
    row.map((isSet, x) => {
      const isEye = (x < eyeModules || x >= last) && (y < eyeModules || y >= last);
      // There is no eye in the lower right corner.
      return isSet && !(isEye && !(x >= last && y >= last));
    }),
  );
}

/** Centers of the alignment patterns on each axis. The smallest symbol has none. */
function centersOf(modules: number): number[] {
  const version = (modules - 17) / 4;
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const fromEnd = Array.from({ length: count - 1 }, (_, index) => modules - 7 - index * step);
  return [6, ...fromEnd.toReversed()];
}

/** Modules of an alignment pattern on each side of its center. */
const reach = 2;

/** Splits a symbol without eyes into its alignment patterns and the rest. */
export function splitAlignment(cells: boolean[][]): { alignment: boolean[][]; rest: boolean[][] } {
  const centers = centersOf(cells.length);
  const [first, last] = [centers[0], centers.at(-1)];
  const isEye = (x: number, y: number) =>
    (x === first && (y === first || y === last)) || (x === last && y === first);
  const isAlignment = (x: number, y: number) =>
    centers.some(
      (centerY) =>
        Math.abs(y - centerY) <= reach &&
        centers.some((centerX) => Math.abs(x - centerX) <= reach && !isEye(centerX, centerY)),
    );
  const select = (isWanted: boolean) =>
    cells.map((row, y) => row.map((isSet, x) => isSet && isAlignment(x, y) === isWanted));
  return { alignment: select(true), rest: select(false) };
}
