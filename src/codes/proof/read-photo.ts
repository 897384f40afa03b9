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

/** RGBA, as readers expect it. */
function toImageData({ width, height, values }: GrayImage) {
  const data = new Uint8ClampedArray(4 * values.length);
  const words = new Uint32Array(data.buffer);
  values.forEach((value, index) => {
    const level = Math.round(255 * Math.min(1, Math.max(0, value)));
    words[index] = (0xff000000 | (level << 16) | (level << 8) | level) >>> 0;
  });
  return { data, width, height, colorSpace: 'srgb' as const };
}
