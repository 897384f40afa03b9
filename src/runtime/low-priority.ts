import { constants, setPriority } from 'node:os';

/**
 * Lets everything else go first: redirects must not wait for what this thread computes.
 * On Linux this sets the priority of the calling thread; elsewhere it would be that of the process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
}
