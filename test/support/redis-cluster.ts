import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { hashSlots } from '../../src/queue/scan-queue.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type RedisServer, startOwnRedis } from './redis-server.ts';

const primaries = 3;

export interface RedisClusterNode {
  port: number;
  admin: Redis;
  server: RedisServer;
  /** Starts it again with its data, after it was killed. */
  restart(): Promise<void>;
}

export interface RedisCluster {
  url: string;
  nodes: RedisClusterNode[];
  /** The node that has the slot now. */
  primaryOf(slot: number): Promise<RedisClusterNode>;
  stop(): Promise<void>;
}

/** Three primaries, each with a replica that takes over within a few seconds. */
export async function startRedisCluster(folder: string, password: string): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * primaries }, async (): Promise<RedisClusterNode & { busPort: number }> => {
      const port = await freePort();
      const busPort = await freePort();
      const own = join(folder, `node-${port}`);
      await mkdir(own);
      const settings = `--cluster-enabled yes --cluster-port ${busPort} --cluster-node-timeout 2000`;
      const rest = `--cluster-require-full-coverage no --appendonly yes --requirepass ${password} --masterauth ${password}`;
      const start = async () => {
        const server = await startOwnRedis(own, port, `${settings} ${rest}`.split(' '), password);
        if (!server) throw new Error('The fault tests need redis-server or valkey-server');
        return server;
      };
      const server = await start();
      const admin = new Redis(server.url, { retryStrategy: () => 100 });
      const node = {
        port,
        busPort,
        admin,
        server,
        async restart() {
          node.server = await start();
        },
      };
      return node;
    }),
  );
  const admins = nodes.map(({ admin }) => admin);
  for (const admin of admins) admin.on('error', () => undefined);
  await Promise.all(
    admins.map((admin, index) => admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))),
  );
  await Promise.all(
    admins.slice(0, primaries).map((admin, index) => {
      const border = (number: number) => Math.floor((number * hashSlots) / primaries);
      return admin.call('CLUSTER', 'ADDSLOTSRANGE', String(border(index)), String(border(index + 1) - 1));
    }),
  );
  for (const { port, busPort } of nodes.slice(1))
    await admins[0]?.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  const infos = async (wanted: string) => {
    for (const admin of admins) expect(await admin.call('CLUSTER', 'INFO')).to.include(wanted);
  };
  await eventually(() => infos(`cluster_known_nodes:${2 * primaries}`), 20_000);
  await Promise.all(
    admins.slice(primaries).map(async (admin, index) => {
      const id = await admins[index]?.call('CLUSTER', 'MYID');
      await eventually(() => admin.call('CLUSTER', 'REPLICATE', String(id)));
    }),
  );
  await eventually(async () => {
    await infos('cluster_state:ok');
    for (const admin of admins.slice(primaries))
      expect(await admin.info('replication')).to.include('master_link_status:up');
  }, 20_000);
  return {
    url: `redis+cluster://:${password}@${nodes
      .slice(0, 2)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}`,
    nodes,
    async primaryOf(slot) {
      const alive = nodes.find(
        ({ server: { process: own } }) => own?.exitCode === null && own.signalCode === null,
      );
      const ranges = (await alive?.admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
      const port = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
      const node = nodes.find((one) => one.port === port);
      if (!node) throw new Error(`No node has slot ${slot}`);
      return node;
    },
    async stop() {
      for (const admin of admins) admin.disconnect();
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
