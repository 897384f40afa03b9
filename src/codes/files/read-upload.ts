import { ImageError, agrees, checkPdf, fileNameOf, maxFileBytes, mediaTypeOf } from './upload.ts';
import type { NewFile } from './stored-file.ts';
import type { ImageDecoder } from './image-decoder.ts';
import { invalid } from '../../errors.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import { maxLogoBytes } from './upload.ts';
import { type NewLogo, newLogo } from '../design/stored-logo.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

/** A file as it was sent. Nothing of it is known to be true. */
interface Upload {
  bytes: Buffer;
  /** The media type that the client declares; may be empty. */
  declared: string;
  name: string;
}

/** Throws a validation error with the reason for what is no PDF or image. */
export async function readFile(
  decoder: ImageDecoder,
  caller: Caller,
  { bytes, declared, name }: Upload,
): Promise<NewFile> {
  const mediaType = requireType('file', bytes, declared);
  if (mediaType !== 'application/pdf')
    return {
      kind: 'file',
      name: fileNameOf(name, mediaType),
      mediaType,
      data: await decode(decoder, caller, bytes, 'file'),
    };
  try {
    checkPdf(bytes);
  } catch (error) {
    throw refusalOf('file', error);
  }
  return { kind: 'file', name: fileNameOf(name, mediaType), mediaType, data: bytes };
}

/** Throws a validation error with the reason for what is no image. */
export async function readPhoto(
  decoder: ImageDecoder,
  caller: Caller,
  { bytes, declared }: Upload,
): Promise<NewFile> {
  if (requireType('photo', bytes, declared) === 'application/pdf')
    throw refusal('photo', 'must be a PNG, JPEG or WebP file');
  const data = await decode(decoder, caller, bytes, 'photo');
  return { kind: 'photo', name: 'photo.jpg', mediaType: 'image/jpeg', data };
}

type Field = 'file' | 'photo';

function requireType(field: Field, bytes: Buffer, declared: string) {
  const accepted = field === 'file' ? 'PDF, PNG, JPEG or WebP' : 'PNG, JPEG or WebP';
  if (bytes.length === 0) throw refusal(field, `is empty: send a ${accepted} file`);
  if (bytes.length > maxFileBytes)
    throw refusal(field, `must have at most ${maxFileBytes / bytesPerMb} MB: make it smaller`);
  const found = mediaTypeOf(bytes);
  if (!found) throw refusal(field, `must be a ${accepted} file`);
  if (!agrees(declared, found))
    throw refusal(field, `is declared as another type than it has: send it as ${found}`);
  return found;
}

const purposes = { file: 'image', photo: 'photo' } as const;

async function decode(
  decoder: ImageDecoder,
  caller: Caller,
  bytes: Buffer,
  field: Field,
): Promise<Uint8Array> {
  return decoder.decode(caller, bytes, purposes[field]).catch((error: unknown) => {
    throw refusalOf(field, error);
  });
}

const refusal = (field: Field, message: string) => invalid([{ field, message }], { code: 'file_rejected' });
const refusalOf = (field: Field, error: unknown) =>
  error instanceof ImageError ? refusal(field, error.message) : error;

/** Throws a validation error with the reason for a file that is no logo. */
export async function readLogo(
  decoder: ImageDecoder,
  caller: Caller,
  workspaceId: WorkspaceId,
  file: Buffer,
): Promise<NewLogo> {
  if (file.length === 0) throw logoRefusal('is empty: send a PNG, JPEG, WebP or SVG file');
  if (file.length > maxLogoBytes) throw logoRefusal('must have at most 1 MB: make it smaller');
  const png = await decoder.decode(caller, file, 'logo').catch((error: unknown) => {
    throw error instanceof ImageError ? logoRefusal(error.message) : error;
  });
  return newLogo(workspaceId, png);
}

const logoRefusal = (message: string) => invalid([{ field: 'logo', message }], { code: 'file_rejected' });
