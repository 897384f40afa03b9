import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * Lets everything else go first: redirects must not wait for what this thread computes. On Linux this sets the priority of
 * the calling thread; elsewhere it would be that of the process.
 *
 * On a busy machine, little is left for the lowest priority. `isTimed` is for a thread that must get something done in a given
 * time: it has a tenth of the share of others.
 */
export function lowerThreadPriority({ isTimed = false } = {}): void {
  if (process.platform === 'linux') setPriority(isTimed ? PRIORITY_BELOW_NORMAL : PRIORITY_LOW);
}
