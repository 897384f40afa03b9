import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Context } from 'koa';

/** Smallest first: browsers list several without a preference. */
const encodings = ['br', 'gzip'] as const;

/**
 * A response that is the same for everybody, in memory. Pages for one user are not compressed: they contain CSRF tokens next
 * to user input, and their length would leak the tokens (BREACH).
 */
export interface Compressible {
  type: string;
  bytes: Buffer;
  /** Compressed at the first request for it, off the event loop. */
  compress: Record<(typeof encodings)[number], () => Promise<Buffer>>;
}

export function compressible(type: string, bytes: Buffer): Compressible {
  const compress = {
    br: once(() => promisify(brotliCompress)(bytes)),
    gzip: once(() => promisify(gzip)(bytes, { level: 9 })),
  };
  return { type, bytes, compress };
}

/** In the best encoding that the client accepts. */
export async function sendCompressed(ctx: Context, { type, bytes, compress }: Compressible): Promise<void> {
  ctx.vary('Accept-Encoding');
  ctx.type = type;
  const encoding = encodings.find((each) => ctx.acceptsEncodings(each));
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.body = encoding ? await compress[encoding]() : bytes;
}

/** Makes the value once; after a failure, the next call tries again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
