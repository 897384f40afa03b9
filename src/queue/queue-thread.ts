import type { Config } from '../config.ts';
import { openThread } from '../runtime/thread.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import type { QueueClient } from './queue-client.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { QueueDepth } from './queue-depth.ts';
import type { RawScan } from './scan-jobs.ts';
import type { JournalSettings, JournalState } from './scan-journal.ts';

/** Longer than the thread itself allows for closing. */
const closeTimeoutMs = 4_000;

/** Passed to the thread at its start. The thread notifies the process whenever the queue becomes ready or not ready. */
export interface QueueThreadData {
  place: QueuePlace;
  sealingKey: Uint8Array;
  logLevel: Config['logLevel'];
  journal: JournalSettings | undefined;
}

/** `queue` is the queue's name: its definition holds functions, which cannot be sent to a thread. */
export type QueueRequest =
  | { type: 'enqueue'; scans: string }
  | { type: 'add'; queue: string; data: unknown }
  | { type: 'checkWrites' }
  | { type: 'pending'; queue: string }
  | { type: 'depths' }
  | { type: 'journal' }
  | { type: 'close' };

export interface QueueThread extends Omit<QueueClient, 'hasScanJobs'> {
  /** Makes one job of these scans; resolves when the queue has it, and the journal if there is one. */
  enqueue(scans: RawScan[]): Promise<unknown>;
  /** Undefined without a journal. */
  journalState(): Promise<JournalState | undefined>;
}

/**
 * The queue client in a thread of its own, so that BullMQ's work for a batch does not delay redirects. Resolves when the
 * thread is running, whether or not the queue can be reached.
 */
export async function openQueueThread(
  place: QueuePlace,
  sealingKey: Buffer,
  log: Log,
  journal?: JournalSettings,
): Promise<QueueThread> {
  let isReady = false;
  const logLevel = log.level as QueueThreadData['logLevel'];
  const data: QueueThreadData = { place, sealingKey, logLevel, journal };
  const thread = await openThread<QueueRequest, boolean>({
    file: new URL('../queue-thread-main.js', import.meta.url),
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
    journalState: async () =>
      journal && ((await thread.call({ type: 'journal' })) as JournalState | undefined),
    async close() {
      await withTimeout(closeTimeoutMs, thread.call({ type: 'close' })).catch(() => undefined);
      await thread.end();
    },
  };
}
