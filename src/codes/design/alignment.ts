/** Where the centers of alignment patterns are, on each axis. Empty for the smallest symbol, which has none. */
function centersOf(modules: number): number[] {
  const version = (modules - 17) / 4;
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const fromEnd = Array.from({ length: count - 1 }, (_, index) => modules - 7 - index * step);
  return [6, ...fromEnd.toReversed()];
}

/** Modules on each side of the center. */
const reach = 2;

/** Divides a symbol into its alignment patterns and the rest. Its eyes, where there are no such patterns, must be removed. */
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
    cells.map((row, y) => row.map((isDark, x) => isDark && isAlignment(x, y) === isWanted));
  return { alignment: select(true), rest: select(false) };
}
