import { crc32, deflateSync, inflateSync } from 'node:zlib';

interface Pixels {
  width: number;
  height: number;
  /** 0xrrggbb, row by row. */
  colors: Uint32Array;
}

const mostColors = 256;

/** A screenshot with a palette of 256 colors, about a third of its size. Pages have few colors; shades of text are many. */
export function shrinkPng(png: Buffer): Buffer {
  const pixels = decode(png);
  const { palette, indexOf } = reduceColors(pixels.colors);
  return encode(pixels, palette, indexOf);
}

/** Reads what Chromium writes: 8 bits a channel, not interlaced, opaque. */
function decode(png: Buffer): Pixels {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[png[25] as number];
  if (png[24] !== 8 || channels === undefined) throw new Error('Not a PNG as Chromium writes it');
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const colors = new Uint32Array(width * height);
  for (let index = 0; index < colors.length; index += 1)
    colors[index] = bytes.readUIntBE(index * channels, 3);
  return { width, height, colors };
}

/** The five filters of a PNG: each byte is stored as its difference to its neighbors. */
function unfilter(filtered: Buffer, rowBytes: number, height: number, channels: number): Buffer {
  const out = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (rowBytes + 1)] as number;
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const left = x < channels ? 0 : (out[at - channels] as number);
      const up = y === 0 ? 0 : (out[at - rowBytes] as number);
      const upLeft = y === 0 || x < channels ? 0 : (out[at - rowBytes - channels] as number);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] as number;
      out[at] = (filtered[y * (rowBytes + 1) + 1 + x] as number) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [toLeft, toUp, toUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/** The most frequent colors stay as they are; each of the others becomes the nearest of them. */
function reduceColors(colors: Uint32Array): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byCount = [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || a - b);
  const palette = byCount.slice(0, mostColors).map(([color]) => color);
  const indexOf = new Map(palette.map((color, index) => [color, index]));
  for (const [color] of byCount.slice(mostColors)) indexOf.set(color, nearest(color, palette));
  return { palette, indexOf };
}

function nearest(color: number, palette: number[]): number {
  const distances = palette.map((other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function encode({ width, height, colors }: Pixels, palette: number[], indexOf: Map<number, number>): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = indexOf.get(colors[y * width + x] as number) as number;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), out.length - 4);
  return out;
}
