import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Finding, State } from '../../src/doctor/finding.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';

/** Tests skip themselves where there is no Redis. */
export interface DoctorsRedis {
  redis: RedisServer | undefined;
  folder: string;
  stop(): Promise<void>;
}

/** A folder of the test's own, and in it a Redis as it should be, to be spoilt at will. */
export async function startGoodRedis(): Promise<DoctorsRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-doctor-'));
  const redis = await startOwnRedis(folder, await freePort(), ['--appendonly', 'yes']);
  return {
    redis,
    folder,
    async stop() {
      await redis?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A set-up in which nothing is to be said against what the environment has. */
export const goodSettings = {
  BASE_URL: 'https://qr.example.com',
  HOST: '127.0.0.1',
  TRUST_PROXY_HOPS: '1',
};

export function goodConfig(changes: Partial<Config>): Config {
  return { ...loadConfig(goodSettings), ...changes };
}

/** "subject: finding", of those in a state. */
export function told(findings: Finding[], state: State): string[] {
  return findings
    .filter((finding) => finding.state === state)
    .map(({ subject, finding }) => `${subject}: ${finding}`);
}
