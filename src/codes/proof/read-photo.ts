import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import decodeQR from 'qr/decode.js';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { GrayImage } from './gray-image.ts';

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

/** Returns the text that it finds in the photograph, or undefined. */
export type Reader = (photo: GrayImage) => Promise<string | undefined>;

/** Two that find and sample a symbol in different ways, as the apps of phones do. */
export const readers: Record<'zxing' | 'qr', Reader> = {
  async zxing(photo) {
    const [found] = await readBarcodes(toImageData(photo), {
      formats: ['QRCode'],
      maxNumberOfSymbols: 1,
      // Many phones do not read light modules on a dark background.
      tryInvert: false,
    });
    return found?.isValid ? found.text : undefined;
  },
  async qr(photo) {
    try {
      return decodeQR(toImageData(photo));
    } catch {
      return undefined; // nothing found
    }
  },
};

interface RgbaImage {
  data: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
  colorSpace: 'srgb';
}

/** Every reader gets the same photographs. */
const converted = new WeakMap<GrayImage, RgbaImage>();

function toImageData(photo: GrayImage): RgbaImage {
  const known = converted.get(photo);
  if (known) return known;
  const image = convert(photo);
  converted.set(photo, image);
  return image;
}

function convert({ width, height, values }: GrayImage): RgbaImage {
  const data = new Uint8ClampedArray(4 * values.length);
  const words = new Uint32Array(data.buffer);
  for (let index = 0; index < values.length; index += 1) {
    const level = (255 * (values[index] as number) + 0.5) | 0;
    words[index] = 0xff000000 | (level * 0x010101);
  }
  return { data, width, height, colorSpace: 'srgb' };
}
