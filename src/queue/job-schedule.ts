import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { createBackoff } from '../runtime/backoff.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';

/**
 * Makes the schedule in the queue that of the definition; removes it if the definition has none. Every worker process
 * does, and the last one counts. Retries until the queue takes it.
 */
export function registerSchedule<Data>(
  place: QueuePlace,
  queue: QueueDefinition<Data>,
  log: Log,
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

  async function register(): Promise<void> {
    const connection = connectToQueues(place, log);
    const backoff = createBackoff({ firstMs: 100, longestMs: 2_000 });
    try {
      while (!closed.signal.aborted) {
        try {
          await write(connection.queue<unknown>(queue));
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

  const registered = register();
  return {
    async close() {
      closed.abort();
      await registered;
    },
  };
}
