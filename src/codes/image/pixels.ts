import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** RGBA with 8 bits per channel, not premultiplied. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Averages the pixels that each new one covers, weighted by their alpha. `area` selects a part of the picture. */
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

/** Which source pixels each new one covers, and how much of them. */
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

/** Offset of the data in the first IDAT chunk. */
const dataStart = 41;

/** Reads only files written by `pixelsToPng`. */
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

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngFile(header: Buffer, between: Buffer[], data: Buffer): Buffer {
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...between,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
