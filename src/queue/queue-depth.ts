import type { Queue } from 'bullmq';
import type { ScanJob } from './scan-jobs.ts';

/** How full the queue is. */
export interface QueueDepth {
  jobs: { waiting: number; active: number; delayed: number; failed: number };
  /** 0 where no job waits. Of those put back, only the next few are looked at: it may be a little more. */
  oldestWaitingMs: number;
}

const delayedLookedAt = 5;

/** One question after the other: on Postgres the queue has few connections, and redirects wait for them. */
export async function queueDepth(queue: Queue<ScanJob>): Promise<QueueDepth> {
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  const next = await queue.getJobs(['waiting'], 0, 0, true);
  const putBack = await queue.getJobs(['delayed'], 0, delayedLookedAt - 1, true);
  const since = [...next, ...putBack].map(({ timestamp }) => timestamp);
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  return {
    jobs: { waiting, active, delayed, failed },
    oldestWaitingMs: since.length > 0 ? Math.max(0, Date.now() - Math.min(...since)) : 0,
  };
}
