import type { Job, Queue } from 'bullmq';
import { withTimeout } from '../runtime/timeout.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';

/** How full a queue is. */
export interface QueueDepth {
  queue: string;
  jobs: {
    /** For a worker, including the job of a schedule that is due. */
    waiting: number;
    active: number;
    /** To be tried again later. */
    delayed: number;
    /** The next job of a schedule, until it is due. */
    scheduled: number;
    failed: number;
  };
  /** 0 when no job waits. Only the next few delayed jobs are read, so the oldest may be a little older. */
  oldestWaitingMs: number;
}

const delayedJobsRead = 20;
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

/** Skips queues on nodes of a cluster that are down. Rejects when no queue can be read. */
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
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  const next = await queue.getJobs(['waiting'], 0, 0, true);
  const delayedNext = await queue.getJobs(['delayed'], 0, delayedJobsRead - 1, true);
  const scheduled = await countScheduled(queue, delayed);
  const now = Date.now();
  const late = delayedNext.filter((job) => waitsSince(job) <= now);
  // Only a worker moves a job from `delayed` to `waiting`: without one, a job of the schedule stays there when it is due.
  const due = late.filter(
    ({ repeatJobKey, attemptsStarted }) => repeatJobKey && attemptsStarted === 0,
  ).length;
  return {
    queue: queue.name,
    jobs: {
      waiting: waiting + due,
      active,
      delayed: Math.max(0, delayed - scheduled - due),
      scheduled,
      failed,
    },
    oldestWaitingMs: Math.max(0, ...[...next, ...late].map((job) => now - waitsSince(job))),
  };
}

/** Unfinished jobs, without the next job of a schedule until it is due. */
export async function countPending(queue: Queue<unknown>): Promise<number> {
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
  const { waiting = 0, active = 0, delayed = 0, prioritized = 0 } = counts;
  return waiting + active + prioritized + delayed - (await countScheduled(queue, delayed));
}

/** From the schedules themselves: among many delayed jobs, theirs may be anywhere. */
async function countScheduled(queue: Queue<unknown>, delayed: number): Promise<number> {
  if (delayed === 0) return 0;
  const schedules = await queue.getJobSchedulers();
  return schedules.filter(({ next = 0 }) => next > Date.now()).length;
}

/** A job of a schedule is added long before it is due, and its id ends in the time at which it is. */
function waitsSince({ id = '', repeatJobKey, timestamp }: Job): number {
  return repeatJobKey ? Number(id.slice(id.lastIndexOf(':') + 1)) : timestamp;
}
