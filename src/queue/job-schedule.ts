import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { createBackoff } from '../runtime/backoff.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, isOnRedis, type QueuePlace, queuesOnPool } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import type { WorkerPool } from './worker-pool.ts';

const defaultLookEveryMs = 60_000;

/**
 * Makes the schedule in the queue that of the definition; removes it if the definition has none. Every worker process
 * does, and the last one counts. Retries until the queue takes it, and registers it again when Redis has lost it.
 */
export function registerSchedule<Data>(
  place: QueuePlace,
  queue: QueueDefinition<Data>,
  log: Log,
  { lookEveryMs = defaultLookEveryMs, pool }: { lookEveryMs?: number; pool?: WorkerPool | undefined } = {},
): { close(): Promise<void> } {
  const { name, jobName, schedule } = queue;
  const closed = new AbortController();

  async function write(bullQueue: Queue<unknown>): Promise<void> {
    if (schedule) {
      const { data, ...repeat } = schedule;
      await bullQueue.upsertJobScheduler(name, repeat, { name: jobName, data });
    } else {
      await bullQueue.removeJobScheduler(name);
    }
  }

  async function restoreIfLost(bullQueue: Queue<unknown>): Promise<void> {
    if (await bullQueue.getJobScheduler(name)) return;
    log.warn({ queue: name }, 'the queue has lost its schedule: it is registered again');
    await write(bullQueue);
  }

  async function untilDone(work: (bullQueue: Queue<unknown>) => Promise<void>): Promise<void> {
    const connection = pool ? queuesOnPool(pool.connection, log) : connectToQueues(place, log);
    const backoff = createBackoff({ firstMs: 100, longestMs: 2_000 });
    try {
      while (!closed.signal.aborted) {
        try {
          await work(connection.queue<unknown>(queue));
          return;
        } catch (err) {
          log.debug({ err, queue: name }, 'the schedule could not be registered yet');
          await sleep(backoff.next(0), undefined, { signal: closed.signal }).catch(() => undefined);
        }
      }
    } finally {
      await connection.close().catch(() => undefined);
    }
  }

  async function keepRegistered(): Promise<void> {
    await untilDone(write);
    // PostgreSQL does not lose it alone.
    if (!schedule || !isOnRedis(place)) return;
    for (;;) {
      await sleep(lookEveryMs, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
      if (closed.signal.aborted) return;
      await untilDone(restoreIfLost);
    }
  }

  const registered = keepRegistered();
  return {
    async close() {
      closed.abort();
      await registered;
    },
  };
}
