import { spreadTag } from './hash-slot.ts';
import type { QueueDefinition } from './queue-definition.ts';
import type { ScanJob } from './scan-jobs.ts';
import { scanQueue } from './scan-queue.ts';

/** More are not looked for when SCAN_QUEUES is lowered. */
export const maxScanQueues = 64;

const made = new Map<number, QueueDefinition<ScanJob>>([[1, scanQueue]]);

/** The first keeps the name `scans`. */
function numbered(number: number): QueueDefinition<ScanJob> {
  let queue = made.get(number);
  if (!queue) {
    queue = { ...scanQueue, name: `${scanQueue.name}-${number}`, hashTag: spreadTag(scanQueue.name, number) };
    made.set(number, queue);
  }
  return queue;
}

/** The jobs that a worker process runs at a time are shared out among the queues. */
export function scanQueues(count: number): QueueDefinition<ScanJob>[] {
  const concurrency = Math.ceil(scanQueue.concurrency / count);
  return numberedFrom(1, count).map((queue) => (count === 1 ? queue : { ...queue, concurrency }));
}

export function scanQueuesBeyond(count: number): QueueDefinition<ScanJob>[] {
  return numberedFrom(count + 1, maxScanQueues).map((queue) => ({ ...queue, concurrency: 1 }));
}

function numberedFrom(first: number, last: number): QueueDefinition<ScanJob>[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => numbered(first + index));
}
