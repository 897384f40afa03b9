import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

/** The bytes that an independent decoder reads in the image, or undefined. */
export async function scan(png: Buffer): Promise<Buffer | undefined> {
  const [found] = await readBarcodes(png, { formats: ['QRCode'], tryInvert: true, maxNumberOfSymbols: 1 });
  return found?.isValid ? Buffer.from(found.bytes) : undefined;
}
