import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';

export interface RedisServer {
  url: string;
  process: ChildProcess | undefined;
  stop(): Promise<void>;
}

/** A real Redis for the tests: REDIS_URL, or a server of our own. Undefined where neither is to be had. */
export async function startRedis(folder: string): Promise<RedisServer | undefined> {
  const given = process.env['REDIS_URL'];
  if (given) return { url: given, process: undefined, stop: async () => undefined };
  return startOwnRedis(folder, await freePort());
}

/** A server of our own, to be stopped and killed at will. Undefined where there is no program for it. */
export async function startOwnRedis(
  folder: string,
  port: number,
  settings: string[] = [],
  password = '',
): Promise<RedisServer | undefined> {
  const program = findProgram('redis-server', 'valkey-server');
  if (!program) return undefined;
  const url = `redis://${password && `:${password}@`}127.0.0.1:${port}`;
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const server = spawn(program, [...options, '--maxmemory-policy', 'noeviction', ...settings], {
    stdio: 'ignore',
  });
  await answers(url);
  return {
    url,
    process: server,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
    },
  };
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  for (const giveUpAt = Date.now() + 10_000; ; ) {
    try {
      await client.connect();
      await client.ping();
      client.disconnect();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(20);
    }
  }
}
