import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, invalid } from '../../errors.ts';

const mostBytes = 64 * 1024;

const parse = koaBody({
  jsonLimit: mostBytes,
  jsonStrict: false,
  includeUnparsed: true,
  text: false,
  urlencoded: false,
  multipart: false,
  parsedMethods: ['POST', 'PATCH'] as never,
  onError: (error) => {
    throw explain(error);
  },
});

interface HttpishError extends Error {
  status?: number;
  type?: string;
  code?: string;
}

/** Reads a JSON body, and nothing else, for the routes that take one. */
export async function jsonBody(ctx: Context, next: Next): Promise<void> {
  if (!ctx.is('json', '+json')) {
    throw new AppError(
      'validation_error',
      'The body must be JSON: send the header Content-Type: application/json.',
      {
        status: 415,
      },
    );
  }
  await parse(ctx, async () => undefined);
  const { rawBody } = ctx.request;
  if (typeof rawBody !== 'string' || rawBody.trim() === '') {
    throw invalid([{ field: 'body', message: 'must be a JSON object, and is empty' }]);
  }
  if (wasNotUtf8(ctx, rawBody)) throw invalid([{ field: 'body', message: 'must be encoded in UTF-8' }]);
  await next();
}

/** The parser puts U+FFFD, three bytes long, where bytes made no sense: then the lengths do not agree. */
function wasNotUtf8(ctx: Context, rawBody: string): boolean {
  const sent = ctx.request.length;
  const plain = (ctx.get('Content-Encoding') || 'identity') === 'identity';
  return plain && sent !== undefined && rawBody.includes('\ufffd') && Buffer.byteLength(rawBody) !== sent;
}

function explain(error: HttpishError): AppError {
  if (error.status === 413 || error.type === 'entity.too.large') {
    return new AppError('validation_error', `The body must have at most ${mostBytes} bytes.`, {
      status: 413,
    });
  }
  if (error.status === 415) {
    return new AppError(
      'validation_error',
      'The Content-Encoding of the body is not known: use gzip, deflate or none.',
      {
        status: 415,
      },
    );
  }
  if (error.type === 'request.aborted' || error.type === 'request.size.invalid') {
    return new AppError('validation_error', 'The body was cut off.', { cause: error });
  }
  if (error.code?.startsWith('Z_')) {
    return new AppError('validation_error', 'The body could not be decompressed.', { cause: error });
  }
  const proto = /forbidden prototype/.test(error.message);
  return invalid([
    { field: proto ? '__proto__' : 'body', message: proto ? 'is not known here' : 'must be valid JSON' },
  ]);
}
