import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';

export interface UnreadBodyLimits {
  /** How long a client may go on sending a body after the response to it. */
  lingerMs: number;
  /** How much of it. */
  lingerBytes: number;
}

/**
 * Takes what a handler leaves of a body off the connection, so that whoever reads a body may stop at any point. Otherwise
 * the next request is stuck behind the rest, and a proxy sends the requests of other people on the same connection.
 *
 * - All of the body has arrived when the response starts: the rest is discarded, and the connection is kept.
 * - More is to come, and nobody knows when: the response says `Connection: close`. The socket is closed when the body has
 *   arrived, or at a limit. Closed at once, it would be reset, and a client that is still sending would lose the response.
 *
 * What the request was piped to, such as a decompressor, ends with the response, and never with an uncaught error.
 *
 * Only for requests with a body: a listener on every response would make redirects 10% slower.
 */
export function discardUnreadBody(req: IncomingMessage, res: ServerResponse, limits: UnreadBodyLimits): void {
  const { socket } = req;
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  let isLast = false;
  res.writeHead = (...args: unknown[]) => {
    if (!req.complete) {
      isLast = true;
      res.shouldKeepAlive = false;
      // Node calls it after the last response of a connection. Here the socket stays open to read.
      socket.destroySoon = () => socket.end();
    }
    return writeHead(...args);
  };
  stopReadersAfter(req, res);
  res.once('finish', () => {
    discard(req);
    if (isLast) closeAfter(req, limits);
  });
}

const letterC = 0x63;
const letterT = 0x74;

export function hasBody({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // By length and first letter before all of it: this runs for every redirect.
    const first = name.charCodeAt(0) | 0x20;
    if (name.length === 14 && first === letterC && name.toLowerCase() === 'content-length')
      return rawHeaders[index + 1] !== '0';
    if (name.length === 17 && first === letterT && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

/**
 * A reader that stops at a limit takes its listeners off the decompressor, into which the request goes on flowing. The reader
 * hears of errors while it listens; later ones concern nobody.
 */
function stopReadersAfter(req: IncomingMessage, res: ServerResponse): void {
  const pipe = req.pipe.bind(req);
  req.pipe = (target, options) => {
    target.on('error', () => undefined);
    // Also where the client has gone away before the response.
    res.once('close', () => {
      req.unpipe(target);
      if (target instanceof Writable) target.destroy();
    });
    return pipe(target, options);
  };
}

/** A reader that failed may have left it piped, paused, or with a listener that keeps it from flowing. */
function discard(req: IncomingMessage): void {
  req.unpipe();
  req.removeAllListeners('data');
  req.removeAllListeners('readable');
  req.resume();
}

function closeAfter(req: IncomingMessage, { lingerMs, lingerBytes }: UnreadBodyLimits): void {
  const { socket } = req;
  const closeNow = () => socket.destroy();
  const closeWhenSent = () => Socket.prototype.destroySoon.call(socket);
  if (req.readableEnded) return closeWhenSent();
  const timer = setTimeout(closeNow, lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  const lastByte = socket.bytesRead + lingerBytes;
  req.on('data', () => {
    if (socket.bytesRead > lastByte) closeNow();
  });
  req.once('end', closeWhenSent);
}
