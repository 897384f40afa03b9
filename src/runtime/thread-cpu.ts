import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Linux counts CPU time in hundredths of a second, whatever the frequency of its own timer. */
const msPerTick = 10;

/** What Linux calls the thread that runs this. Undefined elsewhere. */
export function currentThread(): string | undefined {
  return process.platform === 'linux' ? readlinkSync('/proc/thread-self') : undefined;
}

/**
 * The CPU time that a thread has used, in ms, or 0 when it has exited. Unlike wall time, it does not grow while others have
 * the CPU.
 */
export function threadCpuMs(thread: string): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${thread}/stat`, 'latin1');
  } catch {
    return 0;
  }
  // The name of the thread, in parentheses, may have spaces in it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

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

/**
 * Lowers this process with the threads that it has; those it starts later inherit it. Called once it has started: at a low
 * priority, starting takes ten seconds on a busy machine, and the first request waits for it. It still gets a share then.
 */
export function lowerProcessPriority(): void {
  if (process.platform === 'win32') return;
  // On Linux, priorities are those of threads.
  const ids = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  const priority = Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW);
  for (const id of ids) setPriority(id, priority);
}
