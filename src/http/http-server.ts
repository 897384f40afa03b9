import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, Socket } from 'node:net';
import { Writable } from 'node:stream';
import { SetupError } from '../errors.ts';
import { type CutReason, limitConnections } from './connections.ts';
import { findRefusal, maxHeaders, refuse, refuseMalformed, sendInternalError } from './malformed-request.ts';

const hardCloseAfterMs = 10_000;
/** How long a server that stops may go on accepting connections while more of them arrive. */
const acceptLimitMs = 500;
const hstsName = 'Strict-Transport-Security';
const hstsValue = 'max-age=31536000';

/** Timeouts for clients, and bounds on what is kept in memory for them. */
const defaultLimits = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the 60 s of load balancers: the side that sends requests must close first, or requests get lost. */
  keepAliveTimeout: 75_000,
  maxConnections: 8_000,
  maxWaitingRequests: 32,
  maxUnsentBytes: 64 * 1024 * 1024,
  stallMs: 30_000,
  minReadBytes: 32 * 1024,
  responseMs: 120_000,
  checkEveryMs: 1_000,
  /** Enough for the rest of any body that a page accepts, over a slow connection. */
  lingerMs: 5_000,
  lingerBytes: 16 * 1024 * 1024,
};

export interface HttpServer {
  port: number;
  isDraining(): boolean;
  /** Accepts no new connections and closes each open one after its next response. */
  drain(): Promise<void>;
}

interface HttpServerOptions {
  port: number;
  host: string | undefined;
  /** Connections that are still idle this long after the drain began are closed. */
  idleGraceMs: number;
  /** The environment variable that sets the port, for the error message. */
  variable?: string;
  limits?: Partial<typeof defaultLimits>;
  /** Send Strict-Transport-Security, because the service is reached over https. */
  hsts?: boolean;
  onCut?: (reason: CutReason) => void;
  /** Called with what a handler threw. The client gets a 500. */
  onFailure?: (error: unknown) => void;
}

export async function openHttpServer(
  handle: RequestListener,
  {
    port,
    host,
    idleGraceMs,
    variable = 'PORT',
    limits: changes = {},
    hsts = false,
    onCut = () => undefined,
    onFailure = () => undefined,
  }: HttpServerOptions,
): Promise<HttpServer> {
  const limits = { ...defaultLimits, ...changes };
  let draining = false;
  const respond: RequestListener = (req, res) => {
    if (draining) res.shouldKeepAlive = false;
    if (hasBody(req)) discardUnreadBody(req, res, limits);
    try {
      const refusal = findRefusal(req);
      if (refusal) refuse(res, refusal);
      else handle(req, res);
    } catch (error) {
      onFailure(error);
      sendInternalError(res);
    }
  };
  const server = createServer({
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: limits.connectionsCheckingInterval,
    keepAliveTimeout: limits.keepAliveTimeout,
    // We refuse it ourselves, in the format of all our errors.
    requireHostHeader: false,
    ...(hsts && { ServerResponse: HstsResponse }),
  });
  // One more than we accept, to detect that there were too many.
  server.maxHeadersCount = maxHeaders + 1;
  const { listener, stop: stopChecking } = limitConnections(server, respond, limits, onCut);
  server.on('request', listener);
  // Node would respond 417 by itself. HTTP allows a server to ignore an Expect header that it does not know.
  server.on('checkExpectation', listener);
  const malformedHeaders: Record<string, string> = hsts ? { [hstsName]: hstsValue } : {};
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, malformedHeaders));
  await listen(server, port, host, variable);
  return {
    port: (server.address() as AddressInfo).port,
    isDraining: () => draining,
    drain() {
      draining = true;
      return new Promise((resolve) => {
        whenAccepted(server, () => {
          // Not http.Server's own close, which closes idle connections at once and loses requests that are on their way.
          NetServer.prototype.close.call(server, () => {
            clearInterval(closing);
            stopChecking();
            resolve();
          });
        });
        const startedAt = Date.now();
        const closing = setInterval(() => {
          const waitedMs = Date.now() - startedAt;
          if (waitedMs > hardCloseAfterMs) server.closeAllConnections();
          else if (waitedMs >= idleGraceMs) afterPolling(() => server.closeIdleConnections());
        }, 25);
      });
    },
  };
}

/**
 * Lets the event loop accept and read what has arrived. After a delay, connections wait to be accepted and requests to be
 * read; closing their socket would reset them, and a balancer does not repeat a POST.
 */
function afterPolling(work: () => void): void {
  // The first one may run before the next poll.
  setImmediate(() => setImmediate(work));
}

/**
 * Waits until no connection arrives during a turn of the event loop. Closing the socket resets those that have not been
 * accepted, of which a turn accepts one or two; after a delay, there are many.
 */
function whenAccepted(server: Server, work: () => void): void {
  const deadline = performance.now() + acceptLimitMs;
  let hasAccepted = false;
  const noteConnection = () => {
    hasAccepted = true;
  };
  const check = () => {
    if (hasAccepted && performance.now() < deadline) {
      hasAccepted = false;
      afterPolling(check);
    } else {
      server.off('connection', noteConnection);
      work();
    }
  };
  server.on('connection', noteConnection);
  afterPolling(check);
}

function listen(server: Server, port: number, host: string | undefined, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === 'EADDRINUSE';
      reject(isInUse ? new SetupError(`Port ${port} is in use. Set ${variable} to a free port.`) : error);
    });
    server.listen({ port, host }, resolve);
  });
}

/** Adds the header to every response. The scan lane passes its headers as an array; extending that stays the fast path. */
class HstsResponse extends ServerResponse {
  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    const write = super.writeHead as (...args: unknown[]) => this;
    if (Array.isArray(reason)) return write.call(this, status, reason.concat(hstsName, hstsValue));
    this.setHeader(hstsName, hstsValue);
    return write.call(this, status, reason, headers);
  }
}

interface UnreadBodyLimits {
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
function discardUnreadBody(req: IncomingMessage, res: ServerResponse, limits: UnreadBodyLimits): void {
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

function hasBody({ rawHeaders }: IncomingMessage): boolean {
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
