import {
  createPostgresBackend,
  DelayedError,
  type Job,
  Queue,
  runMigrations,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { PoolClient } from '../store/pool-client.ts';
import { poolSizes } from '../store/pool-sizes.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { type QueueDepth, queueDepth } from './queue-depth.ts';
import { logConnectionErrors } from './log-connection-errors.ts';
import { withBackoff } from './patient-worker.ts';
import { needsNewConnection } from './redis-errors.ts';
import { type ScanJob, scanJobName, scanQueueName } from './scan-jobs.ts';
import { watchWrites } from './write-watch.ts';

/** Where the queue lives: on Redis where there is one, else in the service's own Postgres. */
export interface QueuePlace {
  redisUrl: string | undefined;
  databaseUrl: string;
}

/** The part of BullMQ's queue that we use, the same on both engines. */
export interface ScanQueue {
  /** False where it is known that `add` would not succeed now. */
  isReady(): boolean;
  add(job: ScanJob): Promise<unknown>;
  /** Rejects, with the reason, where the queue takes no writes. */
  checkWrites(): Promise<void>;
  /** Jobs that are not done: waiting, under way, or put back for later. */
  pending(): Promise<number>;
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

const closeWithinMs = 2_000;
const writeCheckLifeMs = 10_000;

const pendingStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;

const jobOptions = {
  removeOnComplete: true,
  // Kept, so that no scan is lost with it.
  removeOnFail: false,
  attempts: 20,
  backoff: { type: 'growing' },
};

type TellReadiness = (isReady: boolean) => void;

export function openScanQueue(
  place: QueuePlace,
  log: Log,
  tellReadiness: TellReadiness = () => undefined,
): ScanQueue {
  const connection = connectToQueue(place, log, () => writes.connectionChanged());
  const { present } = connection;
  const writes = watchWrites({
    write: async () => connection.write(),
    isConnected: connection.isReady,
    tellReadiness,
    log,
  });
  return {
    isReady: writes.isReady,
    add: (job) => writes.writing(async () => present().add(scanJobName, job)),
    checkWrites: writes.check,
    pending: async () => present().getJobCountByTypes(...pendingStates),
    depth: async () => queueDepth(present()),
    async close() {
      writes.stop();
      // A server that hangs must not keep us: what it has not acknowledged is in the spool.
      await withTimeout(closeWithinMs, connection.close()).catch(() => undefined);
    },
  };
}

/** BullMQ's own queue, for those who need more of it than a `ScanQueue`. */
export interface QueueConnection {
  isReady(): boolean;
  /** Throws where the queue is not connected. */
  present(): Queue<ScanJob>;
  /** A small write that changes nothing, and fails where a job would be refused. */
  write(): Promise<unknown>;
  close(): Promise<void>;
}

export function connectToQueue(place: QueuePlace, log: Log, tellReadiness: TellReadiness): QueueConnection {
  return place.redisUrl
    ? connectToRedis(place.redisUrl, log, tellReadiness)
    : connectToPostgres(place.databaseUrl, log);
}

/** BullMQ's queue is made when Redis is there for the first time: made earlier, it would wait for it without an end. */
function connectToRedis(redisUrl: string, log: Log, tellReadiness: TellReadiness): QueueConnection {
  let queue: Queue<ScanJob> | undefined;
  const connection = new Redis(redisUrl, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // A server that hangs is otherwise waited for as long as it pleases. What was sent to it may still happen.
    commandTimeout: 3_000,
    retryStrategy: (times) => Math.min(times * 50, 500),
    reconnectOnError: needsNewConnection,
  });
  connection.on('error', logConnectionErrors(log));
  connection.on('close', () => tellReadiness(false));
  connection.on('ready', () => {
    queue ??= openQueue();
    tellReadiness(true);
  });
  function openQueue(): Queue<ScanJob> {
    const opened = new Queue<ScanJob>(scanQueueName, {
      connection,
      defaultJobOptions: jobOptions,
      // BullMQ would keep a failure of this check for good, and never add a job. The doctor looks at the version.
      skipVersionCheck: true,
    });
    opened.on('error', () => undefined); // told by the connection already
    return opened;
  }
  function present(): Queue<ScanJob> {
    if (queue && connection.status === 'ready') return queue;
    throw new Error('Redis is not connected');
  }
  return {
    isReady: () => queue !== undefined && connection.status === 'ready',
    present,
    // Beside the queue's own keys, because a user may be permitted no others. Refused also when memory is short.
    write: async () => connection.set(present().toKey('write-check'), '1', 'PX', writeCheckLifeMs),
    async close() {
      connection.disconnect();
      await queue?.close().catch(() => undefined);
    },
  };
}

function connectToPostgres(databaseUrl: string, log: Log): QueueConnection {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const queue = new PostgresQueue<ScanJob>(scanQueueName, {
    connection: postgresConnection(databaseUrl, 'qrelay queue', poolSizes.web.queue),
    defaultJobOptions: jobOptions,
  });
  queue.on('error', logConnectionErrors(log));
  return {
    isReady: () => true,
    // It differs from the other in the type of its connection only.
    present: () => queue as unknown as Queue<ScanJob>,
    // Deletes nothing, and is refused by a server that is read-only.
    write: () => queue.removeDeduplicationKey('write-check'),
    close: () => queue.close(),
  };
}

export interface ScanWorker {
  close(): Promise<void>;
}

/** Thrown by a job's handler that could not do its work now and lost nothing: the job is put back, and no attempt used. */
export class TryLaterError extends Error {
  override name = 'TryLaterError';
  /** What is left of the job, where some of it was done. */
  readonly remaining: ScanJob | undefined;

  constructor(message: string, { cause, remaining }: { cause?: unknown; remaining?: ScanJob } = {}) {
    super(message, { cause });
    this.remaining = remaining;
  }
}

const RedisWorker = withBackoff(Worker);
const PostgresWorker = withBackoff(withBackend(createPostgresBackend).Worker as unknown as typeof Worker);
const workerCloseWithinMs = 10_000;
const restartMs = 2_000;

const growingDelayMs = (times: number) => Math.min(2_000, 250 * 2 ** Math.min(times, 8));

const workerOptions = {
  concurrency: 4,
  // A killed worker's job is taken up again after two of these; however often it is killed, it is never given up.
  lockDuration: 5_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  // Its 15 s would also be how long a worker takes to end while the queue is away.
  runRetryDelay: 1_000,
  settings: { backoffStrategy: growingDelayMs },
} satisfies Partial<WorkerOptions>;

export function openScanWorker(
  place: QueuePlace,
  handle: (job: ScanJob) => Promise<void>,
  log: Log,
): ScanWorker {
  const tellPutBack = throttle((err, jobs) =>
    log.warn({ err, jobs }, 'scans could not be recorded, and were put back into the queue'),
  );
  async function process(job: Job<ScanJob>, token?: string): Promise<void> {
    try {
      await handle(job.data);
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw error;
      tellPutBack(error.cause ?? error);
      if (error.remaining) await job.updateData(error.remaining);
      await job.moveToDelayed(Date.now() + growingDelayMs(job.attemptsStarted), token);
      throw new DelayedError();
    }
  }
  const tellError = logConnectionErrors(log);
  const tellFailed = throttle((err, jobs) => log.error({ err, jobs }, 'scans were not recorded'));
  let closing = false;
  let restart: NodeJS.Timeout | undefined;
  let current = start();

  function start() {
    const redis = place.redisUrl
      ? new Redis(place.redisUrl, { maxRetriesPerRequest: null, reconnectOnError: needsNewConnection })
      : undefined;
    redis?.on('error', () => undefined); // told by the worker already
    const worker = redis
      ? new RedisWorker(scanQueueName, process, { ...workerOptions, connection: redis })
      : new PostgresWorker(scanQueueName, process, {
          ...workerOptions,
          connection: postgresConnection(place.databaseUrl, 'qrelay worker queue', poolSizes.worker.queue),
        });
    worker.on('error', tellError);
    worker.on('failed', (_job, err) => tellFailed(err));
    const started = { worker, redis };
    worker.waitUntilReady().catch((err: unknown) => {
      if (closing) return;
      // BullMQ keeps the failure of its first question for good: a new worker asks again.
      tellError(err);
      restart = setTimeout(() => {
        void end(started);
        current = start();
      }, restartMs);
    });
    return started;
  }

  async function end({ worker, redis }: ReturnType<typeof start>): Promise<void> {
    // A server that hangs must not keep us: jobs that it does not hear of are delivered again, and count once.
    await withTimeout(workerCloseWithinMs, worker.close()).catch((err: unknown) =>
      log.warn({ err }, 'the queue did not answer while the worker was closed'),
    );
    redis?.disconnect();
  }

  return {
    async close() {
      closing = true;
      clearTimeout(restart);
      await end(current);
    },
  };
}

const queryTimeoutMs = 6_000;

export function postgresConnection(databaseUrl: string, applicationName: string, max: number) {
  return {
    connectionString: databaseUrl,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    // As for our own statements: a server that hangs is given up, and its connection is not used again.
    Client: PoolClient,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
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
