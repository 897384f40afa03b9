import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { queuePlace, type QueuePlace } from '../../src/queue/queue-connection.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { lastingPort } from '../support/free-port.ts';
import { unsetSettings } from '../support/programs.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { testLogFile, testLogLevel } from '../support/test-log.ts';
import { createFakedClock } from './faked-clock.ts';
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts';
import type { Random } from './random.ts';
import { type RedisGroup, startRedisGroup } from './redis-group.ts';
import { type SoakProcess, startSoakProcess } from './soak-process.ts';

/** Two web and two worker processes with everything they need, all of this run's own. */
export interface Installation {
  folder: string;
  postgres: PostgresPair;
  redis: RedisGroup;
  /** The disk of DATA_DIR. Undefined where it cannot be mounted: the folder is on another one then. */
  disk: SmallDisk | undefined;
  spool: string;
  web: SoakProcess[];
  workers: SoakProcess[];
  queue: QueuePlace;
  metricsToken: string;
  /** Ends the servers and removes the folder. The processes have to be ended first. */
  stop(): Promise<void>;
}

const processesPerKind = 2;
const metricsToken = 'a-token-for-the-metrics';
const diskKilobytes = 16 * 1024;

export async function install(
  random: Random,
  prepare: (databaseUrl: string) => Promise<void>,
  logPath: string | undefined,
): Promise<Installation> {
  const cleanUps: (() => unknown)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-soak-'));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const disk = await mountSmallDisk(dataDir, diskKilobytes);
    if (disk) cleanUps.push(disk.remove);
    const postgres = await startPostgresPair(folder, random, async (url) => {
      await migrateDatabase(url, () => undefined);
      await prepare(url);
    });
    cleanUps.push(postgres.stop);
    const redis = await startRedisGroup(folder, random);
    cleanUps.push(redis.stop);

    const ownLog = testLogFile === undefined && logPath !== undefined ? openSync(logPath, 'a') : undefined;
    if (ownLog !== undefined) cleanUps.push(() => closeSync(ownLog));
    const logFile = testLogFile ?? ownLog ?? 'ignore';
    const settings = {
      ...unsetSettings,
      NODE_ENV: 'production',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SCAN_JOURNAL: 'on',
      DATA_DIR: dataDir,
      BASE_URL: 'https://qr.example.com',
      HOST: '127.0.0.1',
      LOG_LEVEL: testLogFile === undefined ? 'info' : testLogLevel,
      METRICS_TOKEN: metricsToken,
    };
    const start = async (name: string, program: 'src/server.js' | 'workers/main.js', portName: string) => {
      const port = await lastingPort();
      const clock = await createFakedClock(join(folder, `${name.replace(' ', '-')}.clock`));
      const started = await startSoakProcess({
        name,
        program,
        settings: { ...settings, [portName]: String(port) },
        clock,
        metricsUrl: `http://127.0.0.1:${port}/metrics`,
        logFile,
      });
      cleanUps.push(started.kill);
      return started;
    };
    const web: SoakProcess[] = [];
    const workers: SoakProcess[] = [];
    for (let number = 1; number <= processesPerKind; number += 1) {
      web.push(await start(`web ${number}`, 'src/server.js', 'PORT'));
      workers.push(await start(`worker ${number}`, 'workers/main.js', 'WORKER_METRICS_PORT'));
    }
    return {
      folder,
      postgres,
      redis,
      disk,
      spool: join(dataDir, 'spool'),
      web,
      workers,
      queue: queuePlace(loadConfig(settings), postgres.url),
      metricsToken,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
