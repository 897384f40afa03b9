import type { Context, Next } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError, invalid } from '../../errors.ts';
import { slotWantedOf } from './caller.ts';

const defaultMaxBytes = 64 * 1024;
/** 500 rows of 12 fields, and room for mistakes. */
const maxValues = 20_000;
const jsonTypes = ['json', '+json'];

/** Decompresses and bounds the body. Latin-1 keeps each byte as one character, so that UTF-8 is checked below. */
const textReader = (maxBytes: number) =>
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
export function jsonBody(maxBytes = defaultMaxBytes, { isOptional = false } = {}) {
  const readText = textReader(maxBytes);
  return async (ctx: Context, next: Next): Promise<void> => {
    const isEmpty = !ctx.request.length && ctx.get('Transfer-Encoding') === '';
    if (isEmpty && isOptional) {
      ctx.request.body = {};
      return next();
    }
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
    await Promise.race([readText(ctx, async () => undefined), tooSlow]).finally(stop);
    const bytes = ctx.request.body as unknown as string;
    ctx.state['bodyBytes'] = bytes;
    ctx.request.body = parse(bytes);
    return next();
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

interface Minimum {
  bytes: number;
  seconds: number;
}

/** 26 kbit/s: the slowest phones get a logo through. */
const minimum: Minimum = { bytes: 16 * 1024, seconds: 5 };
/** 400 kbit/s, while all slots are taken and somebody else waits for one. */
const wantedMinimum: Minimum = { bytes: 150 * 1024, seconds: 3 };

/**
 * Rejects when the body of a request that has one of the few slots arrives too slowly. A few accounts that send slowly would
 * otherwise keep everybody else from uploading.
 */
function watchSpeed(ctx: Context): { tooSlow: Promise<never>; stop(): void } {
  const isWanted = slotWantedOf(ctx);
  const { socket } = ctx.req;
  /** What had arrived at each second, the newest first. */
  const received = [socket.bytesRead];
  const isBelow = ({ bytes, seconds }: Minimum) => {
    const [now = 0] = received;
    const before = received[seconds];
    return before !== undefined && now - before < bytes;
  };
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_resolve, reject) => {
    if (!isWanted) return;
    timer = setInterval(() => {
      received.unshift(socket.bytesRead);
      received.splice(minimum.seconds + 1);
      if (isBelow(minimum) || (isBelow(wantedMinimum) && isWanted())) reject(slowBody());
    }, 1_000).unref();
  });
  return { tooSlow, stop: () => clearInterval(timer) };
}

const slowBody = () =>
  new AppError('validation_error', 'The upload was too slow. Try again with a faster connection.', {
    status: 408,
    code: 'request_timeout',
  });
