import { setImmediate } from 'node:timers/promises';

const maxBlockMs = 5;

/** Returns a function to await between the steps of long work: every few milliseconds, it lets other requests go on. */
export function createYield(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < maxBlockMs) return;
    await setImmediate();
    startedAt = performance.now();
  };
}
