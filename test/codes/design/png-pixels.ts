import { inflateSync } from 'node:zlib';
import type { Pixels } from '../../../src/codes/image/pixels.ts';

/** Reads what our encoder writes: RGBA with 8 bits each, every row filtered by the one above. */
export function readColorPng(png: Uint8Array): Pixels {
  const file = Buffer.from(png);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (file.toString('hex', 24, 29) !== '0806000000') throw new Error('Not RGBA with 8 bits each');
  const length = file.readUInt32BE(33);
  if (file.toString('latin1', 37, 41) !== 'IDAT') throw new Error('No IDAT after the header');
  const rows = inflateSync(file.subarray(41, 41 + length));
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y += 1) {
    const start = y * (4 * width + 1);
    if (rows[start] !== 2) throw new Error(`Filter ${rows[start]}`);
    for (let index = 0; index < 4 * width; index += 1) {
      const above = y === 0 ? 0 : (data[(y - 1) * 4 * width + index] as number);
      data[y * 4 * width + index] = ((rows[start + 1 + index] as number) + above) & 255;
    }
  }
  return { width, height, data };
}

/** `#rrggbb`, with the alpha as two more digits unless it is opaque. */
export function colorAt({ width, data }: Pixels, x: number, y: number): string {
  const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * (y * width + x));
  const digits = Buffer.from([red, green, blue, alpha]).toString('hex');
  return `#${alpha === 255 ? digits.slice(0, 6) : digits}`;
}
