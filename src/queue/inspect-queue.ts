import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { postgresConnection, type QueuePlace } from './connection.ts';
import { type QueueDepth, queueDepth } from './queue-depth.ts';
import { type ScanJob, scanQueueName } from './scan-jobs.ts';

/** What is seen of the queue from outside. */
export interface QueueSight extends QueueDepth {
  /** Workers that are connected, busy or not. */
  workers: number;
}

const patienceMs = 3_000;
/** Otherwise BullMQ writes what it knows of the queue into it, and warnings of its own onto standard error. */
const onlyLooking = { skipMetasUpdate: true, skipVersionCheck: true };

/** Connects for a moment, and changes nothing. */
export async function lookAtQueue({ redisUrl, databaseUrl }: QueuePlace): Promise<QueueSight> {
  return redisUrl ? lookOnRedis(redisUrl) : lookOnPostgres(databaseUrl);
}

async function lookOnRedis(redisUrl: string): Promise<QueueSight> {
  const connection = new Redis(redisUrl, {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
  });
  connection.on('error', () => undefined); // what was asked is rejected as well
  try {
    // BullMQ's queue, made on a connection that is not there, would wait for it without an end.
    await connection.connect();
    const queue = new Queue<ScanJob>(scanQueueName, { connection, ...onlyLooking });
    // Redis lists the clients of all its databases; another one may have a queue of the same name.
    return await look(queue, ({ db }) => db === undefined || Number(db) === (connection.options.db ?? 0));
  } finally {
    connection.disconnect();
  }
}

async function lookOnPostgres(databaseUrl: string): Promise<QueueSight> {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const connection = postgresConnection(databaseUrl, 'qrelay doctor', 1);
  const queue = new PostgresQueue<ScanJob>(scanQueueName, { connection, ...onlyLooking });
  // It differs from the other in the type of its connection only.
  return look(queue as unknown as Queue<ScanJob>, () => true);
}

async function look(
  queue: Queue<ScanJob>,
  isOurs: (client: Record<string, string>) => boolean,
): Promise<QueueSight> {
  queue.on('error', () => undefined); // what was asked is rejected as well
  try {
    const workers = (await queue.getWorkers()).filter(isOurs);
    return { ...(await queueDepth(queue)), workers: workers.length };
  } finally {
    await queue.close().catch(() => undefined);
  }
}
