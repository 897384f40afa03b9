import { AppError, type FieldError } from '../../src/errors.ts';
import type { ImageDecoder } from '../../src/codes/files/image-decoder.ts';
import { normalizeImage, normalizeLogo, normalizePhoto } from '../../src/codes/files/normalize-image.ts';

const normalizers = { logo: normalizeLogo, image: normalizeImage, photo: normalizePhoto };

/** In this process: a thread for each of many files takes longer than reading them. */
export const decodeHere: ImageDecoder = {
  decode: (_caller, file, purpose) => normalizers[purpose](Buffer.from(file)),
  close: async () => undefined,
};

/** What is invalid about a file, or undefined if it is accepted. */
export async function reasonsOf(reading: Promise<unknown>): Promise<FieldError[] | undefined> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.details) return error.details;
    throw error;
  }
}
