import type { Job, Queue } from 'bullmq';
import { withTimeout } from '../runtime/timeout.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';

/** How full a queue is. */
export interface QueueDepth {
  queue: string;
  jobs: { waiting: number; active: number; delayed: number; failed: number };
  /** 0 when no job waits. Of the delayed jobs only the next few are read, so the oldest may be a little older. */
  oldestWaitingMs: number;
}

const delayedJobsRead = 5;
/** Metrics are waited for one second. */
const readTimeoutMs = 700;

/** One after the other: on Postgres there are few connections, and redirects wait for them. */
export async function readDepths(
  { queue }: Pick<QueueConnection, 'queue'>,
  definitions: readonly QueueDefinition[],
): Promise<QueueDepth[]> {
  const depths: QueueDepth[] = [];
  for (const definition of definitions) depths.push(await queueDepth(queue(definition)));
  return depths;
}

/** Of a cluster, one node may be down. Rejects when no queue can be read. */
export async function readDepthsOfReachable(
  { queue }: Pick<QueueConnection, 'queue'>,
  definitions: readonly QueueDefinition[],
): Promise<QueueDepth[]> {
  const results = await Promise.allSettled(
    definitions.map(async (definition) => withTimeout(readTimeoutMs, queueDepth(queue(definition)))),
  );
  const depths = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = results;
  if (depths.length === 0 && first?.status === 'rejected') throw first.reason;
  return depths;
}

/** Sequential: on Postgres the queue has few connections, and redirects wait for them. */
export async function queueDepth(queue: Queue<unknown>): Promise<QueueDepth> {
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  const next = await queue.getJobs(['waiting'], 0, 0, true);
  const delayedNext = await queue.getJobs(['delayed'], 0, delayedJobsRead - 1, true);
  const late = [...next, ...delayedNext.filter((job) => !isNotDueYet(job))];
  const addedAt = late.map(({ timestamp }) => timestamp);
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  return {
    queue: queue.name,
    jobs: { waiting, active, delayed, failed },
    oldestWaitingMs: addedAt.length > 0 ? Math.max(0, Date.now() - Math.min(...addedAt)) : 0,
  };
}

/** The next job of a schedule is delayed from the start. */
function isNotDueYet({ repeatJobKey, attemptsStarted }: Job): boolean {
  return repeatJobKey !== undefined && attemptsStarted === 0;
}
