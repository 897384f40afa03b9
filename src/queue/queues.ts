import type { Static } from 'typebox';
import { Type } from '../schema.ts';
import { mailQueue } from './mail-queue.ts';
import { periodicQueue } from './periodic-queue.ts';
import type { QueuePlace } from './queue-connection.ts';
import { defineQueue, type QueueDefinition } from './queue-definition.ts';
import { scanQueue, scanQueues, scanQueuesBeyond } from './scan-queue.ts';

const contract = Type.Object({
  userId: Type.String({ maxLength: 36 }),
  requestId: Type.String({ maxLength: 36 }),
});

export type ExportJob = Static<typeof contract>;

/** Builds the archive with all data of an account, which its owner has asked for. */
export const exportQueue = defineQueue({
  name: 'exports',
  jobName: 'build',
  description: 'Exports of accounts that their owners asked for',
  contract,
  concurrency: 1,
  retries: { attempts: 5, delayMs: (attempt) => 5_000 * 2 ** Math.min(attempt, 6) },
  retention: { removeOnComplete: true, removeOnFail: { count: 100 } },
  items: { noun: 'export', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'users wait for the export of their data',
    failed: 'they are built again within half an hour, for a day; then their users are told',
    noWorker: 'no exports are built until one is',
  },
});

/**
 * THE list of queues, one for each kind of job. The worker process, the depth metrics, the queue board, `qrelay doctor`
 * and `qrelay queue` follow from it; workers/worker-service.ts has a handler for each.
 */
export const queues = {
  scans: scanQueue,
  periodic: periodicQueue,
  mail: mailQueue,
  exports: exportQueue,
} as const;

export const allQueues: readonly QueueDefinition[] = Object.values(queues);

type Spread = Pick<QueuePlace, 'scanQueues'>;

/** The queues that jobs of this kind are spread over: itself, or as many as SCAN_QUEUES says. */
export function queuesFor(queue: QueueDefinition, { scanQueues: count = 1 }: Spread): QueueDefinition[] {
  return queue.name === scanQueue.name ? scanQueues(count) : [queue];
}

/** The queues that may have jobs of this kind from a time when SCAN_QUEUES was higher, or from processes where it is. */
export function queuesBeyond(queue: QueueDefinition, { scanQueues: count = 1 }: Spread): QueueDefinition[] {
  return queue.name === scanQueue.name ? scanQueuesBeyond(count) : [];
}

/** The queues for these kinds of jobs, and those beyond SCAN_QUEUES that still have jobs. */
export async function queuesInUse(
  kinds: readonly QueueDefinition[],
  place: QueuePlace,
  hasJobs: (queue: QueueDefinition) => Promise<boolean>,
): Promise<QueueDefinition[]> {
  const found = await Promise.all(
    kinds.map(async (kind) => [...queuesFor(kind, place), ...(await leftOver(kind, place, hasJobs))]),
  );
  return found.flat();
}

/** The queues beyond SCAN_QUEUES that still have jobs of this kind. One that cannot be read counts as empty. */
export async function leftOver(
  kind: QueueDefinition,
  place: QueuePlace,
  hasJobs: (queue: QueueDefinition) => Promise<boolean>,
): Promise<QueueDefinition[]> {
  // In Postgres there is always one queue for each kind.
  if (!place.redisUrl) return [];
  const beyond = queuesBeyond(kind, place);
  const inUse = await Promise.all(beyond.map((queue) => hasJobs(queue).catch(() => false)));
  return beyond.filter((_, index) => inUse[index]);
}
