import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './database.ts';

/** A minute in all. */
const delaysMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** For what must be stored because it cannot be undone, such as that a mail was sent: tries again while the database is away. */
export async function retryUnavailable(work: () => Promise<void>): Promise<void> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await sleep(delayMs);
    }
  }
  return work();
}
