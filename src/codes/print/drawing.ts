import type { Picture } from '../image/draw.ts';
import { symbolModules } from '../image/symbol.ts';

/** What is printed: filled paths with y pointing down, in a unit of its own. */
export interface Drawing {
  width: number;
  height: number;
  /** Behind everything. Absent: the paper shows. */
  background?: string | undefined;
  /** Painted in this order, filled by the nonzero rule. */
  shapes: { path: Path; paint: Paint }[];
}

/** #RRGGBB, or a gradient. */
export type Paint = string | Gradient;

export interface Gradient {
  kind: 'linear' | 'radial';
  from: string;
  to: string;
  /** Where it starts; the center of a radial one. */
  x1: number;
  y1: number;
  /** Where it ends; for a radial one, a point on its edge. */
  x2: number;
  y2: number;
}

export type Path = (
  | ['M', number, number]
  | ['L', number, number]
  | ['C', number, number, number, number, number, number]
  | ['Z']
)[];

const quietModules = 4;

/** The picture of a code in modules, with exactly the margin that the standard requires. */
export async function drawCode(picture: Picture): Promise<Drawing> {
  const cells = symbolModules(picture.text, picture.errorCorrection);
  const side = cells.length + 2 * quietModules;
  return {
    width: side,
    height: side,
    background: picture.backgroundColor,
    shapes: [{ path: darkRuns(cells), paint: picture.foregroundColor }],
  };
}

/** One rectangle for each run of dark modules in a row. */
function darkRuns(cells: boolean[][]): Path {
  const path: Path = [];
  cells.forEach((row, index) => {
    const y = index + quietModules;
    for (let x = row.indexOf(true); x >= 0; ) {
      const light = row.indexOf(false, x);
      const end = light < 0 ? row.length : light;
      const [left, right] = [x + quietModules, end + quietModules];
      path.push(['M', left, y], ['L', right, y], ['L', right, y + 1], ['L', left, y + 1], ['Z']);
      x = row.indexOf(true, end);
    }
  });
  return path;
}
