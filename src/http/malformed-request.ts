import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode, ErrorReason } from '../errors.ts';

interface Refusal {
  status: number;
  message: string;
  error?: ErrorCode;
  code?: ErrorReason;
}

/** The same limit as Apache's. Node would silently drop further headers. */
export const maxHeaders = 100;

const slash = 0x2f;

/** How long the socket stays open after the response, so that a client that is still sending reads it instead of a reset. */
const lingerMs = 1_000;

/** By the error code of Node's HTTP parser. Any other code is `notHttp`. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too long. The limit is 16 KB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too long.' },
  HPE_INVALID_METHOD: { status: 400, message: 'Unknown HTTP method.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request took too long to arrive.',
    code: 'request_timeout',
  },
};
const notHttp: Refusal = { status: 400, message: 'The request is not valid HTTP.' };
const tooManyHeaders: Refusal = {
  status: 431,
  message: `The request has too many headers. The limit is ${maxHeaders}.`,
};
const noHost: Refusal = { status: 400, message: 'The request has no Host header.' };
const badTarget: Refusal = {
  status: 400,
  message: 'The request target must be a path or a URL that starts with http:// or https://.',
};
const twoHosts: Refusal = { status: 400, message: 'The request has more than one Host header.' };

/** Why a request that Node could parse is refused before it is handled. */
export function findRefusal({ url = '', rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined {
  if (rawHeaders.length > 2 * maxHeaders) return tooManyHeaders;
  if (url.charCodeAt(0) !== slash && url !== '*' && !/^https?:\/\//i.test(url)) return badTarget;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 1) return undefined;
  if (hosts > 1) return twoHosts;
  return httpVersion === '1.1' ? noHost : undefined;
}

/** Responds in the format of all errors and closes the connection. */
export function refuse(res: ServerResponse, refusal: Refusal): void {
  const { headers, body } = responseOf(refusal);
  res.shouldKeepAlive = false;
  res.writeHead(refusal.status, headers);
  res.end(body);
}

const failure: Refusal = {
  status: 500,
  error: 'internal_error',
  message: 'Something went wrong on our side. Try again later.',
};

/** For a request whose handler threw: a 500, or a closed connection if a response has already started. */
export function sendInternalError(res: ServerResponse): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  const { headers, body } = responseOf(failure);
  res.writeHead(failure.status, headers);
  res.end(body);
}

const refused = new WeakSet<Duplex>();

/** Like `refuse`, for input that Node could not parse as a request. */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  extraHeaders: Record<string, string> = {},
): void {
  // Further errors of input that was already refused.
  if (refused.has(socket) && error.code !== 'ECONNRESET' && error.code !== 'HPE_INVALID_EOF_STATE') return;
  // The client has gone, or a response has already started.
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const refusal = refusals[error.code ?? ''] ?? notHttp;
  const { headers, body } = responseOf(refusal);
  const lines = Object.entries({ ...headers, ...extraHeaders, Connection: 'close' });
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      ...lines.map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  );
  // A client that leaves its half open must not keep the connection.
  const closing = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(closing));
}

function responseOf({ message, error = 'validation_error', code }: Refusal): {
  headers: Record<string, string>;
  body: string;
} {
  const requestId = randomUUID();
  const body = JSON.stringify({ error, ...(code !== undefined && { code }), message, requestId });
  return {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
    },
    body,
  };
}

/** Node keeps the response in progress on the socket, and none between two responses. */
function isResponding(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return typeof response === 'object' && response !== null && Reflect.get(response, 'headersSent') === true;
}
