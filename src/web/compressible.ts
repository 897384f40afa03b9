import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Next } from 'koa';
import { once } from '../runtime/once.ts';

/** Smallest first: browsers list several without a preference. */
const encodings = ['br', 'gzip'] as const;

/** A response that is the same for everybody, in memory. */
export interface Compressible {
  type: string;
  bytes: Buffer;
  /** Compressed at the first request for it, off the event loop. Missing where that would save nothing. */
  compress?: Record<(typeof encodings)[number], () => Promise<Buffer>>;
}

export function compressible(type: string, bytes: Buffer): Compressible {
  const compress = {
    br: once(() => promisify(brotliCompress)(bytes)),
    gzip: once(() => promisify(gzip)(bytes, { level: 9 })),
  };
  return { type, bytes, compress };
}

export function incompressible(type: string, bytes: Buffer): Compressible {
  return { type, bytes };
}

/** In the best encoding that the client accepts. */
export async function sendCompressed(ctx: Context, { type, bytes, compress }: Compressible): Promise<void> {
  ctx.type = type;
  ctx.body = bytes;
  if (!compress) return;
  ctx.vary('Accept-Encoding');
  const encoding = acceptedEncoding(ctx);
  if (!encoding) return;
  ctx.set('Content-Encoding', encoding);
  ctx.body = await compress[encoding]();
}

function acceptedEncoding(ctx: Context) {
  return encodings.find((each) => ctx.acceptsEncodings(each));
}

const leastLength = 1_000;
/** Quick: the page is for one visitor, who waits for it. */
const compressPage = {
  br: (page: string) => promisify(brotliCompress)(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (page: string) => promisify(gzip)(page, { level: 5 }),
};

/**
 * Compresses pages, except those that other sites could have chosen a part of. Where their input is beside somebody's data,
 * the length of the compressed page would tell whoever watches the network what else is on it (BREACH). Nothing of a path is
 * shown on a page.
 */
export async function compressPages(ctx: Context, next: Next): Promise<void> {
  await next();
  const { body } = ctx;
  if (typeof body !== 'string' || body.length < leastLength || !ctx.response.is('html')) return;
  // Always, so that responses to different requests have the same headers.
  ctx.vary('Accept-Encoding');
  if (ctx.method !== 'GET' || (ctx.querystring !== '' && !isFromOurPages(ctx))) return;
  const encoding = acceptedEncoding(ctx);
  if (!encoding) return;
  ctx.set('Content-Encoding', encoding);
  ctx.body = await compressPage[encoding](body);
}

/**
 * Scripts cannot set the header, and browsers count every redirect on the way. Where it is missing, as in old browsers and without
 * HTTPS, the request may come from anywhere.
 */
function isFromOurPages(ctx: Context): boolean {
  return ctx.get('Sec-Fetch-Site') === 'same-origin';
}
