import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { SetupError } from './errors.ts';
import { refuseMalformed } from './malformed-request.ts';

const hardCloseAfterMs = 10_000;

/** How long somebody may take to ask. Connections on which nobody does are closed; looked for this often. */
const usualLimits = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

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
  limits?: typeof usualLimits;
}

export async function openHttpServer(
  handle: RequestListener,
  { port, host, idleGraceMs, variable = 'PORT', limits = usualLimits }: HttpServerOptions,
): Promise<HttpServer> {
  let draining = false;
  const answer: RequestListener = (req, res) => {
    if (draining) res.shouldKeepAlive = false;
    handle(req, res);
  };
  const server = createServer(limits, answer);
  // Node would refuse it by itself, in no form of ours. HTTP lets a server pass over what it does not know to expect.
  server.on('checkExpectation', answer);
  server.on('clientError', refuseMalformed);
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
