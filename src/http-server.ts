import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { SetupError } from './errors.ts';

const hardCloseAfterMs = 10_000;

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
}

export async function openHttpServer(
  handle: RequestListener,
  { port, host, idleGraceMs }: HttpServerOptions,
): Promise<HttpServer> {
  let draining = false;
  const server = createServer({ headersTimeout: 15_000, requestTimeout: 30_000 }, (req, res) => {
    if (draining) res.shouldKeepAlive = false;
    handle(req, res);
  });
  await listen(server, port, host);
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

function listen(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new SetupError(`Port ${port} is taken. Set PORT to a free one.`) : error);
    });
    server.listen({ port, host }, resolve);
  });
}
