import { openThread } from '../runtime/thread.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import type { QueueClient } from './queue-client.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { QueueDepth } from './queue-depth.ts';
import type { QueueRequest, QueueThreadData } from './queue-thread-main.ts';
import type { RawScan } from './scan-jobs.ts';

/** Longer than the thread itself allows for closing. */
const closeTimeoutMs = 4_000;

export interface QueueThread extends QueueClient {
  /** Makes one job of these scans; resolves when the queue has it. */
  enqueue(scans: RawScan[]): Promise<unknown>;
}

/**
 * The queue client in a thread of its own, so that BullMQ's work for a batch does not delay redirects. Resolves when the
 * thread is running, whether or not the queue can be reached.
 */
export async function openQueueThread(place: QueuePlace, sealingKey: Buffer, log: Log): Promise<QueueThread> {
  let isReady = false;
  const data: QueueThreadData = { place, sealingKey, logLevel: log.level as QueueThreadData['logLevel'] };
  const thread = await openThread<QueueRequest, boolean>({
    file: new URL('queue-thread-main.js', import.meta.url),
    data,
    onEvent: (ready) => {
      isReady = ready;
    },
    onExit: () => {
      isReady = false;
    },
    name: 'queue',
    log,
  });
  return {
    isReady: () => isReady,
    // A string is transferred at a fraction of the cost of an array of objects.
    enqueue: (scans) => thread.call({ type: 'enqueue', scans: JSON.stringify(scans) }),
    add: (queue, job) => thread.call({ type: 'add', queue: queue.name, data: job }),
    checkWrites: async () => void (await thread.call({ type: 'checkWrites' })),
    pending: async (queue) => Number(await thread.call({ type: 'pending', queue: queue.name })),
    depths: async () => (await thread.call({ type: 'depths' })) as QueueDepth[],
    async close() {
      await withTimeout(closeTimeoutMs, thread.call({ type: 'close' })).catch(() => undefined);
      await thread.end();
    },
  };
}
