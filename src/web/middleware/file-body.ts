import type { Context, Next } from 'koa';
import { AppError, invalid } from '../../errors.ts';
import { watchSpeed } from './minimum-speed.ts';

const defaultMaxBytes = 64 * 1024;

/**
 * Reads a body into memory, which has to be bounded by slots. The HTTP server bounds the time. A body that says it is too
 * large is not read.
 */
export async function readBytes(
  ctx: Context,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer<ArrayBuffer>> {
  const refusal = () =>
    new AppError('validation_error', tooLarge, { status: 413, code: 'payload_too_large' });
  const { req } = ctx;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw refusal();
  const parts: Buffer[] = [];
  let bytes = 0;
  // Not destroyed by an early end, so that the client gets the response.
  const body = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const { tooSlow, stop } = watchSpeed(ctx);
  try {
    for (;;) {
      const { value: part, done } = await Promise.race([body.next(), tooSlow]);
      if (done) break;
      bytes += part.length;
      if (bytes > maxBytes) throw refusal();
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : invalid([{ field: 'body', message: 'was truncated' }], { code: 'malformed_body' });
  } finally {
    stop();
  }
  return Buffer.concat(parts);
}

/** Reads the body as a file, whatever its media type. */
export function fileBody(maxBytes = defaultMaxBytes) {
  const tooLarge = `The body must have at most ${maxBytes} bytes.`;
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase()))
      throw new AppError('validation_error', 'A file must be sent without Content-Encoding.', {
        status: 415,
        code: 'unsupported_media_type',
      });
    ctx.state['fileBody'] = await readBytes(ctx, maxBytes, tooLarge);
    await next();
  };
}

export function fileOf(ctx: Context): Buffer {
  const bytes: unknown = ctx.state['fileBody'];
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
}
