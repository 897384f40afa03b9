import { crc32, inflateSync } from 'node:zlib';

export interface Bitmap {
  size: number;
  /** #rrggbb for 0, then for 1. */
  palette: string[];
  /** Row by row, one byte per pixel: 0 or 1. */
  pixels: Uint8Array;
}

/** Reads only what our encoder may write: one bit per pixel, two colors, valid checksums. */
export function readPng(png: Buffer): Bitmap {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc32(body)) throw new Error('A checksum is wrong');
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
    at += 12 + length;
  }
  if (png.toString('hex', 0, 8) !== '89504e470d0a1a0a') throw new Error('Not a PNG');
  if ([...chunks.keys()].join() !== 'IHDR,PLTE,IDAT,IEND') throw new Error('Other chunks than expected');
  const header = part(chunks, 'IHDR');
  const size = header.readUInt32BE(0);
  if (header.readUInt32BE(4) !== size) throw new Error('Not a square');
  if (header.toString('hex', 8) !== '0103000000') throw new Error('Not one bit a pixel of a palette');
  const colours = part(chunks, 'PLTE').toString('hex');
  return {
    size,
    palette: colours.match(/.{6}/g)?.map((colour) => `#${colour}`) ?? [],
    pixels: unfilter(inflateSync(part(chunks, 'IDAT')), size),
  };
}

function unfilter(data: Buffer, size: number): Uint8Array {
  const rowBytes = Math.ceil(size / 8);
  if (data.length !== size * (rowBytes + 1)) throw new Error('Too many or too few rows');
  const pixels = new Uint8Array(size * size);
  const row = new Uint8Array(rowBytes);
  for (let y = 0; y < size; y += 1) {
    const start = y * (rowBytes + 1);
    const filter = data[start];
    if (filter !== 0 && filter !== 2) throw new Error(`Filter ${filter}`);
    for (let index = 0; index < rowBytes; index += 1) {
      const byte = data[start + 1 + index] as number;
      row[index] = filter === 0 ? byte : byte + (row[index] as number);
    }
    for (let x = 0; x < size; x += 1) pixels[y * size + x] = ((row[x >> 3] as number) >> (7 - (x & 7))) & 1;
  }
  return pixels;
}

function part(chunks: Map<string, Buffer>, name: string): Buffer {
  const found = chunks.get(name);
  if (!found) throw new Error(`No ${name}`);
  return found;
}

const svgShape = new RegExp(
  [
    '^<svg xmlns="http://www\\.w3\\.org/2000/svg" width="(\\d+)" height="\\1" viewBox="0 0 \\1 \\1"',
    ' role="img" aria-label="QR code" shape-rendering="crispEdges">',
    '<rect width="\\1" height="\\1" fill="(#[0-9a-fA-F]{6})"/>',
    '<path fill="(#[0-9a-fA-F]{6})" transform="translate\\((\\d+) \\4\\)scale\\((\\d+)\\)" d="([^"]+)"/></svg>\n$',
  ].join(''),
);

/** Fills the path's rectangles, pixel by pixel. */
export function rasterize(svg: string): Bitmap {
  const found = svgShape.exec(svg);
  if (!found) throw new Error(`Not the expected SVG: ${svg.slice(0, 400)}`);
  const [, width, background = '', foreground = '', offset, scale, path = ''] = found;
  const size = Number(width);
  const pixels = new Uint8Array(size * size);
  const steps = /m(-?\d+) (\d+)h(\d+)v1h-(\d+)z/gy;
  let x = 0;
  let y = 0;
  let end = 0;
  for (let step = steps.exec(path); step; step = steps.exec(path)) {
    const [dx = 0, dy = 0, length = 0, back = 0] = step.slice(1).map(Number);
    if (length !== back) throw new Error('A rectangle that does not close');
    x += dx;
    y += dy;
    fill({ pixels, size }, Number(offset), Number(scale), x, y, length);
    end = steps.lastIndex;
  }
  if (end !== path.length) throw new Error(`Not the expected path: ${path.slice(end, end + 40)}`);
  return { size, palette: [background.toLowerCase(), foreground.toLowerCase()], pixels };
}

function fill(
  { pixels, size }: Pick<Bitmap, 'pixels' | 'size'>,
  offset: number,
  scale: number,
  x: number,
  y: number,
  length: number,
): void {
  const left = offset + x * scale;
  for (let row = offset + y * scale; row < offset + (y + 1) * scale; row += 1) {
    if (row >= size || left + length * scale > size) throw new Error('Outside the picture');
    pixels.fill(1, row * size + left, row * size + left + length * scale);
  }
}
