import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { maxLogoBytes } from '../../codes/logo/logo-limits.ts';
import { AppError } from '../../errors.ts';

/** The pages whose form has a file. Only these accept so much. */
const paths = /^\/codes\/[\w-]{1,64}\/(?:design(?:\/preview|\/style)?|page-logo)$/;
/** The file, the other fields, and what is between them. */
const maxBytes = maxLogoBytes + 64 * 1024;
const maxFields = 200;

const malformed = () => new AppError('validation_error', 'The form is malformed.', { status: 400 });

/** In memory. Latin-1 keeps each byte as one character. */
const readBytes = koaBody({
  text: true,
  textTypes: ['multipart'],
  textLimit: maxBytes,
  encoding: 'latin1',
  json: false,
  urlencoded: false,
  multipart: false,
  onError: (error) => {
    if (!('status' in error) || error.status !== 413) throw malformed();
    const message = 'The file is too large. Choose one with at most 1 MB.';
    throw new AppError('validation_error', message, { status: 413 });
  },
});

export function hasFile(ctx: Context): boolean {
  return paths.test(ctx.path) && ctx.is('multipart/form-data') !== false;
}

/** Parses a form with a file. A field that was sent twice is ignored, as in other forms. */
export async function readMultipart(ctx: Context): Promise<Record<string, string>> {
  await readBytes(ctx, async () => undefined);
  const bytes: unknown = ctx.request.body;
  const body = Buffer.from(typeof bytes === 'string' ? bytes : '', 'latin1');
  const headers = { 'Content-Type': ctx.get('Content-Type') };
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw malformed();
  });
  const fields = Object.create(null) as Record<string, string>;
  const names = [...new Set(form.keys())].slice(0, maxFields);
  for (const name of names) {
    const [value, ...more] = form.getAll(name);
    if (more.length > 0) continue;
    if (typeof value === 'string') fields[name] = value;
    else if (value) ctx.state[`file ${name}`] = Buffer.from(await value.arrayBuffer());
  }
  return fields;
}

/** A file of the posted form. Undefined where none was chosen. */
export function fileField(ctx: Context, name: string): Buffer | undefined {
  const file: unknown = ctx.state[`file ${name}`];
  return Buffer.isBuffer(file) && file.length > 0 ? file : undefined;
}
