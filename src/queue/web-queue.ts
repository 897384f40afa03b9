import type { Log } from '../telemetry/log.ts';
import type { ScanKey } from './journal-check.ts';
import type { QueueAgreement } from './queue-agreement.ts';
import { openQueueClient, type QueueClient } from './queue-client.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { ScanJob } from './scan-jobs.ts';
import type { JournalSettings, JournalState } from './scan-journal.ts';
import { scanQueue } from './scan-queue.ts';

export interface WebQueue extends Omit<QueueClient, 'hasScanJobs'> {
  /** Undefined without a journal. */
  journalState(): JournalState | undefined;
}

interface WebQueueOptions {
  place: QueuePlace;
  /** Until the processes agree on the queue, it takes nothing. */
  agreement?: Pick<QueueAgreement, 'isAgreed' | 'reason'>;
  log: Log;
  onRoundTrip?: (ms: number) => void;
  journal?: (JournalSettings & { findUnrecorded(scans: ScanKey[]): Promise<string[]> }) | undefined;
}

/** The queue client of a web process, and the journal of what it sends. Does not wait until the queue can be reached. */
export async function openWebQueue({
  place,
  agreement = { isAgreed: () => true, reason: () => new Error() },
  log,
  onRoundTrip,
  journal: settings,
}: WebQueueOptions): Promise<WebQueue> {
  let changedAt = performance.now();
  const client = openQueueClient({
    place,
    log,
    onReadinessChange: () => {
      changedAt = performance.now();
    },
    onRoundTrip,
    identifyScanJobs: settings !== undefined,
  });
  const isReady = () => agreement.isAgreed() && client.isReady();
  const journal = settings && (await openJournal(settings));

  /** Loaded only when it is used. */
  async function openJournal({ findUnrecorded, ...given }: NonNullable<WebQueueOptions['journal']>) {
    const { openScanJournal } = await import('./scan-journal.ts');
    return openScanJournal({
      settings: given,
      readyForMs: () => (isReady() ? performance.now() - changedAt : 0),
      hasJobs: client.hasScanJobs,
      findUnrecorded,
      add: (job) => client.add(scanQueue, job),
      log,
    });
  }

  const addScans = (job: ScanJob) =>
    journal ? journal.keep(job, () => client.add(scanQueue, job)) : client.add(scanQueue, job);
  return {
    ...client,
    isReady,
    // A job of scans is in the journal too, if there is one.
    add(queue, data) {
      if (!agreement.isAgreed()) return Promise.reject(agreement.reason());
      return queue.name === scanQueue.name ? addScans(data as ScanJob) : client.add(queue, data);
    },
    async checkWrites() {
      if (!agreement.isAgreed()) throw agreement.reason();
      await client.checkWrites();
    },
    journalState: () => journal?.state(),
    async close() {
      await journal?.close();
      await client.close();
    },
  };
}
