import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '../src/store/database.ts';
import { findEmbeddedPostgres } from '../src/store/embedded/server.ts';
import { freePort } from '../test/support/free-port.ts';
import { startOwnRedis } from '../test/support/redis-server.ts';
import { readTree, type TreeFigures } from './process-figures.ts';

/** A whole service of a release, as `npm start` runs it. */
export interface ReleaseService {
  url: string;
  code: { id: string; shareToken: string };
  /** A session of the database, whose tables may be those of an earlier release. */
  db: Database;
  /** Another key of the account that has the code. */
  createKey(): Promise<string>;
  figures(): TreeFigures;
  stop(): Promise<void>;
}

/** `folder`: where the release is built. */
export async function startReleaseService(
  folder: string,
  { withRedis, settings = {} }: { withRedis: boolean; settings?: Record<string, string> },
): Promise<ReleaseService> {
  const data = await mkdtemp(join(tmpdir(), 'qrelay-bench-'));
  const redis = withRedis ? await startOwnRedis(data, await freePort(), ['--appendonly', 'yes']) : undefined;
  if (withRedis && !redis) throw new Error('The benchmark needs redis-server or valkey-server');
  const port = await freePort();
  const service = spawn(process.execPath, [join(folder, 'dist', 'src', 'standalone.js')], {
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: join(data, 'data'),
      BASE_URL: 'https://qr.test',
      REDIS_URL: redis?.url ?? '',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await isReady(service);
  const databaseUrl = (await findEmbeddedPostgres(join(data, 'data'))) ?? '';
  const db = openDatabase(databaseUrl, { poolMax: 1, applicationName: 'bench' });
  // By its own program: the tables of an earlier release differ.
  async function createKey(): Promise<string> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(folder, 'dist', 'src', 'cli.js'),
        'key',
        'create',
        '--email',
        'bench@example.com',
        '--plan',
        'pro',
      ],
      { cwd: folder, env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redis?.url ?? '' } },
    );
    return stdout.trim();
  }
  const url = `http://127.0.0.1:${port}`;
  const created = await fetch(`${url}/api/v1/qrcodes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await createKey()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Poster', content: 'https://example.com/' }),
  });
  return {
    url,
    code: (await created.json()) as ReleaseService['code'],
    db,
    createKey,
    figures: () => readTree([service.pid ?? 0, ...(redis?.process?.pid ? [redis.process.pid] : [])]),
    async stop() {
      await db.destroy();
      const gone = once(service, 'exit');
      service.kill('SIGTERM');
      await gone;
      await redis?.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function isReady(service: ChildProcess): Promise<void> {
  for await (const chunk of service.stdout ?? []) if (String(chunk).includes('ready')) break;
  service.stdout?.resume();
}
