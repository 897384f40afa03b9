import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { AppError } from '../errors.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import { isDatabaseUnavailable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, type QueueConnection, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { allQueues } from './queues.ts';
import { queuesInUse } from './queues-in-use.ts';

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
