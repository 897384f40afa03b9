import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { redisAddress } from '../store/redis-address.ts';
import { openQueuePool } from './postgres-engine.ts';
import { isOnRedis, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { type QueueDepth, queueDepth } from './queue-depth.ts';
import { hasJobs, queuePrefix } from './queue-keys.ts';
import { queuesInUse } from './queues-in-use.ts';
import { closeRedis, openRedisOnce, type RedisPlace } from './redis-client.ts';

/** A queue as `qrelay doctor` sees it. */
export interface QueueStatus extends QueueDepth {
  definition: QueueDefinition;
  /** Workers that are connected, busy or idle. */
  workers: number;
}

/** Without these, BullMQ writes metadata into the queue, and warnings to standard error. */
const readOnly = { skipMetasUpdate: true, skipVersionCheck: true };

/** The queues for these kinds of jobs. Opens a connection of its own, and changes nothing. */
export async function readQueueStatuses(
  place: QueuePlace,
  kinds: readonly QueueDefinition[],
): Promise<QueueStatus[]> {
  return isOnRedis(place) ? readOnRedis(place, kinds) : readOnPostgres(place.databaseUrl, kinds);
}

async function readOnRedis(
  place: QueuePlace & RedisPlace,
  kinds: readonly QueueDefinition[],
): Promise<QueueStatus[]> {
  const { redisUrl } = place;
  const connection = openRedisOnce(place);
  connection.on('error', () => undefined); // the command is rejected as well
  try {
    // Created before Redis is connected, BullMQ's queue would wait for it forever.
    await connection.connect();
    // Redis lists the clients of all its databases; another one may have a queue of the same name.
    const { database } = redisAddress(redisUrl);
    const isOurs = ({ db }: Client) => db === undefined || Number(db) === database;
    const queues = await queuesInUse(kinds, place, (queue) => hasJobs(connection, redisUrl, queue));
    const open = (queue: QueueDefinition) =>
      new Queue(queue.name, { connection, prefix: queuePrefix(redisUrl, queue), ...readOnly });
    return await readAll(queues, open, isOurs);
  } finally {
    closeRedis(connection);
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
  const open = ({ name }: QueueDefinition) =>
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
  open: (definition: QueueDefinition) => Queue,
  isOurs: (client: Client) => boolean,
): Promise<QueueStatus[]> {
  const statuses: QueueStatus[] = [];
  for (const definition of queues) {
    const queue = open(definition);
    queue.on('error', () => undefined); // the command is rejected as well
    try {
      const workers = (await queue.getWorkers()).filter(isOurs);
      statuses.push({ ...(await queueDepth(queue)), definition, workers: workers.length });
    } finally {
      await queue.close().catch(() => undefined);
    }
  }
  return statuses;
}
