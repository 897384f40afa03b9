import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { AppError } from '../errors.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import { isDatabaseUnavailable } from '../store/database.ts';
import { redisAddress } from '../store/redis-address.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import {
  connectToQueues,
  isOnRedis,
  type QueueConnection,
  type QueuePlace,
  waitUntilReady,
} from './queue-connection.ts';
import { isJobOf, type QueueDefinition } from './queue-definition.ts';
import { type QueueDepth, queueDepth } from './queue-depth.ts';
import { allQueues, queuesInUse } from './queues.ts';
import { canOpen, countScans, type ScanJob, sealAddresses } from './scan-jobs.ts';
import { isBundle } from './scan-bundles.ts';
import { scanQueue } from './scan-queue.ts';

const connectTimeoutMs = 2_000;
const queryTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;
const retryAfterSeconds = 5;

export interface OpenedQueue {
  definition: QueueDefinition;
  queue: Queue<unknown>;
}

/** The jobs of the queues, for operators. Opens its connection when it is first used. */
export interface QueueAccess {
  /** Every queue that is in use. */
  open(): Promise<OpenedQueue[]>;
  /** Throws a 503 where the queues cannot be reached. */
  query<Result>(query: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export function createQueueAccess({ place, log }: { place: QueuePlace; log: Log }): QueueAccess {
  let connection: QueueConnection | undefined;

  // At the first visit, so that other web processes have no extra connection.
  async function connect(): Promise<QueueConnection> {
    connection ??= connectToQueues(place, log);
    for (const giveUpAt = Date.now() + connectTimeoutMs; !connection.isReady(); await sleep(20)) {
      if (Date.now() > giveUpAt) throw unreachableError();
    }
    return connection;
  }

  async function query<Result>(work: () => Promise<Result>): Promise<Result> {
    const { isReady } = await connect();
    try {
      return await withTimeout(queryTimeoutMs, work());
    } catch (error) {
      throw isReady() && !isUnreachable(error) ? error : unreachableError(error);
    }
  }

  return {
    query,
    async open() {
      const { queue, hasJobs } = await connect();
      const definitions = await query(() => queuesInUse(allQueues, place, hasJobs));
      return definitions.map((definition) => ({ definition, queue: queue(definition) }));
    },
    async close() {
      if (connection) await withTimeout(closeTimeoutMs, connection.close()).catch(() => undefined);
    },
  };
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof TimeoutError || isDatabaseUnavailable(error)) return true;
  // ioredis's error for a server that hangs.
  return error instanceof Error && error.message === 'Command timed out';
}

function unreachableError(cause?: unknown): AppError {
  return new AppError(
    'internal_error',
    'The queue cannot be reached. Scans are kept until it is back. Check that Redis or PostgreSQL is running, then try again.',
    { status: 503, headers: { 'Retry-After': String(retryAfterSeconds) }, cause },
  );
}

/** The message of a failed knex statement starts with the statement and its values, up to the last dash. */
const failedStatement = /^(\w*error: )?(?:insert into|update|delete from|select|with)\s[\s\S]* - /i;

/** For showing why a job failed: values of the statement may be about the people who scanned. */
export function withoutStatement(reason: string): string {
  return reason.replace(failedStatement, '$1');
}

/** A job may hold 500 scans. */
const pageSize = 20;

/** The failed jobs, oldest first. Jobs that are retried meanwhile may be missing from the next page. */
export async function* failedJobs<Data>(queue: Queue<Data>): AsyncGenerator<Job<Data>> {
  for (let start = 0; ; start += pageSize) {
    const page = await queue.getJobs(['failed'], start, start + pageSize - 1, true);
    yield* page;
    if (page.length < pageSize) return;
  }
}

/**
 * Puts the jobs that have failed by now back into the queue, with all their attempts; calls `onRetried` after each. One
 * that fails again goes to the end of the list, and is not retried again. Stops early when `isOver`.
 */
export async function retryFailedJobs(
  queue: Queue<unknown>,
  onRetried: () => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (let left = await queue.getFailedCount(); left > 0 && !isOver(); left -= 1) {
    const [job] = await queue.getJobs(['failed'], 0, 0, true);
    if (!job) return;
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      onRetried();
    } catch (error) {
      // No longer failed: another operator retried it first.
      if (await job.isFailed()) throw error;
    }
  }
}

/** False where there is no such failed job, such as one that somebody else has retried. */
export async function retryFailedJob(queue: Queue<unknown>, id: string): Promise<boolean> {
  const job = await queue.getJob(id);
  if (!job || !(await job.isFailed())) return false;
  await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
  return true;
}

interface Keys {
  sealingKey: Buffer;
  openingKeys: readonly Buffer[];
}

/** Empties the client addresses of failed jobs that no key opens, and returns how many jobs that were. */
export async function dropUnreadableAddresses(
  queue: Queue<unknown>,
  { sealingKey, openingKeys }: Keys,
): Promise<number> {
  let dropped = 0;
  for await (const job of failedJobs(queue)) {
    const { data } = job;
    if (!isJobOf(scanQueue, data) || isBundle(data) || canOpen(data.sealedAddresses, openingKeys)) continue;
    const empty = Array.from({ length: countScans(data) }, () => '');
    await job.updateData({ ...data, sealedAddresses: sealAddresses(empty, sealingKey) });
    dropped += 1;
  }
  return dropped;
}

/**
 * Opens the queues for these kinds of jobs, those beyond SCAN_QUEUES that have jobs included, and closes them after the work.
 * Rejects with a SetupError where they cannot be reached.
 */
export async function withQueues<Value>(
  place: QueuePlace,
  kinds: readonly QueueDefinition[],
  work: (queues: OpenedQueue[], connection: QueueConnection) => Promise<Value>,
  options: { isReadOnly?: boolean } = {},
): Promise<Value> {
  const connection = connectToQueues(place, createLog('cli', 'silent'), options);
  try {
    await waitUntilReady(connection);
    const definitions = await queuesInUse(kinds, place, connection.hasJobs);
    const queues = definitions.map((definition) => ({ definition, queue: connection.queue(definition) }));
    return await work(queues, connection);
  } finally {
    await connection.close();
  }
}

export interface QueueStatus extends QueueDepth {
  definition: QueueDefinition;
  /** Workers that are connected, busy or idle. */
  workers: number;
}

/** How full the queues are, and who works on them. Changes nothing. */
export async function readQueueStatuses(
  place: QueuePlace,
  kinds: readonly QueueDefinition[],
): Promise<QueueStatus[]> {
  // Redis lists the clients of all its databases; another one may have a queue of the same name.
  const database = isOnRedis(place) ? redisAddress(place.redisUrl).database : undefined;
  const isOurs = ({ db }: Record<string, string>) =>
    database === undefined || db === undefined || Number(db) === database;
  async function readAll(queues: OpenedQueue[]): Promise<QueueStatus[]> {
    const statuses: QueueStatus[] = [];
    for (const { definition, queue } of queues) {
      const workers = (await queue.getWorkers()).filter(isOurs).length;
      statuses.push({ ...(await queueDepth(queue)), definition, workers });
    }
    return statuses;
  }
  return withQueues(place, kinds, readAll, { isReadOnly: true });
}

export interface JobSample {
  /** Jobs of scans that are not done, failed ones included. */
  total: number;
  /** The oldest of them. */
  jobs: ScanJob[];
}

/** Reads at most `limit` jobs of each queue of scans, and changes nothing. */
export async function sampleScanJobs(place: QueuePlace, limit: number): Promise<JobSample> {
  async function sampleAll(queues: OpenedQueue[], { bundles }: QueueConnection): Promise<JobSample> {
    const sample: JobSample = { total: 0, jobs: [] };
    for (const { definition, queue } of queues) {
      const states = ['wait', 'active', 'delayed', 'failed'] as const;
      const counts = await queue.getJobCounts(...states);
      sample.total += states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
      // One that is done meanwhile is missing from its page.
      for (const job of await queue.getJobs([...states], 0, limit - 1, true)) {
        if (!job || !isJobOf(scanQueue, job.data)) continue;
        if (isBundle(job.data)) sample.jobs.push(...(await bundles(definition).peek(job.data.bundle)));
        else sample.jobs.push(job.data);
      }
    }
    return sample;
  }
  return withQueues(place, [scanQueue], sampleAll, { isReadOnly: true });
}
