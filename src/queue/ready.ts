import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';
import type { ScanQueue } from './connection.ts';

const patienceMs = 5_000;

/** For those who cannot do without the queue: waits until it is connected, and says so where it is not. */
export async function eventuallyReady(queue: Pick<ScanQueue, 'isReady'>): Promise<void> {
  for (const giveUpAt = Date.now() + patienceMs; !queue.isReady(); await sleep(20)) {
    if (Date.now() > giveUpAt)
      throw new SetupError('The queue cannot be reached. Is Redis running, and REDIS_URL right?');
  }
}
