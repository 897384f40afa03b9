import { constants, setPriority } from 'node:os';

/** Between normal (0) and below normal (10): a third of the share of others on a busy machine. */
const timedPriority = 5;

/**
 * Lets everything else go first: redirects must not wait for what this thread computes. On Linux this sets the priority of
 * the calling thread; elsewhere it would be that of the process.
 *
 * On a busy machine, next to nothing is left for the lowest priority. `isTimed` is for a thread that must get something done in
 * a given time.
 */
export function lowerThreadPriority({ isTimed = false } = {}): void {
  if (process.platform === 'linux') setPriority(isTimed ? timedPriority : constants.priority.PRIORITY_LOW);
}
