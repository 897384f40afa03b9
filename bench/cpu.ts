import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time in microseconds of a process and all of its children, ended ones included (Linux only). */
export function cpuMicroseconds(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const children = childrenByParent();
  const ofTree = (root: number): number =>
    timesOf(root) + (children.get(root) ?? []).reduce((sum, child) => sum + ofTree(child), 0);
  return (ofTree(pid) / ticksPerSecond) * 1e6;
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const parent = pid > 0 ? Number(statOf(pid)[1]) : 0;
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

/** Own time and that of children that have ended, in ticks. */
function timesOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** The fields of /proc/<pid>/stat after the name: state, parent … */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
