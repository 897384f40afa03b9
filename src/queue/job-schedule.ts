import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../runtime/backoff.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';

/**
 * Registers the repeating job of a queue that has one. Every worker process does, and the queue keeps one schedule: the
 * last registered. Retries until the queue takes it.
 */
export function registerSchedule<Data>(
  place: QueuePlace,
  queue: QueueDefinition<Data>,
  log: Log,
): { close(): Promise<void> } {
  const { schedule } = queue;
  if (!schedule) return { close: async () => undefined };
  const { data, ...repeat } = schedule;
  const closed = new AbortController();

  async function register(): Promise<void> {
    const connection = connectToQueues(place, log);
    const backoff = createBackoff({ firstMs: 100, longestMs: 2_000 });
    try {
      while (!closed.signal.aborted) {
        try {
          const template = { name: queue.jobName, data };
          await connection.queue<unknown>(queue).upsertJobScheduler(queue.name, repeat, template);
          return;
        } catch (err) {
          log.debug({ err, queue: queue.name }, 'the schedule could not be registered yet');
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
