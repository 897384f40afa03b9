import type { ImageDecoder } from '../../codes/files/image-decoder.ts';
import { ImageError, maxLogoBytes } from '../../codes/files/upload.ts';
import { type NewLogo, newLogo } from '../../codes/design/stored-logo.ts';
import { invalid } from '../../errors.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';

/** Throws a validation error with the reason for a file that is no logo. */
export async function readLogo(
  decoder: ImageDecoder,
  caller: Caller,
  ownerId: string,
  file: Buffer,
): Promise<NewLogo> {
  if (file.length === 0) throw refusal('is empty: send a PNG, JPEG, WebP or SVG file');
  if (file.length > maxLogoBytes) throw refusal('must have at most 1 MB: make it smaller');
  const png = await decoder.decode(caller, file, 'logo').catch((error: unknown) => {
    throw error instanceof ImageError ? refusal(error.message) : error;
  });
  return newLogo(ownerId, png);
}

const refusal = (message: string) => invalid([{ field: 'logo', message }], { code: 'file_rejected' });
