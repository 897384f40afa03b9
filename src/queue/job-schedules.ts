import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../runtime/backoff.ts';
import type { Log } from '../telemetry/log.ts';
import type { WorkerPool } from './postgres-engine.ts';
import { connectToQueues, isOnRedis, type QueueConnection, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';

const defaultLookEveryMs = 60_000;
/** Removed at a time. There is usually one, and up to ten that failed. */
const maxRetiredJobs = 100;

interface ScheduleOptions {
  /** Queues of earlier releases whose schedules would only fill them: nobody takes their jobs any more. */
  retired?: readonly QueueDefinition[];
  lookEveryMs?: number;
  pool?: WorkerPool | undefined;
}

/**
 * Makes the schedules in the queue those of the definition, and removes others. Every worker process does, and the last
 * one counts. Retries until the queue takes them, and registers them again when Redis has lost them.
 */
export function registerSchedules<Data>(
  place: QueuePlace,
  definition: QueueDefinition<Data>,
  log: Log,
  { retired = [], lookEveryMs = defaultLookEveryMs, pool }: ScheduleOptions = {},
): { close(): Promise<void> } {
  const { name: queue, schedules = {} } = definition;
  const closed = new AbortController();

  async function write({ queue: open }: QueueConnection, names = Object.keys(schedules)): Promise<void> {
    for (const name of names) {
      const { data, attempts, ...repeat } = schedules[name] as (typeof schedules)[string];
      const opts = attempts === undefined ? {} : { attempts };
      await open<unknown>(definition).upsertJobScheduler(name, repeat, { name, data, opts });
    }
  }

  async function register(connection: QueueConnection): Promise<void> {
    const bullQueue = connection.queue<unknown>(definition);
    for (const { key } of await bullQueue.getJobSchedulers())
      if (!Object.hasOwn(schedules, key)) await bullQueue.removeJobScheduler(key);
    await write(connection);
    await emptyRetired(connection);
  }

  /** Workers of the previous release register theirs again once a minute while they run. */
  async function emptyRetired(connection: QueueConnection): Promise<void> {
    for (const old of retired) {
      if (!(await connection.hasJobs(old))) continue;
      const bullQueue = connection.queue(old);
      for (const { key } of await bullQueue.getJobSchedulers()) await bullQueue.removeJobScheduler(key);
      const jobs = await bullQueue.getJobs(['wait', 'delayed', 'failed'], 0, maxRetiredJobs);
      // One of a schedule that is due already stays; nobody takes it.
      for (const job of jobs) await job.remove().catch(() => undefined);
    }
  }

  async function restoreLost(connection: QueueConnection): Promise<void> {
    const known = await connection.queue(definition).getJobSchedulers();
    const lost = Object.keys(schedules).filter((name) => !known.some(({ key }) => key === name));
    if (lost.length > 0) {
      log.warn({ queue, schedules: lost }, 'the queue has lost its schedule: it is registered again');
      await write(connection, lost);
    }
    await emptyRetired(connection);
  }

  async function untilDone(work: (connection: QueueConnection) => Promise<void>): Promise<void> {
    const connection = connectToQueues(place, log, { pool });
    const backoff = createBackoff({ firstMs: 100, longestMs: 2_000 });
    try {
      while (!closed.signal.aborted) {
        try {
          await work(connection);
          return;
        } catch (err) {
          log.debug({ err, queue }, 'the schedules could not be registered yet');
          await sleep(backoff.next(0), undefined, { signal: closed.signal }).catch(() => undefined);
        }
      }
    } finally {
      await connection.close().catch(() => undefined);
    }
  }

  async function keepRegistered(): Promise<void> {
    await untilDone(register);
    // PostgreSQL does not lose them alone.
    if (Object.keys(schedules).length === 0 || !isOnRedis(place)) return;
    for (;;) {
      await sleep(lookEveryMs, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
      if (closed.signal.aborted) return;
      await untilDone(restoreLost);
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
