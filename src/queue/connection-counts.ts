import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { poolSizes, webPoolSizes } from '../store/pool-sizes.ts';
import type { Log } from '../telemetry/log.ts';
import { allQueues } from './queues.ts';
import { workerPoolSizes } from './postgres-engine.ts';

type Sizes = Pick<
  Config,
  | 'webPoolSize'
  | 'workerPoolSize'
  | 'replicaPoolSize'
  | 'databaseReplicaUrl'
  | 'redisUrl'
  | 'scanJournal'
  | 'webConcurrency'
>;

interface ConnectionCounts {
  /** The most connections to the primary that one process opens. */
  web: number;
  worker: number;
  /** The most that a web process opens to each replica. */
  replica: number;
  /** All web processes here, and one worker. */
  all: number;
}

export function connectionCounts(config: Sizes): ConnectionCounts {
  const queueToo = config.redisUrl ? 0 : 1;
  const monitor = config.databaseReplicaUrl ? poolSizes.monitor : 0;
  const { lookups, others } = webPoolSizes(config.webPoolSize);
  const web = lookups + others + monitor + queueToo * (poolSizes.web.queue + poolSizes.web.board);
  const { own, shared } = workerPoolSizes(allQueues);
  const { audit, webhooks, background } = poolSizes.worker;
  const worker = config.workerPoolSize + audit + webhooks + background + queueToo * (own + shared);
  return {
    web,
    worker,
    replica: config.databaseReplicaUrl ? config.replicaPoolSize + poolSizes.monitor : 0,
    all: config.webConcurrency * web + worker,
  };
}

/** Logs, when a process starts, how many connections it may open and how many there are, so that operators can multiply. */
export async function logConnectionCounts(
  process: 'web' | 'worker',
  config: Sizes,
  db: Database,
  log: Log,
): Promise<void> {
  const counts = connectionCounts(config);
  const { rows } = (await db.raw(
    `SELECT current_setting('max_connections')::integer
            - current_setting('superuser_reserved_connections')::integer AS allowed`,
  )) as { rows: [{ allowed: number }] };
  const [{ allowed }] = rows;
  log.info(
    {
      connections: counts[process],
      allowed,
      ...(process === 'web' && config.databaseReplicaUrl && { perReplica: counts.replica }),
    },
    `this process opens up to ${counts[process]} connections to PostgreSQL; the server allows ${allowed} in all`,
  );
}
