import { crc32, deflateSync } from 'node:zlib';
import type { Layout } from './layout.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bitDepth = 1;
const indexedColor = 3;
/** PNG filter types: the bytes of a row as they are, or their difference from the row above. */
const filterNone = 0;
const filterUp = 2;

/** A PNG with one bit per pixel: 0 is the first color of the palette, 1 the second. */
export function encodePng(layout: Layout, size: number, palette: [Buffer, Buffer]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([bitDepth, indexedColor], 8);
  return pngFile(
    header,
    [chunk('PLTE', Buffer.concat(palette))],
    deflateSync(filteredRows(layout, size), { level: 6 }),
  );
}

export function pngFile(header: Buffer, between: Buffer[], data: Buffer): Buffer {
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...between,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Only the first pixel row of each row of modules is written; the others equal the row above, which is all zeros. */
function filteredRows({ cells, cellPixels, offset }: Layout, size: number): Buffer {
  const rowBytes = 1 + Math.ceil(size / 8);
  const rows = Buffer.alloc(rowBytes * size);
  for (let y = 0; y < size; y += 1) rows[y * rowBytes] = filterUp;
  rows[0] = filterNone;
  cells.forEach((cell, index) => {
    const start = (offset + index * cellPixels) * rowBytes;
    rows[start] = filterNone;
    setPixels(rows.subarray(start + 1, start + rowBytes), cell, cellPixels, offset);
  });
  const below = offset + cells.length * cellPixels;
  if (below < size) rows[below * rowBytes] = filterNone;
  return rows;
}

function setPixels(row: Buffer, cells: boolean[], cellPixels: number, offset: number): void {
  cells.forEach((isDark, index) => {
    if (!isDark) return;
    const start = offset + index * cellPixels;
    for (let x = start; x < start + cellPixels; x += 1) {
      row[x >> 3] = (row[x >> 3] as number) | (0x80 >> (x & 7));
    }
  });
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
