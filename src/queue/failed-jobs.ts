import type { Job, Queue } from 'bullmq';

/** A job may hold 500 scans. */
const pageSize = 20;

/** The failed jobs, oldest first. Jobs that are retried meanwhile may be missing from the next page. */
export async function* failedJobs<Data>(queue: Queue<Data>): AsyncGenerator<Job<Data>> {
  for (let start = 0; ; start += pageSize) {
    const page = await queue.getJobs(['failed'], start, start + pageSize - 1, true);
    yield* page;
    if (page.length < pageSize) return;
  }
}

/**
 * Puts the jobs that have failed by now back into the queue, with all their attempts; calls `onRetried` after each. One
 * that fails again goes to the end of the list, and is not retried again.
 */
export async function retryFailedJobs(queue: Queue<unknown>, onRetried: () => void): Promise<void> {
  for (let left = await queue.getFailedCount(); left > 0; left -= 1) {
    const [job] = await queue.getJobs(['failed'], 0, 0, true);
    if (!job) return;
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      onRetried();
    } catch (error) {
      // No longer failed: another operator retried it first.
      if (await job.isFailed()) throw error;
    }
  }
}
