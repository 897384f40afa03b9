import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';

const timeoutMs = 5_000;

/** For commands that cannot work without the queue. */
export async function waitUntilReady(queue: { isReady(): boolean }): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !queue.isReady(); await sleep(20)) {
    if (Date.now() > deadline)
      throw new SetupError(
        'The queue cannot be reached. Check that Redis is running and REDIS_URL is right.',
      );
  }
}
