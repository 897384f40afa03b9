import { decodeRaster } from '../logo/decode-raster.ts';
import { readImageHeader } from '../logo/image-header.ts';
import { ImageError } from '../logo/logo-limits.ts';
import { cleanImage } from './clean-image.ts';
import { fileImageLimits } from './file-limits.ts';

/** The cleaned image, once it was decoded completely. Its pixels stay as its owner has compressed them. */
export async function normalizeImage(file: Buffer): Promise<Buffer> {
  const { cleaned } = await readImage(file);
  return cleaned;
}

export async function readImage(file: Buffer) {
  const cleaned = cleanImage(file);
  const header = cleaned && readImageHeader(cleaned, fileImageLimits);
  if (!cleaned || !header) throw new ImageError('must be a PNG, JPEG or WebP file: export it as PNG');
  return { cleaned, pixels: await decodeRaster(cleaned, header) };
}
