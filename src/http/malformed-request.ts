import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../errors.ts';

interface Refusal {
  status: number;
  message: string;
  error?: ErrorCode;
}

/** Apache's limit too. Node would drop further ones in silence. */
export const maxHeaders = 100;

const slash = 0x2f;

/** So long a client may go on sending what nobody reads, so that it finds the answer and not a reset. */
const lingerMs = 1_000;

/** What Node's parser would not read, by its code; anything else is simply no HTTP. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too long: 16 KB at most.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too long.' },
  HPE_INVALID_METHOD: { status: 400, message: 'This is no method of HTTP.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
};
const noHttp: Refusal = { status: 400, message: 'The request could not be read as HTTP.' };
const tooManyHeaders: Refusal = {
  status: 431,
  message: `There are too many headers: ${maxHeaders} at most.`,
};
const noHost: Refusal = { status: 400, message: 'The request has no Host header.' };
const noTarget: Refusal = {
  status: 400,
  message: 'The request must name a path, or an address that starts with http:// or https://.',
};
const twoHosts: Refusal = { status: 400, message: 'The request has more than one Host header.' };

/** Why a request that Node could read is refused before anybody looks at what it asks for. */
export function refusalOf({ url = '', rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined {
  if (rawHeaders.length > 2 * maxHeaders) return tooManyHeaders;
  if (url.charCodeAt(0) !== slash && url !== '*' && !/^https?:\/\//i.test(url)) return noTarget;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 1) return undefined;
  if (hosts > 1) return twoHosts;
  return httpVersion === '1.1' ? noHost : undefined;
}

/** Answers in the form that every error has, and ends the connection. */
export function refuse(res: ServerResponse, refusal: Refusal): void {
  const { headers, body } = answerOf(refusal);
  res.shouldKeepAlive = false;
  res.writeHead(refusal.status, headers);
  res.end(body);
}

const failure: Refusal = {
  status: 500,
  error: 'internal_error',
  message: 'Something went wrong on our side. Try again later.',
};

/** For a request whose handler threw: an answer where none has begun, else the end of its connection. */
export function sendInternalError(res: ServerResponse): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  const { headers, body } = answerOf(failure);
  res.writeHead(failure.status, headers);
  res.end(body);
}

const refused = new WeakSet<Duplex>();

/** The same for what never became a request. */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  extraHeaders: Record<string, string> = {},
): void {
  // The rest of what was refused already.
  if (refused.has(socket) && error.code !== 'ECONNRESET' && error.code !== 'HPE_INVALID_EOF_STATE') return;
  // Nobody is there any more, or an answer was begun already.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const refusal = refusals[error.code ?? ''] ?? noHttp;
  const { headers, body } = answerOf(refusal);
  const lines = Object.entries({ ...headers, ...extraHeaders, Connection: 'close' });
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      ...lines.map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  );
  // A client that does not close its half must not keep ours.
  const closing = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(closing));
}

function answerOf({ message, error = 'validation_error' }: Refusal): {
  headers: Record<string, string>;
  body: string;
} {
  const requestId = randomUUID();
  const body = JSON.stringify({ error, message, requestId });
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

/** Node keeps the answer under way on the socket; one that was sent whole before is no reason for silence. */
function isAnswering(socket: Duplex): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'headersSent') === true;
}
