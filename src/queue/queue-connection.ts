import { createPostgresBackend, Queue, type QueueOptions, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { poolSizes } from '../store/pool-sizes.ts';
import type { Log } from '../telemetry/log.ts';
import { logConnectionErrors } from './log-connection-errors.ts';
import { openQueuePool } from './postgres-engine.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { needsNewConnection } from './redis-errors.ts';

/** Where the queues live: on Redis where there is one, else in the service's own Postgres. */
export interface QueuePlace {
  redisUrl: string | undefined;
  databaseUrl: string;
}

/** BullMQ's own queues, on one connection. */
export interface QueueConnection {
  isReady(): boolean;
  /** Throws while not connected. */
  queue<Data>(definition: QueueDefinition<Data>): Queue<Data>;
  /** A small write that changes nothing, and fails where a job would be refused. */
  write(definition: QueueDefinition): Promise<unknown>;
  close(): Promise<void>;
}

const writeCheckTtlMs = 10_000;

export function connectToQueues(
  place: QueuePlace,
  log: Log,
  onConnectionChange: () => void = () => undefined,
): QueueConnection {
  return place.redisUrl
    ? connectToRedis(place.redisUrl, log, onConnectionChange)
    : connectToPostgres(place.databaseUrl, log);
}

/** Creates BullMQ's queues at first use: created before Redis is connected, they would wait for it forever. */
function connectToRedis(redisUrl: string, log: Log, onConnectionChange: () => void): QueueConnection {
  const connection = new Redis(redisUrl, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // Without it, a server that hangs is waited for indefinitely. A command that timed out may still be executed.
    commandTimeout: 3_000,
    retryStrategy: (times) => Math.min(times * 50, 500),
    reconnectOnError: needsNewConnection,
  });
  connection.on('error', logConnectionErrors(log));
  connection.on('close', onConnectionChange);
  connection.on('ready', onConnectionChange);
  const isReady = () => connection.status === 'ready';
  const queues = cacheQueues((name, options) => {
    const created = new Queue(name, {
      ...options,
      connection,
      // BullMQ remembers a failure of this check, and then never adds a job. `qrelay doctor` checks the version.
      skipVersionCheck: true,
    });
    created.on('error', () => undefined); // logged by the connection already
    return created;
  });
  function queue<Data>(definition: QueueDefinition<Data>): Queue<Data> {
    if (!isReady()) throw new Error('Redis is not connected');
    return queues.open(definition);
  }
  return {
    isReady,
    queue,
    // Among the queue's own keys, because a user may have access to no others. Refused also when memory is full.
    write: async (definition) =>
      connection.set(queue(definition).toKey('write-check'), '1', 'PX', writeCheckTtlMs),
    async close() {
      connection.disconnect();
      await queues.close();
    },
  };
}

function connectToPostgres(databaseUrl: string, log: Log): QueueConnection {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const pool = openQueuePool(databaseUrl, 'qrelay queue', poolSizes.web.queue);
  const logError = logConnectionErrors(log);
  const queues = cacheQueues((name, options) => {
    const queue = new PostgresQueue(name, { ...options, connection: pool });
    queue.on('error', logError);
    // It differs from a queue on Redis only in the type of its connection.
    return queue as unknown as Queue;
  });
  return {
    isReady: () => true,
    queue: queues.open,
    // Deletes nothing, and is refused by a read-only server.
    write: (definition) => queues.open(definition).removeDeduplicationKey('write-check'),
    async close() {
      await queues.close();
      await pool.end();
    },
  };
}

function cacheQueues(create: (name: string, options: Omit<QueueOptions, 'connection'>) => Queue) {
  const opened = new Map<string, Queue>();
  return {
    open<Data>({ name, retries, retention }: QueueDefinition<Data>): Queue<Data> {
      let queue = opened.get(name);
      if (!queue) {
        // `growing` is not one of BullMQ's own strategies, so the worker calls `retries.delayMs`.
        const backoff = { type: 'growing' };
        queue = create(name, { defaultJobOptions: { ...retention, attempts: retries.attempts, backoff } });
        opened.set(name, queue);
      }
      return queue as Queue<Data>;
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((queue) => queue.close().catch(() => undefined)));
    },
  };
}
