import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import encodeJpeg, { init as initJpeg } from '@jsquash/jpeg/encode.js';
import encodeWebp, { init as initWebp } from '@jsquash/webp/encode.js';
import { type Pixels, pixelsToPng, pngFile } from '../../../src/codes/image/pixels.ts';
import { rasterize } from '../../../src/codes/design/rasterize.ts';
import { polygon, rectangle } from '../../../src/codes/design/scene.ts';

/** A red square with a white triangle in it. */
export function pixels(width = 64, height = 64): Pixels {
  const shapes = [
    { path: rectangle(0, 0, width, height), paint: '#c00000' },
    { path: polygon([width / 2, 0], [width, height], [0, height]), paint: '#ffffff' },
  ];
  return rasterize({ width, height, shapes }, width);
}

export const png = (width?: number, height?: number) => pixelsToPng(pixels(width, height));

const require = createRequire(import.meta.url);
const load = (file: string) => new WebAssembly.Module(readFileSync(require.resolve(file)));
/** Its types know only the second parameter. */
type Init = (module: WebAssembly.Module) => Promise<void>;
const asImage = (image: Pixels) => image as unknown as ImageData;

export async function jpeg(width?: number, height?: number): Promise<Buffer> {
  await (initJpeg as unknown as Init)(load('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'));
  return Buffer.from(await encodeJpeg(asImage(pixels(width, height)), { quality: 90 }));
}

export async function webp(width?: number, height?: number, lossless = 0): Promise<Buffer> {
  await (initWebp as unknown as Init)(load('@jsquash/webp/codec/enc/webp_enc.wasm'));
  return Buffer.from(await encodeWebp(asImage(pixels(width, height)), { lossless }));
}

/** A PNG of one color in any color type: `pixel` has the bytes of a pixel. */
export function pngOf(
  width: number,
  height: number,
  [depth, type]: [number, number],
  pixel: number[],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type], 8);
  const row = [0, ...Array.from({ length: width }, () => pixel).flat()];
  return pngFile(header, [], deflateSync(Buffer.from(Array.from({ length: height }, () => row).flat())));
}

export const svg = (inner: string, attributes = 'viewBox="0 0 24 24"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`);

/** A black square on nothing. */
export const plainSvg = svg('<path d="M2 2h20v20H2z"/>');
