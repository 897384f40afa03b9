import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { listPartitions } from '../../src/scans/partitions.ts';
import { firstIdAt } from '../../src/store/time-ordered-id.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { startRedis } from './redis-server.ts';
import { setServers } from './servers.ts';

export const futurePartition = 'scans_of_the_future';

/** One Postgres and one Redis for the whole run. Each test file clones its own database from the migrated one. */
export async function startServers(): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-servers-'));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    // Nobody needs these databases after a power cut.
    settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=400'],
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
