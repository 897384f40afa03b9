import {
  createPostgresBackend,
  type Job,
  Queue,
  runMigrations,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Log } from '../telemetry/log.ts';
import { type ScanJob, scanQueueName } from './scan-jobs.ts';

/** Where the queue lives: on Redis where there is one, else in the service's own Postgres. */
export interface QueuePlace {
  redisUrl: string | undefined;
  databaseUrl: string;
}

/** The part of BullMQ's queue that we use, the same on both engines. */
export interface ScanQueue {
  add(name: string, data: ScanJob): Promise<unknown>;
  /** Jobs that are not done: waiting, under way, or put back for later. */
  pending(): Promise<number>;
  close(): Promise<void>;
}

const pendingStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;

const jobOptions = {
  removeOnComplete: true,
  // Kept, so that no scan is lost with it.
  removeOnFail: false,
  attempts: 1_000_000,
  backoff: { type: 'growing' },
};

export function openScanQueue(place: QueuePlace, log: Log): ScanQueue {
  if (place.redisUrl) {
    const connection = new Redis(place.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
    const queue = new Queue<ScanJob>(scanQueueName, { connection, defaultJobOptions: jobOptions });
    queue.on('error', (err) => log.warn({ err }, 'queue connection'));
    connection.on('error', () => undefined); // told by the queue already
    return {
      add: (name, data) => queue.add(name, data),
      pending: () => queue.getJobCountByTypes(...pendingStates),
      async close() {
        await queue.close();
        connection.disconnect();
      },
    };
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const queue = new PostgresQueue<ScanJob>(scanQueueName, {
    connection: { connectionString: place.databaseUrl, max: 2, application_name: 'qrelay queue' },
    defaultJobOptions: jobOptions,
  });
  queue.on('error', (err) => log.warn({ err }, 'queue connection'));
  return {
    add: (name, data) => queue.add(name, data),
    pending: () => queue.getJobCountByTypes(...pendingStates),
    close: () => queue.close(),
  };
}

export interface ScanWorker {
  close(): Promise<void>;
}

const workerOptions = {
  concurrency: 4,
  // A killed worker's job is taken up again after two of these; however often it is killed, it is never given up.
  lockDuration: 5_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  settings: {
    backoffStrategy: (attemptsMade: number) => Math.min(30_000, 250 * 2 ** Math.min(attemptsMade, 10)),
  },
} satisfies Partial<WorkerOptions>;

export function openScanWorker(
  place: QueuePlace,
  handle: (job: ScanJob) => Promise<void>,
  log: Log,
): ScanWorker {
  const process = (job: Job<ScanJob>) => handle(job.data);
  const redis = place.redisUrl ? new Redis(place.redisUrl, { maxRetriesPerRequest: null }) : undefined;
  redis?.on('error', () => undefined); // told by the worker already
  const worker = redis
    ? new Worker<ScanJob, void>(scanQueueName, process, { ...workerOptions, connection: redis })
    : new (withBackend(createPostgresBackend).Worker)<ScanJob, void>(scanQueueName, process, {
        ...workerOptions,
        connection: { connectionString: place.databaseUrl, max: 6, application_name: 'qrelay worker queue' },
      });
  worker.on('error', (err) => log.warn({ err }, 'queue connection'));
  worker.on('failed', (job, err) =>
    log.error({ err, jobId: job?.id }, 'scans were not recorded; they will be tried again'),
  );
  return {
    async close() {
      await worker.close();
      redis?.disconnect();
    },
  };
}

/** The queue's own tables, where it lives in Postgres. */
export async function migrateQueue(place: QueuePlace): Promise<void> {
  if (place.redisUrl) return;
  const client = new Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
