import { readFileSync, readlinkSync } from 'node:fs';

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
