import { statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config.ts';
import { assessFileSystem } from '../../src/doctor/disk.ts';
import type { Finding, State } from '../../src/doctor/finding.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';

/** Tests are skipped if Redis is not installed. */
export interface DoctorsRedis {
  redis: RedisServer | undefined;
  folder: string;
  stop(): Promise<void>;
}

/** A temporary folder with a well-configured Redis, which tests may misconfigure. */
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

/** An environment that causes no warnings. */
export const goodSettings = {
  BASE_URL: 'https://qr.example.com',
  HOST: '127.0.0.1',
  TRUST_PROXY_HOPS: '1',
  SUPPORT_CONTACT: 'help@qr.example.com',
};

export function goodConfig(changes: Partial<Config>): Config {
  return { ...loadConfig(goodSettings), ...changes };
}

/** 1 where the folders of tests are in memory or in a container's own layer, which the doctor warns of. */
export const warningsOfFolder = assessFileSystem(statfsSync(tmpdir()).type, '').state === 'warning' ? 1 : 0;

/** "subject: finding" of all findings in a state. */
export function findingsIn(findings: Finding[], state: State): string[] {
  return findings
    .filter((finding) => finding.state === state)
    .map(({ subject, finding }) => `${subject}: ${finding}`);
}
