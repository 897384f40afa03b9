import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { type QueuePlace, queuePlace } from '../../src/queue/queue-connection.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { PostgresBinaries } from '../../src/store/embedded/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { apiClient } from './api-client.ts';
import { eventually } from './eventually.ts';
import { type Figures, scrape } from './figures.ts';
import { freePort } from './free-port.ts';
import { type RedisServer, startOwnRedis } from './redis-server.ts';
import { signalTree } from './process-tree.ts';
import { createCode, type SharedCode } from './share.ts';
import { type Standby, startStandby } from './standby.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { testLog, testLogFile, testLogLevel } from './test-log.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

const metricsToken = 'a-token-for-the-figures';
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A program of ours in a process of its own, to be ended and started again. */
export interface Program {
  process: ChildProcess;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** With other settings if given. */
  restart(settings?: Record<string, string>): Promise<void>;
}

export interface Fixture {
  postgres: EmbeddedPostgres;
  /** Throws unless the fixture was started with one. */
  standby(): Standby;
  dataDir: string;
  /** What the processes connect to. */
  databaseUrl: string;
  proxy: TcpProxy;
  db: Database;
  redis(): RedisServer;
  startRedis(): Promise<void>;
  web: Program[];
  workers: Program[];
  /** The figures of each web and of each worker process. */
  figures(): Promise<{ web: Figures[]; workers: Figures[] }>;
  /** Starts one more worker process, with other settings if given. */
  addWorker(settings?: Record<string, string>): Promise<Program>;
  /** Where a queue of the test's own connects to. */
  place: QueuePlace;
  makeKey(): Promise<string>;
  url: string;
  makeCode(): Promise<SharedCode>;
  /** The share address of a code, at each web process. */
  addresses(code: SharedCode): string[];
  /** Waits until nothing more is on its way, and tells how many scans there are; every counter must agree. */
  countedScans(code: SharedCode, atLeast: number, withinMs?: number): Promise<number>;
  stop(): Promise<void>;
}

interface FixtureOptions {
  webs?: number;
  workers?: number;
  /** Where the queue lives. `redis-later`: on a Redis that the test starts itself. */
  queue?: 'redis' | 'redis-later' | 'postgres';
  /** Everything reaches Postgres through a proxy that can drop packets and change servers. */
  proxied?: boolean;
  /** A second server that follows the first. The processes get the hosts of both in DATABASE_URL. */
  standby?: 'synchronous' | 'asynchronous';
  /** DATABASE_REPLICA_URL has the same two hosts. */
  readsReplica?: boolean;
  /** Settings of PostgreSQL, and its programs where they are not to be the embedded ones. */
  postgres?: { settings?: string[]; binaries?: PostgresBinaries };
  /** DATA_DIR of the web processes, where it is not to be that of Postgres. */
  webDataDir?: string;
  /** Makes the address that the processes find Redis at, where it is not to be Redis's own. */
  redisAddress?: (redisPort: number) => Promise<number>;
  /** Environment variables of the processes, such as another REDIS_URL. */
  settings?: Record<string, string>;
}

/** Real servers and real processes, all of this fixture's own, so that any of them may be killed. */
export async function startFixture({
  webs = 1,
  workers = 1,
  queue = 'redis',
  proxied = false,
  standby: kind,
  readsReplica = false,
  postgres: postgresOptions = {},
  webDataDir,
  redisAddress = async (port) => port,
  settings = {},
}: FixtureOptions = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-faults-'));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir, ...postgresOptions });
  const proxy = await startTcpProxy(Number(new URL(postgres.url).port));
  const standby = kind
    ? await startStandby(postgres, dataDir, join(folder, 'standby'), { synchronous: kind === 'synchronous' })
    : undefined;
  const singleUrl = proxied ? throughPort(postgres.url, proxy.port) : postgres.url;
  const databaseUrl = standby ? singleUrl.replace(/@([^/]+)/, `@127.0.0.1:${standby.port},$1`) : singleUrl;
  const db = openDatabase(databaseUrl, { poolMax: 4, applicationName: 'fault test', queryTimeoutMs: 3_000 });
  await migrate(db);
  await migrateQueue({ databaseUrl: postgres.url, redisUrl: undefined });

  const redisPort = await freePort();
  let redis: RedisServer | undefined;
  async function startRedis(): Promise<void> {
    redis = await startOwnRedis(folder, redisPort, ['--appendonly', 'yes']);
    if (!redis) throw new Error('The fault tests need redis-server or valkey-server');
  }
  if (queue === 'redis') await startRedis();

  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATABASE_REPLICA_URL: readsReplica ? databaseUrl : '',
    REDIS_URL: queue === 'postgres' ? '' : `redis://127.0.0.1:${await redisAddress(redisPort)}`,
    DATA_DIR: webDataDir ?? dataDir,
    BASE_URL: 'https://qr.test',
    HOST: '127.0.0.1',
    LOG_LEVEL: testLogLevel,
    METRICS_TOKEN: metricsToken,
    ...settings,
  };
  const ports = await Promise.all(Array.from({ length: webs }, freePort));
  const web = await Promise.all(
    ports.map((port) => startProgram('src/server.js', { ...env, PORT: String(port) })),
  );
  const workerMetricsPorts: number[] = [];
  async function startWorker(others: Record<string, string> = {}): Promise<Program> {
    const port = await freePort();
    workerMetricsPorts.push(port);
    return startProgram('workers/main.js', { ...env, ...others, WORKER_METRICS_PORT: String(port) });
  }
  const workerPrograms = await Promise.all(Array.from({ length: workers }, () => startWorker()));

  const place = queuePlace(loadConfig(env), databaseUrl);
  const url = `http://127.0.0.1:${ports[0]}`;
  async function makeKey(): Promise<string> {
    const user = await findOrCreateUser(db, 'rig@example.com', new Date());
    await setPlan(db, ownWorkspaceId(user), 'pro');
    return createApiKey(db, ownWorkspaceId(user), 'fixture', new Date());
  }

  async function stateOf(code: SharedCode) {
    const { rows } = (await db.raw(
      `SELECT (SELECT count(*) FROM scans WHERE qr_code_id = :id) AS scans,
              (SELECT coalesce(sum(count), 0)::bigint FROM scan_counters WHERE qr_code_id = :id AND dimension = 'total') AS total,
              (SELECT coalesce(sum(count), 0)::bigint FROM scan_counters WHERE qr_code_id = :id AND dimension = 'browser') AS browsers`,
      { id: code.id },
    )) as { rows: [{ scans: number; total: number; browsers: number }] };
    return rows[0];
  }

  return {
    postgres,
    standby() {
      if (!standby) throw new Error('There is no standby');
      return standby;
    },
    dataDir,
    databaseUrl,
    proxy,
    db,
    redis() {
      if (!redis) throw new Error('Redis has not been started');
      return redis;
    },
    startRedis,
    web,
    workers: workerPrograms,
    async figures() {
      const read = (port: number) => scrape(`http://127.0.0.1:${port}/metrics`, metricsToken);
      return {
        web: await Promise.all(ports.map(read)),
        workers: await Promise.all(workerMetricsPorts.map(read)),
      };
    },
    async addWorker(others) {
      const program = await startWorker(others);
      workerPrograms.push(program);
      return program;
    },
    place,
    makeKey,
    url,
    makeCode: async () => createCode(apiClient(url, await makeKey())),
    addresses: ({ shareToken }) => ports.map((port) => `http://127.0.0.1:${port}/r/${shareToken}`),
    async countedScans(code, atLeast, withinMs = 60_000) {
      const queueClient = openQueueClient({ place, log: testLog() });
      try {
        await eventually(async () => {
          expect((await stateOf(code)).scans).to.be.at.least(atLeast);
          // Only now could a scan that was counted twice no longer come.
          expect(await readdir(join(env.DATA_DIR, 'spool')).catch(() => [])).to.deep.equal([]);
          expect(await queueClient.pending(scanQueue)).to.equal(0);
        }, withinMs);
      } finally {
        await queueClient.close();
      }
      const state = await stateOf(code);
      expect(state).to.deep.equal({ scans: state.scans, total: state.scans, browsers: state.scans });
      return state.scans;
    },
    async stop() {
      for (const program of [...web, ...workerPrograms]) await program.end('SIGKILL');
      await redis?.stop();
      await db.destroy();
      await proxy.stop();
      if (standby) {
        signalTree(standby.server.process.pid ?? 0, 'SIGCONT');
        await standby.server.stop();
      }
      signalTree(postgres.process.pid ?? 0, 'SIGCONT');
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function throughPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

async function startProgram(entry: string, env: NodeJS.ProcessEnv): Promise<Program> {
  async function begin(settings: Record<string, string> = {}): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(root, 'dist', entry)], {
      env: { ...env, ...settings },
      stdio: ['ignore', testLogFile ?? 'inherit', 'inherit', 'ipc'],
    });
    const hasExited = once(child, 'exit').then(([code]) => {
      throw new Error(`${entry} exited before it was ready (${code})`);
    });
    await Promise.race([once(child, 'message'), hasExited]);
    hasExited.catch(() => undefined);
    return child;
  }
  const program: Program = {
    process: await begin(),
    async end(signal) {
      const { process: child } = program;
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      const [code] = (await gone) as [number | null];
      return code;
    },
    async restart(settings) {
      program.process = await begin(settings);
    },
  };
  return program;
}
