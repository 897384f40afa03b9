import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { openQueuePool } from './postgres-engine.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { type QueueDepth, queueDepth } from './queue-depth.ts';

/** A queue as `qrelay doctor` sees it. */
export interface QueueStatus extends QueueDepth {
  /** Workers that are connected, busy or idle. */
  workers: number;
}

const timeoutMs = 3_000;
/** Without these, BullMQ writes metadata into the queue, and warnings to standard error. */
const readOnly = { skipMetasUpdate: true, skipVersionCheck: true };

/** Opens a connection of its own, and changes nothing. */
export async function readQueueStatuses(
  { redisUrl, databaseUrl }: QueuePlace,
  queues: readonly QueueDefinition[],
): Promise<QueueStatus[]> {
  return redisUrl ? readOnRedis(redisUrl, queues) : readOnPostgres(databaseUrl, queues);
}

async function readOnRedis(redisUrl: string, queues: readonly QueueDefinition[]): Promise<QueueStatus[]> {
  const connection = new Redis(redisUrl, {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
  });
  connection.on('error', () => undefined); // the command is rejected as well
  try {
    // Created before Redis is connected, BullMQ's queue would wait for it forever.
    await connection.connect();
    // Redis lists the clients of all its databases; another one may have a queue of the same name.
    const isOurs = ({ db }: Client) => db === undefined || Number(db) === (connection.options.db ?? 0);
    return await readAll(queues, (name) => new Queue(name, { connection, ...readOnly }), isOurs);
  } finally {
    connection.disconnect();
  }
}

async function readOnPostgres(
  databaseUrl: string,
  queues: readonly QueueDefinition[],
): Promise<QueueStatus[]> {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const pool = openQueuePool(databaseUrl, 'qrelay doctor', 1);
  pool.on('error', () => undefined); // the query is rejected as well
  // It differs from a queue on Redis only in the type of its connection.
  const open = (name: string) =>
    new PostgresQueue(name, { connection: pool, ...readOnly }) as unknown as Queue;
  try {
    return await readAll(queues, open, () => true);
  } finally {
    await pool.end();
  }
}

type Client = Record<string, string>;

async function readAll(
  queues: readonly QueueDefinition[],
  open: (name: string) => Queue,
  isOurs: (client: Client) => boolean,
): Promise<QueueStatus[]> {
  const statuses: QueueStatus[] = [];
  for (const { name } of queues) {
    const queue = open(name);
    queue.on('error', () => undefined); // the command is rejected as well
    try {
      const workers = (await queue.getWorkers()).filter(isOurs);
      statuses.push({ ...(await queueDepth(queue)), workers: workers.length });
    } finally {
      await queue.close().catch(() => undefined);
    }
  }
  return statuses;
}
