import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  type JobsOptions,
  type PgPool,
  Queue,
  type QueueOptions,
  withBackend,
} from 'bullmq';
import type { Config } from '../config.ts';
import { SetupError } from '../errors.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { poolSizes } from '../store/pool-sizes.ts';
import type { Log } from '../telemetry/log.ts';
import { openQueuePool, type WorkerPool } from './postgres-engine.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { type BundleStore, bundlesOnPostgres, bundlesOnRedis } from './scan-bundles.ts';
import { closeRedis, hasJobs, hasKeys, openRedis, queuePrefix, type RedisPlace } from './redis-client.ts';
import { logConnectionErrors } from './redis-errors.ts';

/** Where the queues live: on Redis where there is one, else in the service's own Postgres. */
export interface QueuePlace {
  redisUrl: string | undefined;
  redisCaFile?: string | undefined;
  databaseUrl: string;
  /** Queues that scans are spread over: 1 if not set. */
  scanQueues?: number;
}

/** Whether the queues are on Redis. */
export function isOnRedis(place: QueuePlace): place is QueuePlace & RedisPlace {
  return place.redisUrl !== undefined && place.redisUrl !== '';
}

/** Where the configuration says that the queues live. */
export function queuePlace(config: Config, databaseUrl: string): QueuePlace {
  const { redisUrl, redisCaFile, scanQueues } = config;
  return { redisUrl, redisCaFile, scanQueues, databaseUrl };
}

/** BullMQ's own queues, on one connection. */
export interface QueueConnection {
  isReady(): boolean;
  /** Throws while not connected. */
  queue<Data>(definition: QueueDefinition<Data>): Queue<Data>;
  /** Where the bundles of a queue for scans are. */
  bundles(definition: QueueDefinition): BundleStore;
  /** A small write that changes nothing, and fails where a job would be refused. */
  write(definition: QueueDefinition): Promise<unknown>;
  /** Whether the queue has jobs, failed ones included. Does not create the queue. */
  hasJobs(definition: QueueDefinition): Promise<boolean>;
  /** Whether the queue has each of these jobs, in any state. On Redis only. */
  hasJobIds(definition: QueueDefinition, ids: string[]): Promise<boolean[]>;
  close(): Promise<void>;
}

const writeCheckTtlMs = 10_000;
/** How long a page or a handler waits until the queue has its job. */
const addTimeoutMs = 5_000;

interface ConnectionOptions {
  /** Called when the connection to Redis opens or closes. */
  onChange?: () => void;
  /** With the queues in Postgres: connections that are open already, and stay open. */
  pool?: WorkerPool | undefined;
  /** Otherwise BullMQ writes metadata into each queue that is opened. */
  isReadOnly?: boolean;
}

export function connectToQueues(
  place: QueuePlace,
  log: Log,
  options: ConnectionOptions = {},
): QueueConnection {
  if (isOnRedis(place)) return connectToRedis(place, log, options);
  const { pool } = options;
  return pool
    ? queuesOnPool(pool.connection, log, options)
    : connectToPostgres(place.databaseUrl, log, options);
}

/** Adds a job other than of scans. Rejects while the queue is down. */
export async function addJob<Data>(
  { queue }: Pick<QueueConnection, 'queue'>,
  definition: QueueDefinition<Data>,
  data: Data,
  options: JobsOptions = {},
): Promise<void> {
  const opened = queue(definition) as Queue<unknown>;
  await withTimeout(addTimeoutMs, opened.add(definition.jobName, data, options));
}

/** Creates BullMQ's queues at first use: created before Redis is connected, they would wait for it forever. */
function connectToRedis(
  place: RedisPlace,
  log: Log,
  { onChange = () => undefined, isReadOnly = false }: ConnectionOptions,
): QueueConnection {
  const connection = openRedis(place);
  connection.on('error', logConnectionErrors(log, place));
  connection.on('close', onChange);
  connection.on('ready', onChange);
  const isReady = () => connection.status === 'ready';
  const queues = cacheQueues(isReadOnly, (definition, options) => {
    const created = new Queue(definition.name, {
      ...options,
      connection,
      prefix: queuePrefix(place.redisUrl, definition),
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
    bundles: (definition) => bundlesOnRedis(connection, queue(definition)),
    // Among the queue's own keys, because a user may have access to no others. Refused also when memory is full.
    write: async (definition) =>
      connection.set(queue(definition).toKey('write-check'), '1', 'PX', writeCheckTtlMs),
    hasJobs: (definition) => hasJobs(connection, place.redisUrl, definition),
    hasJobIds: async (definition, ids) =>
      hasKeys(
        connection,
        ids.map((id) => queue(definition).toKey(id)),
      ),
    async close() {
      closeRedis(connection);
      await queues.close();
    },
  };
}

function connectToPostgres(databaseUrl: string, log: Log, options: ConnectionOptions): QueueConnection {
  const pool = openQueuePool(databaseUrl, 'qrelay queue', poolSizes.web.queue);
  const queues = queuesOnPool(pool, log, options);
  return {
    ...queues,
    async close() {
      await queues.close();
      await pool.end();
    },
  };
}

function queuesOnPool(
  connection: PgPool,
  log: Log,
  { isReadOnly = false }: ConnectionOptions,
): QueueConnection {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const logError = logConnectionErrors(log);
  const queues = cacheQueues(isReadOnly, ({ name }, options) => {
    const queue = new PostgresQueue(name, { ...options, connection });
    queue.on('error', logError);
    // BullMQ remembers that the server was away when the queue was created, and then never adds a job.
    queue.waitUntilReady().catch(() => queues.discard(name));
    // It differs from a queue on Redis only in the type of its connection.
    return queue as unknown as Queue;
  });
  return {
    isReady: () => true,
    queue: queues.open,
    bundles: () => bundlesOnPostgres(connection),
    // Deletes nothing, and is refused by a read-only server.
    write: (definition) => queues.open(definition).removeDeduplicationKey('write-check'),
    async hasJobs(definition) {
      const states = ['waiting', 'active', 'delayed', 'prioritized', 'failed'] as const;
      const counts = await queues.open(definition).getJobCounts(...states);
      return Object.values(counts).some((jobs) => jobs > 0);
    },
    hasJobIds: () => Promise.reject(new Error('Jobs are not looked for in PostgreSQL')),
    close: queues.close,
  };
}

type CreateQueue = (definition: QueueDefinition, options: Omit<QueueOptions, 'connection'>) => Queue;

function cacheQueues(isReadOnly: boolean, create: CreateQueue) {
  const opened = new Map<string, Queue>();
  return {
    open<Data>(definition: QueueDefinition<Data>): Queue<Data> {
      const { name, retries, retention } = definition;
      let queue = opened.get(name);
      if (!queue) {
        // `growing` is not one of BullMQ's own strategies, so the worker calls `retries.delayMs`.
        const backoff = { type: 'growing' };
        const defaultJobOptions = { ...retention, attempts: retries.attempts, backoff };
        queue = create(definition, { defaultJobOptions, skipMetasUpdate: isReadOnly });
        opened.set(name, queue);
      }
      return queue as Queue<Data>;
    },
    /** The next use creates it again. */
    discard(name: string): void {
      const queue = opened.get(name);
      opened.delete(name);
      queue?.close().catch(() => undefined);
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((queue) => queue.close().catch(() => undefined)));
    },
  };
}

const readyTimeoutMs = 5_000;

/** For commands that cannot work without the queue. */
export async function waitUntilReady(queue: { isReady(): boolean }): Promise<void> {
  for (const deadline = Date.now() + readyTimeoutMs; !queue.isReady(); await sleep(20)) {
    if (Date.now() > deadline)
      throw new SetupError(
        'The queue cannot be reached. Check that Redis is running and REDIS_URL is right.',
      );
  }
}
