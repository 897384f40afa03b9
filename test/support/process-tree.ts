import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from './eventually.ts';

/** Sends a signal to a process and to all that it started, directly or not. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of [pid, ...descendants(pid)]) {
    try {
      process.kill(one, signal);
    } catch (error) {
      // It ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Stops a process, and waits until it really stands still: it may go on for a moment after the signal was sent. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(() => expect(readFileSync(`/proc/${pid}/status`, 'utf8')).to.match(/^State:\s+T/m));
}

/** The processes that it started, directly or not. */
export function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((candidate) => candidate > 0 && parentOf(candidate) === pid);
  return [...children, ...children.flatMap(descendants)];
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
