import { destinationQueue } from './destination-queue.ts';
import { exportQueue } from './export-queue.ts';
import { housekeepingQueue } from './housekeeping-queue.ts';
import { mailQueue } from './mail-queue.ts';
import { noticeQueue } from './notice-queue.ts';
import { partitionQueue } from './partition-queue.ts';
import { purgeQueue } from './purge-queue.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { scanQueue } from './scan-queue.ts';
import { scanQueues, scanQueuesBeyond } from './scan-queues.ts';
import { styleQueue } from './style-queue.ts';
import { webhookQueue } from './webhook-queue.ts';

/**
 * THE list of queues, one for each kind of job. The worker process, the depth metrics, the queue board, `qrelay doctor`
 * and `qrelay queue` follow from it; workers/handlers.ts has a handler for each.
 */
export const queues = {
  scans: scanQueue,
  purge: purgeQueue,
  partitions: partitionQueue,
  housekeeping: housekeepingQueue,
  webhooks: webhookQueue,
  mail: mailQueue,
  exports: exportQueue,
  notices: noticeQueue,
  destinations: destinationQueue,
  styles: styleQueue,
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
