import { housekeepingQueue } from './housekeeping-queue.ts';
import { partitionQueue } from './partition-queue.ts';
import { purgeQueue } from './purge-queue.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { scanQueue } from './scan-queue.ts';

/**
 * THE list of queues, one for each kind of job. The worker process, the depth metrics, the queue board, `qrelay doctor`
 * and `qrelay queue` follow from it; workers/handlers.ts has a handler for each.
 */
export const queues = {
  scans: scanQueue,
  purge: purgeQueue,
  partitions: partitionQueue,
  housekeeping: housekeepingQueue,
} as const;

export const allQueues: readonly QueueDefinition[] = Object.values(queues);
