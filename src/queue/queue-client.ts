import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import type { Journal } from './journal.ts';
import type { QueueAgreement } from './queue-agreement.ts';
import { addJob, connectToQueues, isOnRedis, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { countPending, type QueueDepth, readDepths, readDepthsOfReachable } from './queue-depth.ts';
import { allQueues, queuesFor, queuesInUse } from './queues.ts';
import { jobIdOf, type ScanJob } from './scan-jobs.ts';
import { createScanJournal, type JournalState, type ScanKey } from './scan-journal.ts';
import { scanQueue } from './scan-queue.ts';
import { createBundleWriter } from './scan-bundles.ts';
import { createScanWrites } from './scan-writes.ts';

/** Adds jobs to any queue, on one connection, and reads how full the queues are. The same on both engines. */
export interface QueueClient {
  /** False when it is known that `add` would fail now. */
  isReady(): boolean;
  /** Resolves when the queue has the job. A batch of scans is in one of the queues for scans, and in the journal if there is one. */
  add<Data>(queue: QueueDefinition<Data>, data: Data): Promise<void>;
  /** Rejects, with the reason, when a queue for scans takes no writes. */
  checkWrites(): Promise<void>;
  /** Unfinished jobs: waiting, active or delayed, in all queues for jobs of this kind. Scheduled jobs count when they are due. */
  pending(queue: QueueDefinition): Promise<number>;
  depths(): Promise<QueueDepth[]>;
  /** Undefined without a journal. */
  journalState(): JournalState | undefined;
  close(): Promise<void>;
}

interface QueueClientOptions {
  place: QueuePlace;
  log: Log;
  queues?: readonly QueueDefinition[];
  /** Until the processes agree on the queue, it takes nothing. */
  agreement?: Pick<QueueAgreement, 'isAgreed' | 'reason'>;
  /** Whether all workers read bundles of batches. Each batch is a job of its own if not, and with a journal. */
  workersReadBundles?: () => boolean;
  /** Called with the time that each write to a queue for scans took until it was acknowledged. */
  onRoundTrip?: (ms: number) => void;
  /** See `createScanWrites`. */
  slowAfterMs?: number;
  /** Keeps scans until they are recorded. On Redis only. */
  journal?: { files: Journal; findUnrecorded(scans: ScanKey[]): Promise<string[]> } | undefined;
}

const closeTimeoutMs = 2_000;
/** How often queues beyond SCAN_QUEUES are looked for. */
const findEveryMs = 30_000;

/**
 * The only way of a job into a queue. Does not wait until the queue can be reached.
 *
 *   producer: a batch of scans ─┬→ journal, meanwhile (scan-journal.ts)
 *                               └→ one of the queues for scans (scan-writes.ts) → BullMQ
 *   mail, export, `qrelay scans retry` … ──────────────────────────────────────→ BullMQ
 */
export function openQueueClient({
  place,
  log,
  queues = allQueues,
  agreement = { isAgreed: () => true, reason: () => new Error() },
  onRoundTrip = () => undefined,
  workersReadBundles = () => false,
  slowAfterMs,
  journal: journaling,
}: QueueClientOptions): QueueClient {
  const mayBundle = () => !journaling && workersReadBundles();
  const connection = connectToQueues(place, log, { onChange: () => scans.connectionChanged() });
  const scanQueues = queuesFor(scanQueue, place);
  const scans = createScanWrites({
    queues: scanQueues,
    add: async (queue, job) => (mayBundle() ? bundle(queue, job as ScanJob) : addAlone(queue, job)),
    write: async (queue) => connection.write(queue),
    isConnected: connection.isReady,
    onRoundTrip,
    log,
    slowAfterMs,
  });
  // The journal looks for jobs by their ids.
  const addAlone = (queue: QueueDefinition, job: unknown) =>
    connection.queue(queue).add(queue.jobName, job, journaling ? { jobId: jobIdOf(job as ScanJob) } : {});
  const writers = new Map<string, (job: ScanJob) => Promise<void>>();
  function bundle(queue: QueueDefinition, job: ScanJob): Promise<void> {
    let write = writers.get(queue.name);
    if (!write) {
      write = createBundleWriter({
        store: connection.bundles(queue),
        addJob: async (data, options) => connection.queue(queue).add(queue.jobName, data, options),
      });
      writers.set(queue.name, write);
    }
    return write(job);
  }
  const isReady = () => agreement.isAgreed() && scans.isReady();
  const journal =
    journaling &&
    createScanJournal({
      ...journaling,
      readyForMs: () => (agreement.isAgreed() ? scans.readyForMs() : 0),
      async hasJobs(ids) {
        const inEach = await Promise.all(scanQueues.map((queue) => connection.hasJobIds(queue, ids)));
        return ids.map((_, index) => inEach.some((found) => found[index]));
      },
      add: scans.add,
      log,
    });
  let inUse = queues.flatMap((queue) => queuesFor(queue, place));
  let foundAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  return {
    isReady,
    async add(queue, data) {
      // On PostgreSQL it would wait for ever.
      if (isClosed) throw new Error('The queue client is closed');
      if (!agreement.isAgreed()) throw agreement.reason();
      if (queue.name !== scanQueue.name) await addJob(connection, queue, data);
      else if (journal) await journal.keep(data as ScanJob, () => scans.add(data));
      else await scans.add(data);
    },
    async checkWrites() {
      if (!agreement.isAgreed()) throw agreement.reason();
      await scans.check();
    },
    async pending(queue) {
      let jobs = 0;
      for (const one of queuesFor(queue, place)) jobs += await countPending(connection.queue(one));
      return jobs;
    },
    async depths() {
      if (!isOnRedis(place)) return readDepths(connection, queues);
      if (performance.now() - foundAt > findEveryMs) {
        foundAt = performance.now();
        inUse = await queuesInUse(queues, place, connection.hasJobs);
      }
      return readDepthsOfReachable(connection, inUse);
    },
    journalState: () => journal?.state(),
    async close() {
      await journal?.close();
      isClosed = true;
      scans.stop();
      // A server that hangs must not delay us: the spool has whatever it did not acknowledge.
      await withTimeout(closeTimeoutMs, connection.close()).catch(() => undefined);
    },
  };
}
