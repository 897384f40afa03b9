import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a condition, never for a time: asks until `check` does not throw, and fails with its last complaint. Patient,
 * because a busy machine is no defect; where a time was promised, the test gives it. A check that costs much asks less often.
 */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  withinMs = 30_000,
  everyMs = 25,
): Promise<Value> {
  for (const giveUpAt = Date.now() + withinMs; ; ) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(everyMs);
    }
  }
}
