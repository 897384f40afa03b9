import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { lastingPort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import type { Random } from './random.ts';

/** Three Redis servers, each behind a proxy, and three sentinels that know the addresses of the proxies only. */
export interface RedisGroup {
  url: string;
  proxies: FaultyProxy[];
  /** The process of the primary, as the sentinels name it. */
  primary(): Promise<ChildProcess>;
  /** Kills the primary. The function it returns starts that server again, as a replica if another one has taken over. */
  killPrimary(): Promise<() => Promise<void>>;
  /** Lets the sentinels make a replica the primary. */
  failOver(): Promise<void>;
  /** Rejects unless both replicas follow the primary. */
  checkReplication(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  server: RedisServer;
  port: number;
  proxy: FaultyProxy;
}

const serverCount = 3;
const sentinelCount = 3;
const password = 'for-servers';

export async function startRedisGroup(folder: string, random: Random): Promise<RedisGroup> {
  const program = findProgram('redis-server', 'valkey-server');
  const nodes: Node[] = [];
  const auth = ['--appendonly', 'yes', '--requirepass', password, '--masterauth', password];

  async function startServer(port: number, proxyPort: number, primaryPort: number): Promise<RedisServer> {
    const announced = ['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(proxyPort)];
    const replicaOf = primaryPort === proxyPort ? [] : ['--replicaof', `127.0.0.1 ${primaryPort}`];
    const own = join(folder, `redis-${port}`);
    await mkdir(own, { recursive: true });
    const server = await startOwnRedis(own, port, [...auth, ...announced, ...replicaOf], password);
    if (!server) throw new Error('The soak needs redis-server or valkey-server');
    return server;
  }
  for (let index = 0; index < serverCount; index += 1) {
    const port = await lastingPort();
    const proxy = await startFaultyProxy(port, random);
    const server = await startServer(port, proxy.port, nodes[0]?.proxy.port ?? proxy.port);
    nodes.push({ port, proxy, server });
  }

  const sentinelPorts = [];
  const sentinelProcesses: ChildProcess[] = [];
  for (let index = 0; index < sentinelCount; index += 1) {
    const port = await lastingPort();
    const file = join(folder, `sentinel-${port}.conf`);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${nodes[0]?.proxy.port} 2`,
      `sentinel auth-pass mymaster ${password}`,
      'sentinel down-after-milliseconds mymaster 1500',
      'sentinel failover-timeout mymaster 5000',
    ];
    await writeFile(file, lines.join('\n'));
    sentinelProcesses.push(spawn(program ?? '', [file, '--sentinel'], { stdio: 'ignore' }));
    sentinelPorts.push(port);
  }
  const sentinels = sentinelPorts.map((port) => new Redis({ port, maxRetriesPerRequest: 1 }));
  for (const sentinel of sentinels) sentinel.on('error', () => undefined);

  async function factsOf(sentinel: Redis): Promise<(name: string) => string | undefined> {
    const facts = (await sentinel.call('SENTINEL', 'MASTER', 'mymaster')) as string[];
    return (name) => facts[facts.indexOf(name) + 1];
  }
  async function primaryNode(): Promise<Node> {
    const ports = await Promise.all(
      sentinels.map(async (sentinel) => Number((await factsOf(sentinel))('port'))),
    );
    const found = nodes.find(({ proxy }) => ports.filter((port) => port === proxy.port).length > 1);
    if (!found) throw new Error('The sentinels do not agree on a primary');
    return found;
  }
  async function checkReplication(): Promise<void> {
    const { server } = await primaryNode();
    const admin = new Redis(server.url, {
      maxRetriesPerRequest: 0,
      commandTimeout: 2_000,
      retryStrategy: null,
    });
    admin.on('error', () => undefined);
    try {
      const info = await admin.info('replication');
      expect(info).to.include('role:master');
      expect(info.match(/state=online/g)?.length, info).to.equal(serverCount - 1);
    } finally {
      admin.disconnect();
    }
    for (const sentinel of sentinels) {
      const fact = await factsOf(sentinel);
      expect([fact('flags'), fact('num-slaves'), fact('num-other-sentinels')]).to.deep.equal([
        'master',
        String(serverCount - 1),
        String(sentinelCount - 1),
      ]);
    }
  }
  await eventually(checkReplication);

  return {
    url: `redis+sentinel://:${password}@${sentinelPorts.map((port) => `127.0.0.1:${port}`).join()}/mymaster`,
    proxies: nodes.map(({ proxy }) => proxy),
    async primary() {
      const { process } = (await primaryNode()).server;
      if (!process) throw new Error('The primary has no process');
      return process;
    },
    async killPrimary() {
      const node = await primaryNode();
      await node.server.stop();
      return async () => {
        const primary = await eventually(primaryNode);
        node.server = await startServer(node.port, node.proxy.port, primary.proxy.port);
      };
    },
    async failOver() {
      const before = await primaryNode();
      await eventually(() => sentinels[0]?.call('SENTINEL', 'FAILOVER', 'mymaster'), 20_000, 500);
      await eventually(async () => expect(await primaryNode()).to.not.equal(before), 20_000);
    },
    checkReplication,
    async stop() {
      for (const sentinel of sentinels) sentinel.disconnect();
      for (const child of sentinelProcesses) child.kill('SIGKILL');
      for (const { server, proxy } of nodes) {
        await server.stop();
        await proxy.stop();
      }
    },
  };
}
