import type { Context } from 'koa';
import { maxFileBytes } from '../../codes/files/file-limits.ts';
import { maxLogoBytes } from '../../codes/logo/logo-limits.ts';
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
  const body = await readBytes(ctx.req, maxBytes + otherBytes, tooLarge);
  const headers = { 'Content-Type': ctx.get('Content-Type') };
  if (!hasFewParts(body, headers['Content-Type'])) throw malformed();
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw malformed();
  });
  const fields = Object.create(null) as Record<string, string>;
  const names = [...new Set(form.keys())].slice(0, maxFields);
  for (const name of names) {
    const [value, ...more] = form.getAll(name);
    if (more.length > 0) continue;
    if (typeof value === 'string') fields[name] = requireShort(value);
    else if (value)
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

/** Counted first: parsing a hundred thousand parts would take a second. */
function hasFewParts(body: Buffer, contentType: string): boolean {
  const [, quoted, plain] =
    /boundary=(?:"([^"]{1,200})"|([^\s";]{1,200}))/i.exec(contentType.slice(0, 500)) ?? [];
  const boundary = `--${quoted ?? plain ?? ''}`;
  let parts = 0;
  for (let at = body.indexOf(boundary); at >= 0 && parts <= maxFields; at = body.indexOf(boundary, at + 2))
    parts += 1;
  return parts <= maxFields;
}

/** A file of the posted form. Undefined where none was chosen. */
export function fileField(ctx: Context, name: string): UploadedFile | undefined {
  const file = ctx.state[`file ${name}`] as UploadedFile | undefined;
  // Browsers send an empty one without a name where none was chosen.
  return file && (file.bytes.length > 0 || file.name !== '') ? file : undefined;
}
