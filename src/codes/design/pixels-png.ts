import { deflateSync } from 'node:zlib';
import { pngFile } from '../image/png.ts';
import type { Pixels } from './rasterize.ts';

const bitDepth = 8;
const colorWithAlpha = 6;
/** The difference from the row above, which is mostly zeros. */
const filterUp = 2;

export function pixelsToPng({ width, height, data }: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, colorWithAlpha], 8);
  const rowBytes = 4 * width;
  const rows = Buffer.alloc((rowBytes + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const start = y * (rowBytes + 1);
    rows[start] = filterUp;
    for (let index = 0; index < rowBytes; index += 1) {
      const at = y * rowBytes + index;
      rows[start + 1 + index] = (data[at] as number) - (y === 0 ? 0 : (data[at - rowBytes] as number));
    }
  }
  return pngFile(header, [], deflateSync(rows, { level: 6 }));
}
