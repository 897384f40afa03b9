import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import decodeQR from 'qr/decode.js';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { Picture } from '../image/draw.ts';
import { type GrayImage, type PrintedPicture, printPicture } from './photograph.ts';
import { type Proof, type ProvenSizeMm, provenSizesMm, remediesFor } from './proof.ts';

/** Photographs the picture as a phone would, and reads the photographs. */
export async function prove(picture: Picture): Promise<Proof> {
  const undrawable = await findUndrawableText(picture);
  if (undrawable !== null) return { readsAtMm: null, remedy: null, undrawable };
  const printed = await printPicture(picture);
  let readsAtMm: ProvenSizeMm | null = null;
  for (const sizeMm of provenSizesMm) {
    if (!(await isRead(printed, sizeMm, picture.text)))
      return { readsAtMm, remedy: await findRemedy(picture, sizeMm), undrawable };
    readsAtMm = sizeMm;
  }
  return { readsAtMm, remedy: null, undrawable };
}

async function findUndrawableText({ design }: Picture): Promise<string | null> {
  if (!design?.frameText || design.frame === 'none') return null;
  const { findUndrawable } = await import('../design/text-outline.ts');
  return (await findUndrawable(design.frameText)) ?? null;
}

/** The first single change that makes the picture readable at this size. */
async function findRemedy(picture: Picture, sizeMm: ProvenSizeMm): Promise<Proof['remedy']> {
  for (const { field, value, changed } of remediesFor(picture)) {
    if (await isRead(await printPicture(changed), sizeMm, changed.text)) return { field, value };
  }
  return null;
}

async function isRead(printed: PrintedPicture, sizeMm: ProvenSizeMm, text: string): Promise<boolean> {
  if (printed.moduleMm(sizeMm) < minModuleMm) return false;
  for (const condition of printed.conditions) {
    const film = filmOf((turnDegrees) =>
      printed.photo(sizeMm, { ...condition, rotationDegrees: condition.rotationDegrees + turnDegrees }),
    );
    for (const read of Object.values(readers)) {
      if (!(await readsFrames(film, condition.framesToRead, async (photo) => (await read(photo)) === text)))
        return false;
    }
  }
  return true;
}

async function readsFrames(
  film: (frame: number) => GrayImage,
  framesToRead: number,
  reads: (photo: GrayImage) => Promise<boolean>,
): Promise<boolean> {
  let missesLeft = turnsDegrees.length - framesToRead;
  let framesRead = 0;
  for (let frame = 0; framesRead < framesToRead; frame += 1) {
    if (await reads(film(frame))) framesRead += 1;
    else if (missesLeft > 0) missesLeft -= 1;
    else return false;
  }
  return true;
}

/** Four pixels of the photograph. With fewer, reading is a matter of chance. */
const minModuleMm = 0.4;

/** Hands move: a phone that fails to read one frame tries the next. */
const turnsDegrees = [0, 2.5, -2.5];

/** Takes frames on demand. */
function filmOf(takePhoto: (turnDegrees: number) => GrayImage): (frame: number) => GrayImage {
  const frames: GrayImage[] = [];
  return (frame) => (frames[frame] ??= takePhoto(turnsDegrees[frame] ?? 0));
}

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

type Reader = (photo: GrayImage) => Promise<string | undefined>;

/** Two readers that locate and sample a symbol differently, as phone apps do. */
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

/** Readers share photographs. */
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
