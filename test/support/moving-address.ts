import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface MovingAddress {
  port: number;
  /** New connections lead there; those that are open stay where they are. */
  moveTo(port: number): void;
  close(): void;
}

/** An address as DNS or a balancer gives it: where it leads to changes with a failover. */
export async function openMovingAddress(firstPort: number): Promise<MovingAddress> {
  let target = firstPort;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      target = port;
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
