import { deflateSync } from 'node:zlib';
import type { Design, Print } from '../design/design.ts';
import type { ErrorCorrection } from '../qr-code.ts';
import { layOut, type Layout, symbolModules } from './symbol.ts';
import { chunk, pngFile } from './pixels.ts';

export interface Picture {
  /** Encoded text. */
  text: string;
  errorCorrection: ErrorCorrection;
  /** Width and height in pixels. */
  size: number;
  /** #RRGGBB */
  foregroundColor: string;
  backgroundColor: string;
  /** Absent for plain squares. */
  design?: Design | undefined;
  /** PNG of the design's logo, of which the design has the id. */
  logo?: Uint8Array | undefined;
  /** PDF only. */
  print?: Print | undefined;
}

/** Pixel for pixel the same as the PNG. Colors are attributes, because a CSP may forbid inline styles. */
export function drawSvg(picture: Picture): string {
  const { size, foregroundColor, backgroundColor } = picture;
  const { cells, cellPixels, offset } = layOut(symbolModules(picture.text, picture.errorCorrection), size);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"`,
    ' role="img" aria-label="QR code" shape-rendering="crispEdges">',
    `<rect width="${size}" height="${size}" fill="${escapeXml(backgroundColor)}"/>`,
    `<path fill="${escapeXml(foregroundColor)}" transform="translate(${offset} ${offset})scale(${cellPixels})"`,
    ` d="${runs(cells)}"/></svg>\n`,
  ].join('');
}

export function drawPng(picture: Picture): Buffer {
  const layout = layOut(symbolModules(picture.text, picture.errorCorrection), picture.size);
  const palette = [picture.backgroundColor, picture.foregroundColor].map((color) =>
    Buffer.from(color.slice(1), 'hex'),
  ) as [Buffer, Buffer];
  return encodePng(layout, picture.size, palette);
}

/** One rectangle for each run of dark modules, positioned relative to the previous one. */
function runs(cells: boolean[][]): string {
  const path: string[] = [];
  let lastX = 0;
  let lastY = 0;
  cells.forEach((row, y) => {
    for (let x = row.indexOf(true); x >= 0; ) {
      const light = row.indexOf(false, x);
      const end = light < 0 ? row.length : light;
      path.push(`m${x - lastX} ${y - lastY}h${end - x}v1h-${end - x}z`);
      lastX = x;
      lastY = y;
      x = row.indexOf(true, end);
    }
  });
  return path.join('');
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const bitDepth = 1;
const indexedColor = 3;
/** PNG filter types: the bytes of a row as they are, or their difference from the row above. */
const filterNone = 0;
const filterUp = 2;

/** A PNG with one bit per pixel: 0 is the first color of the palette, 1 the second. */
function encodePng(layout: Layout, size: number, palette: [Buffer, Buffer]): Buffer {
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
