import type { ModuleShape } from './design.ts';
import { circle, type Path, polygon, rectangle, roundedRectangle } from './scene.ts';

/** The dark modules of a symbol, row by row. */
export type Cells = readonly (readonly boolean[])[];

type DrawModule = (cells: Cells, x: number, y: number) => Path;

const dotRadius = 0.46;
/** Beyond 0.5 it reaches into its neighbors, so that enough of a module is dark. */
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
  /** Corners are round where no neighbor touches them. */
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
  /** One upright bar for each run of modules in a column. */
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

/** In one path, so that neighbors meet without a seam. */
export function modulesPath(cells: Cells, shape: ModuleShape): Path {
  const path: Path = [];
  cells.forEach((row, y) => {
    row.forEach((isSet, x) => {
      if (isSet) path.push(...drawModule[shape](cells, x, y));
    });
  });
  return path;
}
