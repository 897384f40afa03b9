import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  DelayedError,
  type Job,
  withBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { JobOutcome } from '../telemetry/worker-metrics.ts';
import { registerSchedules } from './job-schedules.ts';
import { openWorkerPool, ownPoolSize, type WorkerPool } from './postgres-engine.ts';
import { isOnRedis, type QueuePlace } from './queue-connection.ts';
import { isJobOf, type QueueDefinition } from './queue-definition.ts';
import { leftOver, queuesBeyond, queuesFor } from './queues.ts';
import { closeRedis, hasJobs, openRedisForWorker, openRedisOnce, queuePrefix } from './redis-client.ts';
import { logConnectionErrors } from './redis-errors.ts';

const findEveryMs = 60_000;

/**
 * A worker for each queue that jobs of this kind are spread over. While processes with a higher SCAN_QUEUES run, and after
 * it was lowered, there are jobs in queues beyond: they are looked for every minute, and drained as well.
 */
export function openQueueWorkers(
  place: QueuePlace,
  kind: QueueDefinition,
  handle: JobHandler<unknown>,
  log: Log,
  options?: QueueWorkerOptions,
): QueueWorker {
  const open = (queue: QueueDefinition) => openQueueWorker(place, queue, handle, log, options);
  const workers = new Map(queuesFor(kind, place).map((queue) => [queue.name, open(queue)]));
  let isClosing = false;

  async function openForLeftOver(): Promise<void> {
    for (const queue of await findLeftOver(kind, place)) {
      if (workers.has(queue.name) || isClosing) continue;
      log.warn({ queue: queue.name }, 'a queue beyond SCAN_QUEUES has jobs: it is drained');
      workers.set(queue.name, open(queue));
    }
  }
  const find = () =>
    void openForLeftOver().catch((err: unknown) =>
      log.debug({ err }, 'queues beyond SCAN_QUEUES could not be looked for'),
    );
  const finding = queuesBeyond(kind, place).length > 0 ? setInterval(find, findEveryMs).unref() : undefined;
  if (finding) find();

  return {
    async close() {
      isClosing = true;
      clearInterval(finding);
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

async function findLeftOver(kind: QueueDefinition, place: QueuePlace): Promise<QueueDefinition[]> {
  if (!isOnRedis(place)) return [];
  const redis = openRedisOnce(place);
  redis.on('error', () => undefined); // the command is rejected as well
  try {
    await redis.connect();
    return await leftOver(kind, place, (queue) => hasJobs(redis, place.redisUrl, queue));
  } finally {
    closeRedis(redis);
  }
}

export interface QueueWorker {
  /** Finishes the jobs that are running. */
  close(): Promise<void>;
}

/** Called at least once for each job: it must be safe to repeat. */
export type JobHandler<Data> = (data: Data, jobName: string, queue: QueueDefinition) => Promise<void>;

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

const defaultStalledAfterMs = 30_000;

const workerOptions = {
  // The job of a killed worker is taken up again after two of `stalledInterval`, however often that happens.
  lockDuration: 5_000,
  maxStalledCount: 1_000_000,
  // With BullMQ's default, a worker would take 15 s to close while the queue is down.
  runRetryDelay: 1_000,
  // In seconds. How long an idle worker waits before it looks by itself, should a notification have been lost.
  drainDelay: 10,
} satisfies Partial<WorkerOptions>;

export interface QueueWorkerOptions {
  onOutcome?: (outcome: JobOutcome, jobName: string) => void;
  retired?: readonly QueueDefinition[];
  /** With the queues in Postgres: connections that the worker shares with others. Without, it opens its own. */
  sharedPool?: WorkerPool | undefined;
}

export function openQueueWorker<Data>(
  place: QueuePlace,
  queue: QueueDefinition<Data>,
  handle: JobHandler<Data>,
  log: Log,
  { onOutcome = () => undefined, retired, sharedPool }: QueueWorkerOptions = {},
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
      await handle(job.data, job.name, queue);
      outcome = 'done';
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw error;
      outcome = 'put_back';
      logDelayed(error.cause ?? error);
      if (error.remaining) await job.updateData(error.remaining);
      await job.moveToDelayed(Date.now() + retries.delayMs(job.attemptsStarted), token);
      throw new DelayedError();
    } finally {
      onOutcome(outcome, job.name);
    }
  }
  const logError = logConnectionErrors(log, isOnRedis(place) ? place : undefined);
  const logFailed = throttle((err, jobs) => log.error({ err, jobs, queue: name }, 'jobs failed'));
  const stalledInterval = queue.stalledAfterMs ?? defaultStalledAfterMs;
  const options = {
    ...workerOptions,
    concurrency,
    stalledInterval,
    settings: { backoffStrategy: retries.delayMs },
  };
  const ownPool =
    isOnRedis(place) || sharedPool
      ? undefined
      : openWorkerPool(place.databaseUrl, { size: ownPoolSize(queue), queues: 1, onError: logError });
  const pool = sharedPool ?? ownPool;
  const schedules = registerSchedules(place, queue, log, { pool, ...(retired && { retired }) });
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
          drainDelay: (2 * stalledInterval) / 1_000,
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
      await Promise.all([end(current), schedules.close()]);
      await ownPool?.close();
    },
  };
}

type DelayRest = Parameters<Worker['delay']> extends [unknown?, ...infer Rest] ? Rest : never;

const longestBackoffMs = 2_000;
const pauseMs = 500;

/**
 * BullMQ backs off before it fetches again only after a refused connection. After any other error (no permission, a
 * replica, out of memory, a read-only database) it fetches again at once and uses a whole core; if its first command
 * was refused, it never even yields to the event loop. This worker backs off after every error, and stops waiting when
 * it is closed.
 */
export function withBackoff(Base: typeof Worker) {
  return class extends Base<unknown, void> {
    #failures = 0;
    readonly #closed = new AbortController();

    protected override async moveToActive(...args: Parameters<Worker['moveToActive']>) {
      try {
        const job = await super.moveToActive(...args);
        this.#failures = 0;
        return job;
      } catch (error) {
        this.#failures += 1;
        const backoffMs = Math.min(longestBackoffMs, 100 * 2 ** Math.min(this.#failures, 8));
        if (!this.closing)
          await sleep(backoffMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
        throw error;
      }
    }

    /** BullMQ passes no time after an error of the blocking command that waits for jobs. */
    override delay(milliseconds = pauseMs, ...rest: DelayRest): Promise<void> {
      return super.delay(milliseconds, ...rest);
    }

    override close(force?: boolean): Promise<void> {
      this.#closed.abort();
      return super.close(force);
    }
  };
}

/**
 * To wait for a job, to fetch it and to complete it are three commands, and each wakes both sides. A worker that keeps up
 * would send all three for every job. This one lets jobs gather after the queue was empty: then it need not wait for most of
 * them, and the handler gets them together.
 */
export function withGathering(Base: ReturnType<typeof withBackoff>, gatherMs: number) {
  return class extends Base {
    #isEmpty = false;

    constructor(...args: ConstructorParameters<typeof Base>) {
      super(...args);
      this.on('drained', () => {
        this.#isEmpty = true;
      });
    }

    protected override async moveToActive(...args: Parameters<Worker['moveToActive']>) {
      if (this.#isEmpty && !this.closing) await sleep(gatherMs);
      this.#isEmpty = false;
      return super.moveToActive(...args);
    }
  };
}
