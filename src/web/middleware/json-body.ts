import type { Context, Next } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError, invalid } from '../../errors.ts';
import { watchSpeed } from './minimum-speed.ts';

const defaultMaxBytes = 64 * 1024;
/** 500 rows of 12 fields, and room for mistakes. */
const maxValues = 20_000;
const jsonTypes = ['json', '+json'];

/** Decompresses and bounds the body. Latin-1 keeps each byte as one character, so that UTF-8 is checked below. */
const bytesReader = (maxBytes: number) =>
  koaBody({
    text: true,
    textTypes: jsonTypes,
    textLimit: maxBytes,
    encoding: 'latin1',
    json: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      throw toAppError(error, maxBytes);
    },
  });

const utf8 = new TextDecoder('utf-8', { fatal: true });

type JsonBody = NonNullable<Context['request']['body']>;

interface BodyError extends Error {
  status?: number;
  type?: string;
  code?: string;
}

/** Parses the body of a request as JSON. */
export function jsonBody(maxBytes = defaultMaxBytes) {
  const readBytes = bytesReader(maxBytes);
  return async (ctx: Context, next: Next): Promise<void> => {
    const isEmpty = !ctx.request.length && ctx.get('Transfer-Encoding') === '';
    if (isEmpty) throw badBody('must be a JSON object, but is empty');
    if (!ctx.is(jsonTypes)) {
      throw new AppError(
        'validation_error',
        'The body must be JSON. Send the header Content-Type: application/json.',
        {
          status: 415,
          code: 'unsupported_media_type',
        },
      );
    }
    // Content codings are case-insensitive; koa-body only knows lower case.
    const encoding = ctx.req.headers['content-encoding'];
    if (encoding) ctx.req.headers['content-encoding'] = encoding.toLowerCase();
    const { tooSlow, stop } = watchSpeed(ctx);
    await Promise.race([readBytes(ctx, async () => undefined), tooSlow]).finally(stop);
    const bytes = ctx.request.body as unknown as string;
    ctx.state['bodyBytes'] = bytes;
    ctx.request.body = parse(bytes);
    await next();
  };
}

/** The bytes that `jsonBody` parsed, one character each; empty without a body. */
export function bodyBytesOf(ctx: Context): string {
  return (ctx.state['bodyBytes'] as string | undefined) ?? '';
}

function parse(bytes: string): JsonBody {
  let text: string;
  try {
    text = utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw badBody('must be encoded in UTF-8');
  }
  if (text.trim() === '') throw badBody('must be a JSON object, but is empty');
  if (!hasFewValues(text)) throw badBody(`must have at most ${maxValues} values`);
  try {
    return JSON.parse(text) as JsonBody;
  } catch {
    throw badBody('must be valid JSON');
  }
}

/**
 * Counts commas and opening brackets outside of strings. Counted before parsing: 100,000 fields or levels would block other
 * requests for half a second while they are parsed, copied and checked.
 */
function hasFewValues(text: string): boolean {
  let values = 0;
  let isString = false;
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const char = text[at];
    if (char === '"') isString = !isString;
    else if (isString) at += char === '\\' ? 1 : 0;
    else if (char === ',' || char === '[' || char === '{') values += 1;
  }
  return values <= maxValues;
}

function badBody(message: string): AppError {
  return invalid([{ field: 'body', message }], { code: 'malformed_body' });
}

function toAppError(error: BodyError, maxBytes: number): AppError {
  if (error.status === 413) {
    return new AppError('validation_error', `The body must have at most ${maxBytes} bytes.`, {
      status: 413,
      code: 'payload_too_large',
    });
  }
  if (error.status === 415) {
    return new AppError(
      'validation_error',
      'The Content-Encoding of the body is not supported. Use gzip, deflate, br or none.',
      {
        status: 415,
        code: 'unsupported_media_type',
      },
    );
  }
  if (error.code?.startsWith('Z_') || error.code?.startsWith('ERR_'))
    return badBody('could not be decompressed');
  return badBody('was truncated');
}
