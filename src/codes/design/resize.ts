import type { Pixels } from './rasterize.ts';

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * The average of all pixels that a new one covers, weighted by their alpha: transparent pixels have no color. Of an area of
 * the picture if given, which is not copied.
 */
export function resize(
  pixels: Pixels,
  width: number,
  height: number,
  area: Area = { left: 0, top: 0, width: pixels.width, height: pixels.height },
): Pixels {
  const isWhole = area.width === pixels.width && area.height === pixels.height;
  if (isWhole && area.width === width && area.height === height) return pixels;
  const columns = spans(area.left, area.width, width);
  const rows = spans(area.top, area.height, height);
  const data = new Uint8ClampedArray(4 * width * height);
  rows.forEach((row, y) => {
    columns.forEach((column, x) => {
      let [red, green, blue, alpha, covered] = [0, 0, 0, 0, 0];
      for (const { at: sourceY, part: partY } of row) {
        for (const { at: sourceX, part: partX } of column) {
          const at = 4 * (sourceY * pixels.width + sourceX);
          const part = partX * partY;
          const weight = part * (pixels.data[at + 3] as number);
          red += weight * (pixels.data[at] as number);
          green += weight * (pixels.data[at + 1] as number);
          blue += weight * (pixels.data[at + 2] as number);
          alpha += weight;
          covered += part;
        }
      }
      if (alpha > 0)
        data.set([red / alpha, green / alpha, blue / alpha, alpha / covered], 4 * (y * width + x));
    });
  });
  return { width, height, data };
}

interface Part {
  at: number;
  part: number;
}

/** Which pixels of a line each new one covers, and how much of them. */
function spans(first: number, count: number, newCount: number): Part[][] {
  const scale = count / newCount;
  return Array.from({ length: newCount }, (_, index) => {
    const start = first + index * scale;
    const end = first + Math.min(count, (index + 1) * scale);
    const parts: Part[] = [];
    for (let at = Math.floor(start); at < end; at += 1)
      parts.push({ at, part: Math.min(at + 1, end) - Math.max(at, start) });
    return parts;
  });
}
