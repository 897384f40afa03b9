import type { Job, Queue } from 'bullmq';

/** The message of a failed knex statement starts with the statement and its values, up to the last dash. */
const failedStatement = /^(\w*error: )?(?:insert into|update|delete from|select|with)\s[\s\S]* - /i;

/** For showing why a job failed: values of the statement may be about the people who scanned. */
export function withoutStatement(reason: string): string {
  return reason.replace(failedStatement, '$1');
}

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
 * that fails again goes to the end of the list, and is not retried again. Stops early when `isOver`.
 */
export async function retryFailedJobs(
  queue: Queue<unknown>,
  onRetried: () => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (let left = await queue.getFailedCount(); left > 0 && !isOver(); left -= 1) {
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

/** False where there is no such failed job, such as one that somebody else has retried. */
export async function retryFailedJob(queue: Queue<unknown>, id: string): Promise<boolean> {
  const job = await queue.getJob(id);
  if (!job || !(await job.isFailed())) return false;
  await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
  return true;
}
