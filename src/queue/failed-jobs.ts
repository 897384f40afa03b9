import type { Job, Queue } from 'bullmq';
import type { ScanJob } from './scan-jobs.ts';

/** A job may hold 500 scans. */
const pageSize = 20;

/** The jobs that were given up, oldest first. Those that are retried meanwhile are gone from the next page. */
export async function* failedJobs(queue: Queue<ScanJob>): AsyncGenerator<Job<ScanJob>> {
  for (let start = 0; ; start += pageSize) {
    const page = await queue.getJobs(['failed'], start, start + pageSize - 1, true);
    yield* page;
    if (page.length < pageSize) return;
  }
}

/**
 * Puts those that have failed by now back into the queue, with all their attempts. `done` is called after each. One that
 * fails again goes to the end, and is not retried without an end.
 */
export async function retryFailedJobs(queue: Queue<ScanJob>, done: () => void): Promise<void> {
  for (let left = await queue.getFailedCount(); left > 0; left -= 1) {
    const [job] = await queue.getJobs(['failed'], 0, 0, true);
    if (!job) return;
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      done();
    } catch (error) {
      // Where it is no longer there, somebody else was faster.
      if (await job.isFailed()) throw error;
    }
  }
}
