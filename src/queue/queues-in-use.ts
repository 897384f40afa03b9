import type { QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { queuesBeyond, queuesFor } from './queues.ts';

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
