import type { Edges } from './flatten.ts';

/** Each row of pixels is sampled along this many lines; along a line, coverage is exact. */
const linesPerPixel = 4;

/** `change` has the change of coverage from each pixel to the next, to be summed from the left: 0 is none, 1 is full. */
type OnRow = (y: number, from: number, to: number, change: Float32Array) => void;

/** Calls `onRow` for each row of pixels that the edges enclose a part of, by the nonzero or the even-odd rule. */
export function eachCoveredRow(
  edges: Edges,
  width: number,
  height: number,
  onRow: OnRow,
  isEvenOdd = false,
): void {
  const { points, windings, count } = edges;
  const order = Array.from({ length: count }, (_, index) => index).toSorted(
    (one, other) => (points[4 * one + 1] as number) - (points[4 * other + 1] as number),
  );
  const change = new Float32Array(width + 2);
  const active = new Uint32Array(count);
  const crossings = new Float64Array(count);
  let activeCount = 0;
  let next = 0;
  let [from, to] = [width, 0];

  /** Takes edges that the line crosses, and drops those above it. Sorted by where they cross. */
  function findCrossings(lineY: number): void {
    let kept = 0;
    for (let index = 0; index < activeCount; index += 1) {
      const edge = active[index] as number;
      if ((points[4 * edge + 3] as number) > lineY) insert(edge, lineY, kept++);
    }
    for (; next < count; next += 1) {
      const edge = order[next] as number;
      if ((points[4 * edge + 1] as number) > lineY) break;
      if ((points[4 * edge + 3] as number) > lineY) insert(edge, lineY, kept++);
    }
    activeCount = kept;
  }

  /** The order hardly changes from line to line, so an edge moves few places. */
  function insert(edge: number, lineY: number, place: number): void {
    const at = 4 * edge;
    const [x1, y1] = [points[at] as number, points[at + 1] as number];
    const slope = ((points[at + 2] as number) - x1) / ((points[at + 3] as number) - y1);
    const x = x1 + (lineY - y1) * slope;
    let index = place;
    for (; index > 0 && (crossings[index - 1] as number) > x; index -= 1) {
      crossings[index] = crossings[index - 1] as number;
      active[index] = active[index - 1] as number;
    }
    crossings[index] = x;
    active[index] = edge;
  }

  function addSpan(start: number, end: number): void {
    const [left, right] = [Math.max(0, start), Math.min(width, end)];
    if (right <= left) return;
    addChange(left, 1 / linesPerPixel);
    addChange(right, -1 / linesPerPixel);
    from = Math.min(from, Math.floor(left));
    to = Math.max(to, Math.min(width, Math.floor(right) + 1));
  }

  function addChange(x: number, amount: number): void {
    const pixel = Math.floor(x);
    const part = x - pixel;
    change[pixel] = (change[pixel] as number) + amount * (1 - part);
    change[pixel + 1] = (change[pixel + 1] as number) + amount * part;
  }

  for (let y = 0; y < height && (next < count || activeCount > 0); y += 1) {
    [from, to] = [width, 0];
    for (let line = 0; line < linesPerPixel; line += 1) {
      findCrossings(y + (line + 0.5) / linesPerPixel);
      let winding = 0;
      let start = 0;
      for (let index = 0; index < activeCount; index += 1) {
        const x = crossings[index] as number;
        if (winding === 0) start = x;
        winding = isEvenOdd ? 1 - winding : winding + (windings[active[index] as number] as number);
        if (winding === 0) addSpan(start, x);
      }
    }
    if (to <= from) continue;
    onRow(y, from, to, change);
    change.fill(0, from, to + 2);
  }
}
