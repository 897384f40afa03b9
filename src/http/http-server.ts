import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { type CutReason, limitConnections } from './connections.ts';
import { SetupError } from '../errors.ts';
import { sendInternalError, maxHeaders, refusalOf, refuse, refuseMalformed } from './malformed-request.ts';

const hardCloseAfterMs = 10_000;
const hstsName = 'Strict-Transport-Security';
const hstsValue = 'max-age=31536000';

/** How long somebody may take to ask, and what may be held for them. */
const usualLimits = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the 60 s for which balancers keep theirs: who closes first must be the one that sends requests. */
  keepAliveTimeout: 75_000,
  maxConnections: 8_000,
  maxWaitingRequests: 32,
  maxUnsentBytes: 64 * 1024 * 1024,
  stallMs: 30_000,
  answerMs: 120_000,
  checkEveryMs: 1_000,
};

export interface HttpServer {
  port: number;
  isDraining(): boolean;
  /** Takes no new connections, answers what is asked on the open ones, each answer the last of its connection. */
  drain(): Promise<void>;
}

interface HttpServerOptions {
  port: number;
  host: string | undefined;
  /** A connection still silent this long after the drain began is closed; one in use is closed by its next answer. */
  idleGraceMs: number;
  /** Where the port was set. */
  variable?: string;
  limits?: Partial<typeof usualLimits>;
  /** Whether the world reaches us by https, and browsers may insist on it. */
  hsts?: boolean;
  onCut?: (reason: CutReason) => void;
  /** Told of what a handler threw; its client has been answered. */
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
  const limits = { ...usualLimits, ...changes };
  let draining = false;
  const answer: RequestListener = (req, res) => {
    if (draining) res.shouldKeepAlive = false;
    try {
      const refusal = refusalOf(req);
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
    // Refused in our own form.
    requireHostHeader: false,
    ...(hsts && { ServerResponse: HstsResponse }),
  });
  // One more than we take, to tell that there were too many.
  server.maxHeadersCount = maxHeaders + 1;
  const { listener, stop: stopChecking } = limitConnections(server, answer, limits, onCut);
  server.on('request', listener);
  // Node would refuse it by itself, in no form of ours. HTTP lets a server pass over what it does not know to expect.
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
        // Not the http server's own close: that cuts idle connections at once, and with them a request just on its way.
        NetServer.prototype.close.call(server, () => {
          clearInterval(closing);
          stopChecking();
          resolve();
        });
        const startedAt = Date.now();
        const closing = setInterval(() => {
          const waitedMs = Date.now() - startedAt;
          if (waitedMs > hardCloseAfterMs) server.closeAllConnections();
          else if (waitedMs >= idleGraceMs) server.closeIdleConnections();
        }, 25);
      });
    },
  };
}

function listen(server: Server, port: number, host: string | undefined, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new SetupError(`Port ${port} is taken. Set ${variable} to a free one.`) : error);
    });
    server.listen({ port, host }, resolve);
  });
}

/** Every answer passes here, whoever writes it. The lane gives its headers as an array, which stays the quick way. */
class HstsResponse extends ServerResponse {
  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    const write = super.writeHead as (...args: unknown[]) => this;
    if (Array.isArray(reason)) return write.call(this, status, reason.concat(hstsName, hstsValue));
    this.setHeader(hstsName, hstsValue);
    return write.call(this, status, reason, headers);
  }
}
