import type { Design } from '../design/design.ts';
import type { Print } from '../design/print.ts';
import type { ErrorCorrection } from '../qr-code.ts';
import { escapeXml } from './escape-xml.ts';
import { layOut } from './layout.ts';
import { encodePng } from './png.ts';
import { symbolModules } from './symbol.ts';

export interface Picture {
  /** The text to encode. */
  text: string;
  errorCorrection: ErrorCorrection;
  /** Width and height in pixels. */
  size: number;
  /** #RRGGBB, like all colors. */
  foregroundColor: string;
  backgroundColor: string;
  /** Absent for squares in the two colors. */
  design?: Design | undefined;
  /** The picture of the logo in the design, which only has its id: a PNG of our own. */
  logo?: Uint8Array | undefined;
  /** For PDF only. */
  print?: Print | undefined;
}

/** The same image as the PNG, pixel for pixel. Colors are attributes, so that no CSP against inline styles removes them. */
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

/** One rectangle for each run of dark modules in a row, positioned relative to the start of the last one. */
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
