import { DEFAULT_SCHEMA, type PgPool, runMigrations } from 'bullmq';
import { Pool } from 'pg';
import { PoolClient, connectionOptions } from '../store/pool-client.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { bundleTables } from './scan-bundles.ts';
import type { QueueDefinition } from './queue-definition.ts';

const queryTimeoutMs = 6_000;

function poolOptions(databaseUrl: string, applicationName: string, max: number, min = 1) {
  return {
    ...connectionOptions(databaseUrl),
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    // As for our own statements: a query that hangs is abandoned, and its connection is not used again.
    Client: PoolClient,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // A connection that was lost silently is found by then, though nobody uses it.
    keepAliveInitialDelayMillis: 10_000,
    // Connections that were lost without a reset are gone by the time the server is back, and are not tried one by one.
    idleTimeoutMillis: 2_000,
    // These stay open: after hours of silence, the first scan need not wait for a new connection.
    min,
  };
}

/** One pool for any number of queues; BullMQ would open one for each. */
export function openQueuePool(...parameters: Parameters<typeof poolOptions>): Pool & PgPool {
  const pool = new Pool({
    ...poolOptions(...parameters),
    // BullMQ's statements name no schema.
    options: `-c search_path="${DEFAULT_SCHEMA}"`,
  });
  // BullMQ adds a listener for each queue; Node would warn of a leak from the eleventh on.
  pool.setMaxListeners(0);
  return pool as Pool & PgPool;
}

interface QueueEngine {
  redisUrl: string | undefined;
  databaseUrl: string;
}

/** Creates and updates the queue's own tables when it lives in Postgres. */
export async function migrateQueue({ redisUrl, databaseUrl }: QueueEngine): Promise<void> {
  if (redisUrl) return;
  const client = new PoolClient(connectionOptions(databaseUrl));
  await client.connect();
  try {
    await runMigrations(client);
    await client.query(`SET search_path = "${DEFAULT_SCHEMA}"; ${bundleTables}`);
  } finally {
    await client.end();
  }
}

const closeTimeoutMs = 1_000;
/** Beside those that LISTEN: to fetch and finish jobs, and to renew their locks. Each statement takes milliseconds. */
const sharedQueries = 3;

/** Connections to Postgres on which workers talk to their queues. */
export interface WorkerPool {
  /** Passed to BullMQ. */
  connection: PgPool;
  close(): Promise<void>;
}

/** For a queue of its own: connections to finish jobs, and three to fetch jobs, renew locks and LISTEN. */
export function ownPoolSize({ concurrency }: QueueDefinition): number {
  return Math.min(concurrency, 4) + 3;
}

/** The most connections of a worker process: of queues that have their own, and of all others. Each queue keeps one to LISTEN. */
export function workerPoolSizes(queues: readonly QueueDefinition[]): { own: number; shared: number } {
  const owners = queues.filter(({ hasOwnPool }) => hasOwnPool);
  return {
    own: owners.reduce((sum, queue) => sum + ownPoolSize(queue), 0),
    shared: queues.length - owners.length + sharedQueries,
  };
}

interface WorkerPoolOptions {
  size: number;
  /** Queues whose workers share the pool. Each keeps a connection to LISTEN. */
  queues: number;
  /** Called with errors of idle connections. */
  onError(err: unknown): void;
}

export function openWorkerPool(
  databaseUrl: string,
  { size, queues, onError }: WorkerPoolOptions,
): WorkerPool {
  // Our own pool: of options, BullMQ would make a connection for LISTEN that does not look for the primary.
  const pool = openQueuePool(databaseUrl, 'qrelay worker queue', size, queues + 1);
  pool.on('error', onError);
  return {
    connection: {
      connect: () => pool.connect(),
      query: (...query: Parameters<typeof pool.query>) => pool.query(...query),
      end: async () => undefined,
      // BullMQ would add a listener for each worker that is started, and never remove it.
      on: () => undefined,
      options: pool.options,
    } as unknown as PgPool,
    // A worker that could not be closed in time holds its connection.
    close: () => withTimeout(closeTimeoutMs, pool.end()).catch(() => undefined),
  };
}
