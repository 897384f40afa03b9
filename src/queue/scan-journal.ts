import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { Confirm, Journal, Outcome } from './journal.ts';
import { countScans, jobIdOf, listScans, type ScanJob } from './scan-jobs.ts';

/** As the metrics show it. Counts since the process was started. */
export interface JournalState {
  bytes: number;
  /** How long the oldest unconfirmed batch has been in the journal; 0 if there is none. */
  oldestMs: number;
  unjournaledScans: number;
  resentScans: number;
}

export interface ScanJournal {
  /** Runs `add`, which sends the batch to the queue, and writes the batch to the journal meanwhile. Settles as `add` does. */
  keep(job: ScanJob, add: () => Promise<unknown>): Promise<void>;
  state(): JournalState;
  /** Waits a moment for the last confirmations. What is left is adopted by the next process. */
  close(): Promise<void>;
}

interface ScanJournalOptions {
  files: Journal;
  /** For how long the queue has been taking writes; 0 if it does not. */
  readyForMs(): number;
  hasJobs(ids: string[]): Promise<boolean[]>;
  findUnrecorded(scans: ScanKey[]): Promise<string[]>;
  add(job: ScanJob): Promise<unknown>;
  log: Log;
  checkEveryMs?: number;
  minAgeMs?: number;
  appendTimeoutMs?: number;
}

/** A redirect does not wait longer for a slow disk: the queue has its scan. */
const defaultAppendTimeoutMs = 30;
const defaultCheckEveryMs = 2_000;
/** Longer than a job may be on its way to the queue: before that it would look lost. */
const defaultMinAgeMs = 5_000;
const finalChecksMs = 1_500;
const finalCheckEveryMs = 100;
const closeTimeoutMs = 1_000;

/** Writes each batch to the journal's files, and compares them with the queue and the database. */
export function createScanJournal({
  files: journal,
  readyForMs,
  hasJobs,
  findUnrecorded,
  add,
  log,
  checkEveryMs = defaultCheckEveryMs,
  minAgeMs = defaultMinAgeMs,
  appendTimeoutMs = defaultAppendTimeoutMs,
}: ScanJournalOptions): ScanJournal {
  let unjournaledScans = 0;
  let resentScans = 0;
  let isClosing = false;
  let checking = Promise.resolve();

  const logFailed = throttle((err, scans) =>
    log.error(
      { err, scans },
      'scans are not in the journal and would be lost with the queue: free space on the disk of DATA_DIR, or start more workers',
    ),
  );
  const logResent = throttle((_, scans) =>
    log.warn({ scans }, 'the queue has lost scans: they are sent again from the journal'),
  );
  const logUnchecked = throttle((err, times) =>
    log.warn({ err, times }, 'the journal could not be compared with the queue and the database yet'),
  );

  const confirm = createJournalCheck({
    hasJobs,
    findUnrecorded,
    async resend(job, lostScans) {
      // They may still be on their way to the queue.
      if (isClosing) return;
      await add(job);
      resentScans += lostScans;
      logResent(undefined, lostScans);
    },
  });

  async function check(): Promise<void> {
    // What was on its way to the queue when it went down is in the spool too, which is replayed first.
    if (readyForMs() >= minAgeMs) await journal.check(confirm, { minAgeMs, hasJobs }).catch(logUnchecked);
    schedule();
  }

  let timer: NodeJS.Timeout | undefined;
  function schedule(): void {
    if (isClosing) return;
    timer = setTimeout(() => {
      checking = check();
    }, checkEveryMs).unref();
  }
  schedule();

  return {
    async keep(job, addToQueue) {
      const appended = journal.append(job).catch((err: unknown) => {
        unjournaledScans += countScans(job);
        logFailed(err, countScans(job));
      });
      // Counted from now on: together they must take less than the time after which the batch goes to the spool.
      const written = withTimeout(appendTimeoutMs, appended).catch(() => undefined);
      await addToQueue();
      await written;
    },
    state() {
      return { bytes: journal.bytes(), oldestMs: journal.oldestMs(), unjournaledScans, resentScans };
    },
    async close() {
      isClosing = true;
      clearTimeout(timer);
      const endsAt = performance.now() + finalChecksMs;
      await withTimeout(finalChecksMs, checking).catch(() => undefined);
      while (journal.bytes() > 0 && performance.now() < endsAt) {
        const left = endsAt - performance.now();
        await withTimeout(left, journal.check(confirm, { minAgeMs: 0 })).catch(() => undefined);
        if (journal.bytes() > 0) await sleep(finalCheckEveryMs);
      }
      // A disk that hangs must not delay the end of the process.
      await withTimeout(closeTimeoutMs, journal.close()).catch(() => undefined);
    },
  };
}

/** A scan as the database knows it. */
export interface ScanKey {
  id: string;
  qrCodeId: string;
}

interface JournalCheckOptions {
  /** Whether the queue has each of these jobs: waiting, running, or failed and kept. */
  hasJobs(ids: string[]): Promise<boolean[]>;
  /** The ids of those that are not recorded, and could be. */
  findUnrecorded(scans: ScanKey[]): Promise<string[]>;
  /** Adds the job to the queue again. */
  resend(job: ScanJob, lostScans: number): Promise<unknown>;
}

/**
 * Says of each batch where it is. One that neither the queue nor the database has is sent again.
 *
 * The queue is asked first: a job leaves it only when its scans are recorded. The other way round, a job that ends between
 * the two questions would look lost.
 */
export function createJournalCheck({ hasJobs, findUnrecorded, resend }: JournalCheckOptions): Confirm {
  return async (jobs) => {
    const isQueued = await hasJobs(jobs.map(jobIdOf));
    const scansOf = jobs.map((job, index) => (isQueued[index] ? [] : listScans(job)));
    const asked = scansOf.flat().map(([id, qrCodeId]) => ({ id, qrCodeId }));
    const unrecorded = new Set(asked.length > 0 ? await findUnrecorded(asked) : []);
    const outcomes: Outcome[] = [];
    // A batch that went to the spool in between is in the journal twice.
    const resent = new Set<string>();
    for (const [index, job] of jobs.entries()) {
      const lostScans = (scansOf[index] ?? []).filter(([id]) => unrecorded.has(id)).length;
      if (lostScans > 0 && !resent.has(jobIdOf(job))) {
        await resend(job, lostScans);
        resent.add(jobIdOf(job));
      }
      if (isQueued[index]) outcomes.push('queued');
      else outcomes.push(lostScans === 0 ? 'recorded' : 'resent');
    }
    return outcomes;
  };
}
