import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Pixels, pixelsToPng, resize } from '../image/pixels.ts';
import { rasterize } from '../design/rasterize.ts';
import { type ImageHeader, readImageHeader, requireExactData } from './raster-header.ts';
import {
  broken,
  fileImageLimits,
  ImageError,
  maxPhotoBytes,
  photoSide,
  type RasterType,
  storedLogoSide,
} from './upload.ts';
import { looksLikeSvg, parseSvg } from './parse-svg.ts';
import { cleanImage } from './clean-image.ts';

/** Re-encodes a logo as PNG. Throws an ImageError if the file is not a logo. */
export async function normalizeLogo(file: Buffer): Promise<Buffer> {
  const pixels = await readPixels(file);
  const { data } = pixels;
  let isVisible = false;
  for (let at = 3; at < data.length && !isVisible; at += 4) isVisible = data[at] !== 0;
  if (!isVisible) throw new ImageError('is empty: nothing of it would be seen');
  return pixelsToPng(pixels);
}

async function readPixels(file: Buffer): Promise<Pixels> {
  const header = readImageHeader(file);
  if (header) {
    const pixels = await decodeRaster(file, header);
    const scale = Math.min(1, storedLogoSide / Math.max(pixels.width, pixels.height));
    const [width, height] = [pixels.width, pixels.height].map((side) =>
      Math.max(1, Math.round(side * scale)),
    );
    return resize(pixels, width as number, height as number);
  }
  if (!looksLikeSvg(file)) throw new ImageError('must be a PNG, JPEG, WebP or SVG file: export it as PNG');
  const scene = parseSvg(file);
  const width = Math.max(1, Math.round((storedLogoSide * scene.width) / Math.max(scene.width, scene.height)));
  return rasterize(scene, width, { wholePixels: false });
}

/** Cleans an image without recompressing it, after decoding all of it. */
export async function normalizeImage(file: Buffer): Promise<Buffer> {
  const { cleaned } = await readImage(file);
  return cleaned;
}

async function readImage(file: Buffer) {
  const cleaned = cleanImage(file);
  const header = cleaned && readImageHeader(cleaned, fileImageLimits);
  if (!cleaned || !header) throw new ImageError('must be a PNG, JPEG or WebP file: export it as PNG');
  return { cleaned, pixels: await decodeRaster(cleaned, header) };
}

const qualities = [85, 70, 50, 30];

/** Crops a picture to a small JPEG. */
export async function normalizePhoto(file: Buffer): Promise<Buffer> {
  const { pixels } = await readImage(file);
  const photo = onWhite(resize(pixels, photoSide, photoSide, middle(pixels)));
  for (const quality of qualities) {
    const jpeg = await encodeJpeg(photo, quality);
    if (jpeg.length <= maxPhotoBytes) return jpeg;
  }
  // Unreachable: 256 × 256 pixels of noise take half as much.
  throw new Error('A photo is larger than any can be');
}

/** Heads are above the middle. */
const shareAbove = 1 / 3;

function middle({ width, height }: Pixels) {
  const side = Math.min(width, height);
  const left = Math.floor((width - side) / 2);
  const top = Math.floor((height - side) * shareAbove);
  return { left, top, width: side, height: side };
}

/** A JPEG has no transparency. */
function onWhite({ width, height, data }: Pixels): Pixels {
  const opaque = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] as number) / 255;
    for (let channel = 0; channel < 3; channel += 1)
      opaque[at + channel] = 255 + ((data[at + channel] as number) - 255) * alpha;
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}

const require = createRequire(import.meta.url);

interface Decoded {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** The decoders are made for browsers. */
class BrowserImageData implements Decoded {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

const load = (file: string) => new WebAssembly.Module(readFileSync(require.resolve(file)));

/** WebAssembly: a file that exploits a decoder only corrupts the decoder's memory. */
const decoders: Record<RasterType, (file: ArrayBuffer) => Promise<Decoded>> = {
  async png(file) {
    const { decode, init } = await import('@jsquash/png/decode.js');
    await init(load('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
    return decode(file);
  },
  async jpeg(file) {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js');
    await (init as Init)(load('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
    // Applies the EXIF orientation.
    return decode(file, { preserveOrientation: true });
  },
  async webp(file) {
    const { default: decode, init } = await import('@jsquash/webp/decode.js');
    await (init as Init)(load('@jsquash/webp/codec/dec/webp_dec.wasm'));
    return decode(file);
  },
};

/** The types declare only the second parameter. */
type Init = (module: WebAssembly.Module) => Promise<void>;

/** Check the header first: it bounds the memory. */
export async function decodeRaster(file: Buffer, { type, width, height }: ImageHeader): Promise<Pixels> {
  if (type === 'png') await requireExactData(file);
  Object.assign(globalThis, { ImageData: BrowserImageData });
  let decoded: Decoded;
  try {
    decoded = await decoders[type](new Uint8Array(file).buffer);
  } catch {
    throw broken();
  }
  const { data } = decoded;
  // Width and height are swapped in photographs taken upright.
  if (decoded.width * decoded.height !== width * height || data.length !== 4 * width * height) throw broken();
  return { width: decoded.width, height: decoded.height, data };
}

async function encodeJpeg({ width, height, data }: Pixels, quality: number): Promise<Buffer> {
  const { default: encode, init } = await import('@jsquash/jpeg/encode.js');
  await (init as unknown as Init)(load('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'));
  const image = new BrowserImageData(data, width, height) as unknown as Parameters<typeof encode>[0];
  return Buffer.from(await encode(image, { quality }));
}
