import {
  createPostgresBackend,
  DelayedError,
  type Job,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { JobOutcome } from '../telemetry/worker-metrics.ts';
import { isJobOf } from './job-contract.ts';
import { registerSchedule } from './job-schedule.ts';
import { logConnectionErrors } from './log-connection-errors.ts';
import { isOnRedis, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { queuePrefix } from './queue-keys.ts';
import { closeRedis, openRedisForWorker } from './redis-client.ts';
import { withBackoff } from './worker-backoff.ts';
import { withGathering } from './worker-gathering.ts';
import { openWorkerPool, ownPoolSize, type WorkerPool } from './worker-pool.ts';

export interface QueueWorker {
  /** Finishes the jobs that are running. */
  close(): Promise<void>;
}

/** Called at least once for each job: it must be safe to repeat. */
export type JobHandler<Data> = (data: Data) => Promise<void>;

/** Thrown by a handler that could not do its work now and lost nothing: the job is delayed, and no attempt is used up. */
export class TryLaterError extends Error {
  override name = 'TryLaterError';
  /** The unfinished part of the job's data, if some of the work was done. */
  readonly remaining: object | undefined;

  constructor(message: string, { cause, remaining }: { cause?: unknown; remaining?: object } = {}) {
    super(message, { cause });
    this.remaining = remaining;
  }
}

const RedisWorker = withBackoff(Worker);
const PostgresWorker = withBackoff(withBackend(createPostgresBackend).Worker as unknown as typeof Worker);
const closeTimeoutMs = 10_000;
const restartDelayMs = 2_000;

const workerOptions = {
  // The job of a killed worker is taken up again after two of these, however often that happens.
  lockDuration: 5_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  // With BullMQ's default, a worker would take 15 s to close while the queue is down.
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

export interface QueueWorkerOptions {
  onOutcome?: (outcome: JobOutcome) => void;
  /** With the queues in Postgres: connections that the worker shares with others. Without, it opens its own. */
  sharedPool?: WorkerPool | undefined;
}

export function openQueueWorker<Data>(
  place: QueuePlace,
  queue: QueueDefinition<Data>,
  handle: JobHandler<Data>,
  log: Log,
  { onOutcome = () => undefined, sharedPool }: QueueWorkerOptions = {},
): QueueWorker {
  const { name, concurrency, retries, gatherMs } = queue;
  const logDelayed = throttle((err, jobs) =>
    log.warn({ err, jobs, queue: name }, 'jobs could not be done now and are tried again later'),
  );
  async function process(job: Job<unknown>, token?: string): Promise<void> {
    let outcome: JobOutcome = 'failed';
    try {
      // An ordinary failure, with all its attempts: during an upgrade, a worker of the newer release may accept it.
      if (!isJobOf(queue, job.data))
        throw new Error(`The data of the job does not match the contract of ${name}`);
      await handle(job.data);
      outcome = 'done';
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw error;
      outcome = 'put_back';
      logDelayed(error.cause ?? error);
      if (error.remaining) await job.updateData(error.remaining);
      await job.moveToDelayed(Date.now() + retries.delayMs(job.attemptsStarted), token);
      throw new DelayedError();
    } finally {
      onOutcome(outcome);
    }
  }
  const logError = logConnectionErrors(log, isOnRedis(place) ? place : undefined);
  const logFailed = throttle((err, jobs) => log.error({ err, jobs, queue: name }, 'jobs failed'));
  const options = { ...workerOptions, concurrency, settings: { backoffStrategy: retries.delayMs } };
  const ownPool =
    isOnRedis(place) || sharedPool
      ? undefined
      : openWorkerPool(place.databaseUrl, ownPoolSize(queue), logError);
  const pool = sharedPool ?? ownPool;
  const schedule = registerSchedule(place, queue, log, { pool });
  let closing = false;
  let restart: NodeJS.Timeout | undefined;
  let current = start();

  function start() {
    const redis = isOnRedis(place) ? openRedisForWorker(place) : undefined;
    redis?.on('error', () => undefined); // logged by the worker already
    const Base = redis ? RedisWorker : PostgresWorker;
    const QueueWorker = gatherMs === undefined ? Base : withGathering(Base, gatherMs);
    const worker = redis
      ? new QueueWorker(name, process, {
          ...options,
          connection: redis,
          prefix: queuePrefix(place.redisUrl ?? '', queue),
        })
      : new QueueWorker(name, process, {
          ...options,
          // In seconds. A connection that was lost without a word brings no notification: until then nothing is fetched.
          drainDelay: 1,
          connection: (pool as WorkerPool).connection,
        });
    worker.on('error', logError);
    worker.on('failed', (_job, err) => logFailed(err));
    const started = { worker, redis };
    worker.waitUntilReady().catch((err: unknown) => {
      if (closing) return;
      // BullMQ remembers that its first command failed, and never becomes ready: only a new worker can.
      logError(err);
      restart = setTimeout(() => {
        void end(started);
        current = start();
      }, restartDelayMs);
    });
    return started;
  }

  async function end({ worker, redis }: ReturnType<typeof start>): Promise<void> {
    // A server that hangs must not delay us: a job whose end it does not learn of is delivered again.
    await withTimeout(closeTimeoutMs, worker.close()).catch((err: unknown) =>
      log.warn({ err, queue: name }, 'the queue did not respond while its worker was closed'),
    );
    if (redis) closeRedis(redis);
  }

  return {
    async close() {
      closing = true;
      clearTimeout(restart);
      await Promise.all([end(current), schedule.close()]);
      await ownPool?.close();
    },
  };
}
