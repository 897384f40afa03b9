import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Pixels } from '../image/pixels.ts';
import type { ImageHeader, RasterType } from './image-header.ts';
import { broken } from './logo-limits.ts';
import { requireExactData } from './png-data.ts';

const require = createRequire(import.meta.url);

interface Decoded {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** What the decoders, made for browsers, return their pixels in. */
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

/** Each is WebAssembly: a file that breaks a decoder breaks its memory only. */
const decoders: Record<RasterType, (file: ArrayBuffer) => Promise<Decoded>> = {
  async png(file) {
    const { decode, init } = await import('@jsquash/png/decode.js');
    await init(load('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
    return decode(file);
  },
  async jpeg(file) {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js');
    await (init as Init)(load('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
    // Turned as the camera was.
    return decode(file, { preserveOrientation: true });
  },
  async webp(file) {
    const { default: decode, init } = await import('@jsquash/webp/decode.js');
    await (init as Init)(load('@jsquash/webp/codec/dec/webp_dec.wasm'));
    return decode(file);
  },
};

/** Its types know only the second parameter. */
type Init = (module: WebAssembly.Module) => Promise<void>;

/** Decodes an image whose header was read, and is not too large. */
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
  // Width and height of a photograph are exchanged where the camera was held upright.
  if (decoded.width * decoded.height !== width * height || data.length !== 4 * width * height) throw broken();
  return { width: decoded.width, height: decoded.height, data };
}

export async function encodeJpeg({ width, height, data }: Pixels, quality: number): Promise<Buffer> {
  const { default: encode, init } = await import('@jsquash/jpeg/encode.js');
  await (init as unknown as Init)(load('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'));
  const image = new BrowserImageData(data, width, height) as unknown as Parameters<typeof encode>[0];
  return Buffer.from(await encode(image, { quality }));
}
