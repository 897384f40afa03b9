import type { Pixels } from './rasterize.ts';

/** The average of all pixels that a new one covers, weighted by their alpha: transparent pixels have no color. */
export function resize(pixels: Pixels, width: number, height: number): Pixels {
  if (pixels.width === width && pixels.height === height) return pixels;
  const columns = spans(pixels.width, width);
  const rows = spans(pixels.height, height);
  const data = new Uint8ClampedArray(4 * width * height);
  rows.forEach((row, y) => {
    columns.forEach((column, x) => {
      let [red, green, blue, alpha, area] = [0, 0, 0, 0, 0];
      for (const { at: sourceY, part: partY } of row) {
        for (const { at: sourceX, part: partX } of column) {
          const at = 4 * (sourceY * pixels.width + sourceX);
          const part = partX * partY;
          const weight = part * (pixels.data[at + 3] as number);
          red += weight * (pixels.data[at] as number);
          green += weight * (pixels.data[at + 1] as number);
          blue += weight * (pixels.data[at + 2] as number);
          alpha += weight;
          area += part;
        }
      }
      if (alpha > 0) data.set([red / alpha, green / alpha, blue / alpha, alpha / area], 4 * (y * width + x));
    });
  });
  return { width, height, data };
}

interface Part {
  at: number;
  part: number;
}

/** Which pixels of a line each new one covers, and how much of them. */
function spans(from: number, to: number): Part[][] {
  const scale = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [start, end] = [index * scale, Math.min(from, (index + 1) * scale)];
    const parts: Part[] = [];
    for (let at = Math.floor(start); at < end; at += 1)
      parts.push({ at, part: Math.min(at + 1, end) - Math.max(at, start) });
    return parts;
  });
}
