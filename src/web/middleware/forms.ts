import { MIMEType } from 'node:util';
import type { Context, Middleware, Next } from 'koa';
import { koaBody } from 'koa-body';
import { createTokenBuckets } from '../../runtime/token-buckets.ts';
import { maxFileBytes, maxLogoBytes } from '../../codes/files/upload.ts';
import { AppError } from '../../errors.ts';
import { parseQuery, parseUrl } from '../../http/parse-url.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import type { Reads } from '../../store/reads.ts';
import { signedIn } from './session.ts';
import { readBytes } from './body.ts';
import { callerAddress, inTurn } from './caller.ts';
import { needUser } from './guards.ts';
import type { Services } from '../services.ts';

/** Bytes of a form without a file. In a form with one, the same limit applies to each other field, to all of them, and to what is between them. */
const maxFormBytes = 64 * 1024;
const maxFields = 200;
/** Per hour. A whole office may share one address. */
const maxFormsPerAddress = 2_000;
/** Sent while typing. On their own, so that saving is never refused because of them. */
const previewPaths = /^\/codes\/(?:preview|(?:styles\/)?[\w-]{1,64}\/design\/preview)$/;
const maxPreviewsPerAddress = 20_000;

/** Read as text: koa-body's own parser takes 50 ms and more for 64 KB of brackets, dots or broken UTF-8. */
const readText = koaBody({
  text: true,
  textTypes: ['urlencoded'],
  textLimit: maxFormBytes,
  json: false,
  urlencoded: false,
  multipart: false,
  onError: (error) => {
    const isTooLarge = 'status' in error && error.status === 413;
    throw new AppError('validation_error', isTooLarge ? 'The form is too large.' : 'The form is malformed.', {
      status: isTooLarge ? 413 : 400,
    });
  },
});

/** Parses posted forms, and refuses those from other sites and those over the rate limit. */
export function forms({
  config,
  secrets,
  sessions,
  uploads,
}: Pick<Services, 'config' | 'secrets' | 'sessions' | 'uploads'>): Middleware {
  const receiveInTurn = inTurn(uploads);
  const ownHost = new URL(config.baseUrl).host;
  // In memory, per process: refusing a form must not cost a query.
  const formBuckets = createTokenBuckets(maxFormsPerAddress);
  const previewBuckets = createTokenBuckets(maxPreviewsPerAddress);

  function rateLimit(ctx: Context): void {
    const buckets = previewPaths.test(ctx.path) ? previewBuckets : formBuckets;
    const waitMs = buckets.take(secrets.hashAddress(callerAddress(ctx, config.trustProxyHops)));
    if (waitMs > 0) throw tooManyForms(waitMs);
  }

  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    const isMultipart = hasFile(ctx);
    if (!isMultipart && !ctx.is('urlencoded'))
      throw new AppError('validation_error', 'This page only accepts forms.', { status: 415 });
    if (isCrossOrigin(ctx, ownHost)) throw refusal('It was sent from another site.');
    // So much is read from users only.
    if (isMultipart) return needUser(ctx, () => acceptUpload(ctx, next));
    await readText(ctx, async () => undefined);
    ctx.request.body = parseForm(ctx.request.body);
    requireToken(ctx);
    rateLimit(ctx);
    return next();
  };

  /** Limited before it is read: an upload takes one of few slots. */
  function acceptUpload(ctx: Context, next: Next): Promise<void> {
    rateLimit(ctx);
    return receiveInTurn(ctx, async () => {
      ctx.request.body = await readMultipart(ctx);
      requireToken(ctx);
      await next();
    });
  }

  function requireToken(ctx: Context): void {
    // Pages that were opened before an upgrade from 0.1.0 send it as `formToken`.
    const csrf = sessions.checkCsrf(ctx, field(ctx, 'csrfToken') || field(ctx, 'formToken'));
    if (csrf === 'invalid')
      throw refusal('The page was open for too long, or cookies are disabled. Open it again and repeat.');
    if (csrf === 'other account')
      throw refusal('You have since signed in with a different account. Open the page again and repeat.');
  }
}

/** A field that was sent twice is ignored, and so are those after the first 200. */
export function parseForm(text: unknown): Record<string, string> {
  const pairs = typeof text === 'string' ? text.split('&', maxFields) : [];
  const fields = parseQuery(pairs.join('&'));
  const single = [...fields].flatMap(([name, [value = '', ...more]]) =>
    more.length === 0 ? [[name, value]] : [],
  );
  return Object.assign(Object.create(null), Object.fromEntries(single)) as Record<string, string>;
}

/** A field of the posted form, or an empty string. */
export function field(ctx: Context, name: string): string {
  const form: unknown = ctx.request.body;
  const value = typeof form === 'object' && form !== null ? Reflect.get(form, name) : undefined;
  return typeof value === 'string' ? value : '';
}

/** For requests without a CSRF token: only these headers show that they come from one of our pages. */
export function isSameOrigin(ctx: Context, ownHost: string): boolean {
  const hasHeader = ctx.get('Sec-Fetch-Site') !== '' || ctx.get('Origin') !== '';
  return hasHeader && !isCrossOrigin(ctx, ownHost);
}

// Browsers set these headers, and a page cannot change them.
function isCrossOrigin(ctx: Context, ownHost: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site && site !== 'same-origin') return true;
  const origin = ctx.get('Origin');
  if (origin === '') return false;
  const host = parseUrl(origin)?.host ?? '';
  return host !== ctx.host && host !== ownHost;
}

function tooManyForms(waitMs: number): AppError {
  return new AppError('rate_limited', 'Too many forms were sent from your address. Try again later.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  });
}

function refusal(reason: string): AppError {
  return new AppError('validation_error', `The form was not accepted. ${reason}`, { status: 403 });
}

/** The pages whose form has a file, and how large it may be. Only these accept so much. */
const pages: [path: RegExp, maxBytes: number][] = [
  // With a logo of the code and one of its page.
  [/^\/codes\/new(?:\/file)?$/, maxFileBytes + 2 * maxLogoBytes],
  [/^\/codes\/[\w-]{1,64}\/(?:design(?:\/preview|\/style)?|page-logo)$/, maxLogoBytes],
  [/^\/codes\/brand$/, maxLogoBytes],
  [/^\/codes\/styles\/(?:new|[\w-]{1,64}\/design(?:\/preview)?)$/, maxLogoBytes],
  [/^\/codes\/[\w-]{1,64}\/(?:file|photo)$/, maxFileBytes],
];
/** What browsers send for a file has some 200 bytes. */
const maxPartHeaderBytes = 4 * 1024;
/** The characters of RFC 2046, without the space. */
const boundaryPattern = /^[\w'()+,./:=?-]{1,70}$/;

const malformed = () => new AppError('validation_error', 'The form is malformed.', { status: 400 });

const maxBytesOf = (ctx: Context) => pages.find(([path]) => path.test(ctx.path))?.[1];

function hasFile(ctx: Context): boolean {
  return maxBytesOf(ctx) !== undefined && typeof ctx.is('multipart/form-data') === 'string';
}

interface UploadedFile {
  /** As the browser says. */
  name: string;
  type: string;
  bytes: Buffer;
}

/** Parses a form with a file. A field that was sent twice is ignored, as in other forms. */
async function readMultipart(ctx: Context): Promise<Record<string, string>> {
  const maxBytes = maxBytesOf(ctx) ?? 0;
  const tooLarge = `The file is too large. Choose one with at most ${maxBytes / bytesPerMb} MB.`;
  const body = await readBytes(ctx, maxBytes + maxFormBytes, tooLarge);
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
  if (Buffer.byteLength(value) > maxFormBytes)
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

/** After a form was accepted, and before the browser learns of it: the next list must show the change. */
export function markChanges(reads: Reads) {
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    const user = signedIn(ctx);
    if (user && ctx.method === 'POST' && ctx.status < 400) await reads.codesChanged(user.id);
  };
}
