import type { PgPool } from 'bullmq';
import { withTimeout } from '../runtime/timeout.ts';
import { openQueuePool } from './postgres-engine.ts';
import type { QueueDefinition } from './queue-definition.ts';

const closeTimeoutMs = 1_000;
/** Beside those that LISTEN: to fetch and finish jobs, and to renew their locks. Each statement takes milliseconds. */
const sharedQueries = 3;

/** Connections to Postgres on which workers talk to their queues. */
export interface WorkerPool {
  /** What BullMQ gets. */
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

/** `onError`: of idle connections. */
export function openWorkerPool(
  databaseUrl: string,
  size: number,
  onError: (err: unknown) => void,
): WorkerPool {
  // Our own pool: of options, BullMQ would make a connection for LISTEN that does not look for the primary.
  const pool = openQueuePool(databaseUrl, 'qrelay worker queue', size);
  pool.on('error', onError);
  return {
    connection: {
      connect: () => pool.connect(),
      query: (text: string, values?: unknown[]) => pool.query(text, values),
      end: async () => undefined,
      // BullMQ would add a listener for each worker that is started, and never remove it.
      on: () => undefined,
      options: pool.options,
    } as unknown as PgPool,
    // A worker that could not be closed in time holds its connection.
    close: () => withTimeout(closeTimeoutMs, pool.end()).catch(() => undefined),
  };
}
