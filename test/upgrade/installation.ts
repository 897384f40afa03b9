import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { queuePlace } from '../../src/queue/queue-connection.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, lastingPort } from '../support/free-port.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';
import type { Settings } from '../support/programs.ts';
import { startOwnRedis } from '../support/redis-server.ts';
import { testLog, testLogLevel } from '../support/test-log.ts';
import { qrelay, type ReleaseProcess, startReleaseProcess } from './release-process.ts';

/** A whole installation: PostgreSQL, Redis, nginx, two web and two worker processes, with data of the first release. */
export interface Installation {
  url: string;
  nginx: Nginx;
  db: Database;
  settings: Settings;
  web: ReleaseProcess[];
  workers: ReleaseProcess[];
  /** Waits until every scan has left the spool and the queue. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

export async function install(release: string, demoScans: number): Promise<Installation> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-upgrade-'));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'postgres');
    await mkdir(dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir });
    cleanUps.push(() => postgres.stop());
    const redis = await startOwnRedis(folder, await freePort(), ['--appendonly', 'yes']);
    if (!redis) throw new Error('The upgrade test needs redis-server or valkey-server');
    cleanUps.push(() => redis.stop());
    const settings = {
      NODE_ENV: 'production',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      BASE_URL: 'https://qr.example.com',
      // One account sends forms all the time. Earlier releases do not know it.
      FREE_LIMITS: 'formsPerHour=5000',
      HOST: '127.0.0.1',
      LOG_LEVEL: testLogLevel,
      // nginx, and before it a proxy that tells where the client is: scans have places then.
      TRUST_PROXY_HOPS: '2',
    };
    await qrelay(release, ['migrate'], settings);
    await qrelay(release, ['demo', '--scans', String(demoScans)], settings);
    const db = openDatabase(postgres.url, { poolMax: 2, applicationName: 'upgrade test' });
    cleanUps.push(() => db.destroy());

    const start = async (program: 'src/server.js' | 'workers/main.js', own: Settings) => {
      const started = await startReleaseProcess(release, program, { ...settings, ...own });
      cleanUps.push(() => started.kill());
      return started;
    };
    const ports = [await lastingPort(), await lastingPort()];
    const dataDirs = ports.map((port) => join(folder, `web-${port}`));
    const web = await Promise.all(
      ports.map((port, index) =>
        start('src/server.js', { PORT: String(port), DATA_DIR: dataDirs[index] ?? '' }),
      ),
    );
    const workers = [await start('workers/main.js', {}), await start('workers/main.js', {})];
    const nginx = await startNginx(ports);
    cleanUps.push(() => nginx.stop());

    return {
      url: nginx.url,
      nginx,
      db,
      settings,
      web,
      workers,
      async drained() {
        const place = queuePlace(loadConfig(settings), postgres.url);
        const queue = openQueueClient({ place, log: testLog() });
        try {
          await eventually(async () => {
            for (const dir of dataDirs) expect(await readdir(join(dir, 'spool'))).to.deep.equal([]);
            expect(await queue.pending(scanQueue)).to.equal(0);
          }, 60_000);
        } finally {
          await queue.close();
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
