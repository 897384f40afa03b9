import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
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
): Promise<RedisServer | undefined> {
  const program = findProgram() ?? installProgram();
  if (!program) return undefined;
  const url = `redis://127.0.0.1:${port}`;
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

function findProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Debian's package, where we may: as root, with apt. */
function installProgram(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('Installing redis-server for the tests ...');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  if (!apt('install', '-y', 'redis-server') && !(apt('update') && apt('install', '-y', 'redis-server')))
    return undefined;
  return findProgram();
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
