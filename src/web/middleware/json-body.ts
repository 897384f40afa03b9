import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, invalid } from '../../errors.ts';

const mostBytes = 64 * 1024;
const jsonTypes = ['json', '+json'];

/** Reads the bytes, unpacked and not too many: one character a byte, so that what they mean is decided here. */
const readBytes = koaBody({
  text: true,
  textTypes: jsonTypes,
  textLimit: mostBytes,
  encoding: 'latin1',
  json: false,
  urlencoded: false,
  multipart: false,
  onError: (error) => {
    throw explain(error);
  },
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

type JsonBody = NonNullable<Context['request']['body']>;

interface HttpishError extends Error {
  status?: number;
  type?: string;
  code?: string;
}

/** Reads a JSON body, and nothing else, for the routes that take one. */
export async function jsonBody(ctx: Context, next: Next): Promise<void> {
  const isEmpty = !ctx.request.length && ctx.get('Transfer-Encoding') === '';
  if (isEmpty) throw badBody('must be a JSON object, and is empty');
  if (!ctx.is(jsonTypes)) {
    throw new AppError(
      'validation_error',
      'The body must be JSON: send the header Content-Type: application/json.',
      {
        status: 415,
      },
    );
  }
  // The names of codings are the same in capital letters; the library knows the small ones.
  const coding = ctx.req.headers['content-encoding'];
  if (coding) ctx.req.headers['content-encoding'] = coding.toLowerCase();
  await readBytes(ctx, async () => undefined);
  ctx.request.body = parse(ctx.request.body as unknown as string);
  await next();
}

function parse(bytes: string): JsonBody {
  let text: string;
  try {
    text = utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw badBody('must be encoded in UTF-8');
  }
  if (text.trim() === '') throw badBody('must be a JSON object, and is empty');
  try {
    return JSON.parse(text) as JsonBody;
  } catch {
    throw badBody('must be valid JSON');
  }
}

function badBody(message: string): AppError {
  return invalid([{ field: 'body', message }]);
}

function explain(error: HttpishError): AppError {
  if (error.status === 413) {
    return new AppError('validation_error', `The body must have at most ${mostBytes} bytes.`, {
      status: 413,
    });
  }
  if (error.status === 415) {
    return new AppError(
      'validation_error',
      'The Content-Encoding of the body is not known: use gzip, deflate, br or none.',
      {
        status: 415,
      },
    );
  }
  if (error.code?.startsWith('Z_') || error.code?.startsWith('ERR_'))
    return badBody('could not be decompressed');
  return badBody('was cut off');
}
