import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { listPartitions } from '../../src/scans/partitions.ts';
import { firstIdAt } from '../../src/store/time-ordered-id.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { findOldestPostgres } from './debian-postgres.ts';
import { startRedis } from './redis-server.ts';
import { setServers } from './servers.ts';

export const futurePartition = 'scans_of_the_future';

interface TestServers {
  /** Statements that Postgres compiled. The compilation takes longer than any statement of ours. */
  compiledStatements(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * One Postgres and one Redis for the whole run. Each test file clones its own database from the migrated one. Postgres is
 * the oldest one that we support, where it is installed, so that every statement that a test executes is executed there. The
 * fault tests and `npm start` use the embedded one, which is the newest.
 */
export async function startServers(): Promise<TestServers> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-servers-'));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const oldest = process.env['TEST_POSTGRES'] === 'embedded' ? undefined : findOldestPostgres();
  const postgres = await startEmbeddedPostgres({
    dataDir,
    ...(oldest && { binaries: oldest.binaries }),
    // Nobody needs these databases after a power cut.
    settings: [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=400',
      // It would look at each of hundreds of databases, which live for seconds.
      'autovacuum=off',
      ...(oldest
        ? ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track_utility=off']
        : []),
    ],
  });
  const { url, superuserUrl } = postgres;
  const template = openDatabase(url, { poolMax: 2, applicationName: 'test set-up' });
  await migrate(template);
  await makeRoomForTheFuture(template);
  await template.destroy();
  await migrateQueue({ databaseUrl: url, redisUrl: undefined });
  const redis = await startRedis(folder);
  if (!redis) {
    console.error(
      'No Redis: the tests that need one are skipped. Put redis-server or valkey-server on the PATH, or set REDIS_URL.',
    );
  }
  setServers({ postgres: { url, superuserUrl }, ...(redis && { redisUrl: redis.url }) });
  return {
    compiledStatements: async () => (oldest ? readCompiled(superuserUrl) : []),
    async stop() {
      await redis?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tests set the clock of a service to days for which no partition would exist yet. */
async function makeRoomForTheFuture(db: Database): Promise<void> {
  const [first] = await listPartitions(db);
  const from = firstIdAt(first?.to ?? new Date());
  const to = firstIdAt(new Date('2100-01-01'));
  await db.raw(`CREATE TABLE ${futurePartition} PARTITION OF scans FOR VALUES FROM ('${from}') TO ('${to}')`);
}

async function readCompiled(superuserUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const { rows } = await client.query<{ query: string }>(
      'SELECT DISTINCT query FROM pg_stat_statements WHERE jit_functions > 0',
    );
    return rows.map(({ query }) => query);
  } finally {
    await client.end();
  }
}
