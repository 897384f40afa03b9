import { createInflate } from 'node:zlib';
import { broken, hasMore } from './logo-limits.ts';

/** Values of a pixel, by the color type of the header. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Start and distance of the pixels of each pass of an interlaced image, in x and y. */
const passes: [x: number, y: number, dx: number, dy: number][] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * Rejects a PNG whose data inflate to more than its pixels, or go on after them. Decoders stop at the last pixel: a file of
 * 300 KB could have hundreds of megabytes behind it, for every program that inflates them all. Nothing is kept in memory.
 */
export async function requireExactData(file: Buffer): Promise<void> {
  const data = imageData(file);
  const expected = inflatedBytes(file);
  const inflate = createInflate();
  let inflated = 0;
  await new Promise<void>((resolve, reject) => {
    inflate.on('data', (part: Buffer) => {
      inflated += part.length;
      if (inflated > expected) inflate.destroy(hasMore());
    });
    inflate.once('error', (error) => reject(error.name === 'ImageError' ? error : broken()));
    inflate.once('end', resolve);
    for (const part of data) inflate.write(part);
    inflate.end();
  });
  if (inflated < expected) throw broken();
  if (inflate.bytesWritten < data.reduce((sum, { length }) => sum + length, 0)) throw hasMore();
}

/** Of all IDAT chunks, which are one stream. */
function imageData(file: Buffer): Buffer[] {
  const data: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  return data;
}

/** Each row has a byte for its filter, and begins with a byte of its own. */
function inflatedBytes(file: Buffer): number {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth, colorType, isInterlaced] = [file[24], file[25], file[28] === 1] as [number, number, boolean];
  const bitsPerPixel = depth * (channels[colorType] ?? 0);
  if (bitsPerPixel === 0) throw broken();
  const bytesOf = (columns: number, rows: number) =>
    columns > 0 ? rows * (1 + Math.ceil((columns * bitsPerPixel) / 8)) : 0;
  if (!isInterlaced) return bytesOf(width, height);
  return passes.reduce(
    (sum, [x, y, dx, dy]) => sum + bytesOf(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
    0,
  );
}
