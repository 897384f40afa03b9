import type { Confirm, Outcome } from './journal.ts';
import { jobIdOf, listScans, type ScanJob } from './scan-jobs.ts';

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
