import { deflateSync, inflateSync } from 'node:zlib';
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

/** Where the data starts: after the signature, the header and the head of its own chunk. */
const dataStart = 41;

/** Reads what `pixelsToPng` has written. */
export function readPng(png: Uint8Array): Pixels {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const { width, height } = pngSize(png);
  const rowBytes = 4 * width;
  const rows = inflateSync(file.subarray(dataStart, dataStart + file.readUInt32BE(dataStart - 8)), {
    maxOutputLength: (rowBytes + 1) * height,
  });
  const data = new Uint8ClampedArray(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let index = 0; index < rowBytes; index += 1) {
      const at = y * rowBytes + index;
      const above = y === 0 ? 0 : (data[at - rowBytes] as number);
      data[at] = ((rows[at + y + 1] as number) + above) & 255;
    }
  }
  return { width, height, data };
}

export function pngSize(png: Uint8Array): Pick<Pixels, 'width' | 'height'> {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}
