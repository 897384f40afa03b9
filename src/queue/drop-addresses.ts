import type { Queue } from 'bullmq';
import { failedJobs } from './failed-jobs.ts';
import { isJobOf } from './job-contract.ts';
import { countScans } from './scan-jobs.ts';
import { scanQueue } from './scan-queue.ts';
import { canOpen, sealAddresses } from './sealed-addresses.ts';

interface Keys {
  sealingKey: Buffer;
  openingKeys: readonly Buffer[];
}

/** Empties the client addresses of failed jobs that no key opens, and returns how many jobs that were. */
export async function dropUnreadableAddresses(
  queue: Queue<unknown>,
  { sealingKey, openingKeys }: Keys,
): Promise<number> {
  let dropped = 0;
  for await (const job of failedJobs(queue)) {
    const { data } = job;
    if (!isJobOf(scanQueue, data) || canOpen(data.sealedAddresses, openingKeys)) continue;
    const empty = Array.from({ length: countScans(data) }, () => '');
    await job.updateData({ ...data, sealedAddresses: sealAddresses(empty, sealingKey) });
    dropped += 1;
  }
  return dropped;
}
