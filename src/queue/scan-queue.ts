import { defineQueue, type QueueDefinition } from './queue-definition.ts';
import { Type } from '../schema.ts';
import { bundleContract, isBundle } from './scan-bundles.ts';
import { countScans, listScans, type ScanJob, scanJobContract } from './scan-jobs.ts';

export const hashSlots = 16_384;

/** How far the slot of a tag may be from the wanted one. A narrower range would take longer to find. */
const tolerance = 32;
const goldenRatio = (Math.sqrt(5) - 1) / 2;

const mostCodesShown = 20;

/** Scans on their way from the redirect into the database, many to a job. */
export const scanQueue = defineQueue({
  name: 'scans',
  jobName: 'record',
  hashTag: spreadTag('scans', 1),
  description: 'Scans waiting to be recorded',
  // A bundle stands for the jobs in it: only those who add and take it know its type.
  contract: Type.Union([scanJobContract, bundleContract]) as unknown as typeof scanJobContract,
  // Many, because the worker merges the jobs that run at the same time into one statement.
  concurrency: 32,
  gatherMs: 20,
  stalledAfterMs: 5_000,
  hasOwnPool: true,
  retries: {
    attempts: 20,
    delayMs: (attempt) => Math.min(2_000, 250 * 2 ** Math.min(attempt, 8)),
  },
  // Failed jobs are kept until an operator retries them: each holds scans that are nowhere else.
  retention: { removeOnComplete: true, removeOnFail: false },
  // How many a bundle holds is in its list.
  items: { noun: 'scan', count: (job) => (isBundle(job) ? 1 : countScans(job)) },
  // The rest is about the people who scanned.
  visibleData(data) {
    if (isBundle(data)) return data;
    const codes = [...new Set(listScans(data).map(([, codeId]) => codeId))];
    return { scans: countScans(data), codes: codes.slice(0, mostCodesShown) };
  },
  consequences: {
    late: 'analytics are delayed by as much',
    failed: 'their scans are kept but not counted',
    noWorker: 'scans are not recorded until one is',
  },
});

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

/** The slot of a key or hash tag in a Redis Cluster: CRC-16/XMODEM, modulo the number of slots. */
export function hashSlot(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc % hashSlots;
}

/**
 * The hash tag of the number-th of several queues. Each node of a cluster has a range of slots. Multiples of the golden
 * ratio fill the whole range evenly, however many there are, and the slot of a queue does not depend on how many follow.
 * Another tag would strand the jobs of its queue.
 */
export function spreadTag(name: string, number: number): string {
  const wanted = Math.floor(((number * goldenRatio) % 1) * hashSlots);
  for (let variant = 0; ; variant += 1) {
    const tag = `${name}-${number}-${variant}`;
    if (Math.abs(hashSlot(tag) - wanted) <= tolerance) return tag;
  }
}
