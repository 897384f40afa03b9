import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { openThread } from '../runtime/thread.ts';
import type { QueuePlace, ScanQueue } from './connection.ts';
import type { QueueQuestion, QueueThreadData } from './queue-thread-main.ts';
import type { QueueDepth } from './queue-depth.ts';
import type { RawScan } from './scan-jobs.ts';

/** More than the thread allows itself. */
const closeWithinMs = 4_000;

export interface ScanRecorder extends ScanQueue {
  /** Makes one job of these scans; resolves when the queue has it. */
  record(scans: RawScan[]): Promise<unknown>;
}

/**
 * The queue in a thread of its own. What BullMQ does for a batch is then done beside the redirects, not between them.
 * Resolves when the thread answers, whether or not the queue can be reached.
 */
export async function openQueueThread(
  place: QueuePlace,
  sealingKey: Buffer,
  log: Log,
): Promise<ScanRecorder> {
  let isReady = false;
  const data: QueueThreadData = { place, sealingKey, logLevel: log.level as QueueThreadData['logLevel'] };
  const thread = await openThread<QueueQuestion, boolean>({
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
    // As one string: that is handed over at a fraction of what an array of objects costs.
    record: (scans) => thread.call({ ask: 'record', scans: JSON.stringify(scans) }),
    add: (job) => thread.call({ ask: 'add', job }),
    checkWrites: async () => void (await thread.call({ ask: 'checkWrites' })),
    pending: async () => Number(await thread.call({ ask: 'pending' })),
    depth: async () => (await thread.call({ ask: 'depth' })) as QueueDepth,
    async close() {
      await withTimeout(closeWithinMs, thread.call({ ask: 'close' })).catch(() => undefined);
      await thread.end();
    },
  };
}
