import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Random } from './random.ts';

/** What the network does to every connection, open and new ones. */
export interface Network {
  /** Each chunk takes this long, and up to half of it more. */
  delayMs?: number;
  /** Nothing passes. What is sent meanwhile arrives later, as TCP delivers it after lost packets. */
  isStalled?: boolean;
  /** The probability with which a chunk loses its second half and the connection is reset. */
  cutProbability?: number;
}

export interface FaultyProxy {
  port: number;
  /** New connections lead there. */
  forwardTo(port: number): void;
  /** Until the next call; `{}` is a network without faults. */
  setNetwork(network: Network): void;
  stop(): Promise<void>;
}

const healthy: Network = {};

/** A TCP proxy on loopback between clients and a real server, over a network that can be disturbed while it runs. */
export async function startFaultyProxy(serverPort: number, random: Random): Promise<FaultyProxy> {
  let target = serverPort;
  let network = healthy;
  let onChange: (() => void)[] = [];
  const sockets = new Set<Socket>();

  async function untilFlowing(): Promise<void> {
    while (network.isStalled) await new Promise<void>((resolve) => onChange.push(resolve));
  }

  function forward(from: Socket, to: Socket): void {
    let passing = 0;
    // Chunks keep their order, also when a delay ends while some are on their way.
    let last = Promise.resolve();
    const write = (chunk: Buffer) => {
      if (to.destroyed || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => from.resume());
    };
    async function passLater(chunk: Buffer, arrivesAt: number): Promise<void> {
      const leftMs = arrivesAt - performance.now();
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
      await untilFlowing();
      if (random() >= (network.cutProbability ?? 0)) return write(chunk);
      to.write(chunk.subarray(0, Math.floor(chunk.length / 2)));
      to.destroySoon();
      from.resetAndDestroy();
    }
    const inOrder = (work: () => Promise<void> | void) => {
      passing += 1;
      last = last.then(work).finally(() => {
        passing -= 1;
      });
    };
    from.on('data', (chunk: Buffer) => {
      if (network === healthy && passing === 0) return write(chunk);
      const { delayMs = 0 } = network;
      const arrivesAt = delayMs > 0 ? performance.now() + delayMs * (1 + random() / 2) : 0;
      inOrder(() => passLater(chunk, arrivesAt));
    });
    from.once('end', () => inOrder(() => void to.end()));
    from.once('close', () => inOrder(() => void to.destroy()));
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    }
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    forwardTo(port) {
      target = port;
    },
    setNetwork(changed) {
      network = Object.keys(changed).length === 0 ? healthy : changed;
      for (const resolve of onChange.splice(0)) resolve();
      onChange = [];
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
