import type { Path } from './scene.ts';

/** Straight edges from top to bottom, four numbers each: x1, y1, x2, y2 with y1 < y2. `windings` has 1 or -1 for each. */
export interface Edges {
  points: Float64Array;
  windings: Int8Array;
  count: number;
}

/** How far a curve may be from its edges, in pixels. */
const tolerance = 0.1;
const maxSteps = 24;

/** Replaces curves by lines, scales to pixels and moves by an offset. Horizontal lines are left out: they bound nothing. */
export function flatten(path: Path, scale: number, dx: number, dy: number): Edges {
  const points: number[] = [];
  const windings: number[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];

  function lineTo(toX: number, toY: number): void {
    if (y < toY) {
      points.push(x, y, toX, toY);
      windings.push(1);
    } else if (y > toY) {
      points.push(toX, toY, x, y);
      windings.push(-1);
    }
    [x, y] = [toX, toY];
  }

  for (const segment of path) {
    switch (segment[0]) {
      case 'M':
        lineTo(startX, startY);
        [x, y] = [segment[1] * scale + dx, segment[2] * scale + dy];
        [startX, startY] = [x, y];
        break;
      case 'L':
        lineTo(segment[1] * scale + dx, segment[2] * scale + dy);
        break;
      case 'C': {
        const [, a, b, c, d, e, f] = segment;
        const [x1, y1, x2, y2] = [a * scale + dx, b * scale + dy, c * scale + dx, d * scale + dy];
        const [x3, y3] = [e * scale + dx, f * scale + dy];
        const bend =
          Math.hypot(x - 2 * x1 + x2, y - 2 * y1 + y2) + Math.hypot(x1 - 2 * x2 + x3, y1 - 2 * y2 + y3);
        const steps = Math.min(maxSteps, Math.max(1, Math.ceil(Math.sqrt(bend / (2 * tolerance)))));
        const [x0, y0] = [x, y];
        for (let step = 1; step <= steps; step += 1) {
          const t = step / steps;
          const u = 1 - t;
          const [p0, p1, p2, p3] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
          lineTo(p0 * x0 + p1 * x1 + p2 * x2 + p3 * x3, p0 * y0 + p1 * y1 + p2 * y2 + p3 * y3);
        }
        break;
      }
      case 'Z':
        lineTo(startX, startY);
    }
  }
  lineTo(startX, startY);
  return { points: Float64Array.from(points), windings: Int8Array.from(windings), count: windings.length };
}
