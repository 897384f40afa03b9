import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { signalTree } from './process-tree.ts';
import { type Standby, startStandby } from './standby.ts';

export interface ReplicatedPostgres {
  primary: EmbeddedPostgres;
  standby: Standby;
  /** Both hosts in one URL, the standby first. */
  url: string;
  stop(): Promise<void>;
}

/** A migrated primary and a hot standby that follows it asynchronously, both of the caller's own. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-replicated-'));
  const dataDir = join(folder, 'primary');
  await mkdir(dataDir);
  const settings = ['fsync=off', 'full_page_writes=off'];
  const primary = await startEmbeddedPostgres({ dataDir, settings });
  await migrateDatabase(primary.url, () => undefined);
  await migrateQueue({ databaseUrl: primary.url, redisUrl: undefined });
  const standby = await startStandby(primary, dataDir, join(folder, 'standby'), {
    synchronous: false,
    settings,
  });
  const { port } = new URL(primary.url);
  return {
    primary,
    standby,
    url: primary.url.replace(`:${port}/`, `:${standby.port},127.0.0.1:${port}/`),
    async stop() {
      for (const { process } of [standby.server, primary]) signalTree(process.pid ?? 0, 'SIGCONT');
      await standby.server.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
