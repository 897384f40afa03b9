import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface TcpProxy {
  port: number;
  /** Drops every packet of the open connections without closing them, as a failed network or a silent failover does. */
  blackHole(): void;
  /** New connections are black holes too, until `forwardTo` names a server. */
  forwardTo(port: number | undefined): void;
  stop(): Promise<void>;
}

/** A TCP proxy on loopback between a client and a real server. What it passes on, ends too, takes `delayMs`. */
export async function startTcpProxy(serverPort: number, delayMs = 0): Promise<TcpProxy> {
  let target: number | undefined = serverPort;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    keep(client);
    if (target === undefined) return;
    const upstream = connect(target, '127.0.0.1');
    keep(upstream);
    if (delayMs === 0) client.pipe(upstream).pipe(client);
    else {
      client.pipe(delayed(delayMs)).pipe(upstream);
      upstream.pipe(delayed(delayMs)).pipe(client);
    }
    upstream.once('close', () => {
      if (delayMs > 0) setTimeout(() => client.destroy(), 2 * delayMs);
      else if (client.listenerCount('data') > 0) client.destroy();
    });
    client.once('close', () => upstream.destroy());
  });

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    blackHole() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners('data');
        socket.removeAllListeners('close');
        socket.removeAllListeners('end');
        socket.pause();
      }
    },
    forwardTo(port) {
      target = port;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function delayed(ms: number): Transform {
  const later = (work: () => void) => void setTimeout(work, ms);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      later(() => this.push(chunk));
      done();
    },
    flush(done) {
      later(done);
    },
  });
}
