import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Drops every packet of the open connections without closing them, as a failed network or a silent failover does. */
  blackHole(): void;
  /** New connections are black holes too, until `forwardTo` names a server. */
  forwardTo(port: number | undefined): void;
  stop(): Promise<void>;
}

/** A TCP proxy on loopback between a client and a real server. */
export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  let target: number | undefined = serverPort;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    keep(client);
    if (target === undefined) return;
    const upstream = connect(target, '127.0.0.1');
    keep(upstream);
    client.pipe(upstream).pipe(client);
    upstream.once('close', () => {
      if (client.listenerCount('data') > 0) client.destroy();
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
