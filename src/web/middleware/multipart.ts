import { MIMEType } from 'node:util';
import type { Context } from 'koa';
import { maxFileBytes, maxLogoBytes } from '../../codes/files/upload.ts';
import { AppError } from '../../errors.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import { readBytes } from './file-body.ts';

/** The pages whose form has a file, and how large it may be. Only these accept so much. */
const pages: [path: RegExp, maxBytes: number][] = [
  [/^\/codes\/[\w-]{1,64}\/(?:design(?:\/preview|\/style)?|page-logo)$/, maxLogoBytes],
  [/^\/codes\/styles\/[\w-]{1,64}\/design(?:\/preview)?$/, maxLogoBytes],
  [/^\/codes\/[\w-]{1,64}\/(?:file|photo)$/, maxFileBytes],
];
/** The other fields, alone and together, and what is between them. */
const otherBytes = 64 * 1024;
const maxFields = 200;
/** What browsers send for a file has some 200 bytes. */
const maxPartHeaderBytes = 4 * 1024;
/** Those of RFC 2046, without the space. */
const boundaryPattern = /^[\w'()+,./:=?-]{1,70}$/;

const malformed = () => new AppError('validation_error', 'The form is malformed.', { status: 400 });

const maxBytesOf = (ctx: Context) => pages.find(([path]) => path.test(ctx.path))?.[1];

export function hasFile(ctx: Context): boolean {
  return maxBytesOf(ctx) !== undefined && typeof ctx.is('multipart/form-data') === 'string';
}

export interface UploadedFile {
  /** As the browser says. */
  name: string;
  type: string;
  bytes: Buffer;
}

/** Parses a form with a file. A field that was sent twice is ignored, as in other forms. */
export async function readMultipart(ctx: Context): Promise<Record<string, string>> {
  const maxBytes = maxBytesOf(ctx) ?? 0;
  const tooLarge = `The file is too large. Choose one with at most ${maxBytes / bytesPerMb} MB.`;
  const body = await readBytes(ctx, maxBytes + otherBytes, tooLarge);
  const boundary = boundaryOf(ctx.get('Content-Type'));
  if (boundary === undefined || !hasFewParts(body, boundary)) throw malformed();
  // Not the header of the client: only this boundary was counted.
  const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` };
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw malformed();
  });
  const fields = Object.create(null) as Record<string, string>;
  for (const [name, value] of singles(form)) {
    if (typeof value === 'string') fields[name] = requireShort(value);
    else
      ctx.state[`file ${name}`] = {
        name: value.name,
        type: value.type,
        bytes: Buffer.from(await value.arrayBuffer()),
      };
  }
  return fields;
}

/** As in a form without a file: the room for the file is not for them. */
function requireShort(value: string): string {
  if (Buffer.byteLength(value) > otherBytes)
    throw new AppError('validation_error', 'The form is too large.', { status: 413 });
  return value;
}

/** The fields that were sent once. */
function singles(form: FormData): Map<string, FormDataEntryValue> {
  const found = new Map<string, FormDataEntryValue>();
  const repeated = new Set<string>();
  for (const [name, value] of form) {
    if (found.has(name)) repeated.add(name);
    found.set(name, value);
  }
  for (const name of repeated) found.delete(name);
  return found;
}

/** As the parser reads it: a pattern would also find `xboundary=` and what is in quotes. */
function boundaryOf(contentType: string): string | undefined {
  try {
    const boundary = new MIMEType(contentType.slice(0, 500)).params.get('boundary') ?? '';
    return boundaryPattern.test(boundary) ? boundary : undefined;
  } catch {
    return undefined;
  }
}

/** Checked first: parsing a hundred thousand parts, or a megabyte of headers, would block the process for seconds. */
function hasFewParts(body: Buffer, boundary: string): boolean {
  const delimiter = `--${boundary}`;
  let parts = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    const start = at + delimiter.length;
    const isLast = body.toString('latin1', start, start + 2) === '--';
    const headers = body.subarray(start, start + maxPartHeaderBytes);
    if (parts > maxFields || (!isLast && !headers.includes('\r\n\r\n'))) return false;
  }
  return parts > 0;
}

/** A file of the posted form. Undefined where none was chosen. */
export function fileField(ctx: Context, name: string): UploadedFile | undefined {
  const file = ctx.state[`file ${name}`] as UploadedFile | undefined;
  // Browsers send an empty one without a name where none was chosen.
  return file && (file.bytes.length > 0 || file.name !== '') ? file : undefined;
}
