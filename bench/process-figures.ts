import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export interface ProcessFigures {
  cpuMicroseconds: number;
  /** Times that a thread went to sleep by itself: as often, it was woken up. */
  wakeUps: number;
  /** Memory, in which a page that n processes share counts as a part of n. */
  pssBytes: number;
}

/** By the role of the process. */
export type TreeFigures = Record<string, ProcessFigures>;

/** Figures of processes and everything they have started (Linux only). */
export function readTree(roots: number[]): TreeFigures {
  const all = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
  const parents = new Map(all.map((pid) => [pid, Number(statOf(pid)[1])]));
  const figures: TreeFigures = {};
  for (const pid of all) {
    if (!isBelow(pid, roots, parents)) continue;
    const sum = (figures[roleOf(pid)] ??= { cpuMicroseconds: 0, wakeUps: 0, pssBytes: 0 });
    sum.cpuMicroseconds += (ticksOf(pid) / ticksPerSecond) * 1e6;
    sum.wakeUps += wakeUpsOf(pid);
    sum.pssBytes += Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) * 1_024;
  }
  return figures;
}

function isBelow(pid: number, roots: number[], parents: Map<number, number>): boolean {
  for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (roots.includes(at)) return true;
  return false;
}

function roleOf(pid: number): string {
  const command = read(pid, 'cmdline').replaceAll('\0', ' ');
  if (command.includes('standalone')) return 'supervisor';
  if (command.includes('server.js')) return 'web';
  if (command.includes('workers/main')) return 'worker';
  if (command.includes('postgres')) return 'PostgreSQL';
  if (/redis|valkey/.test(command)) return 'Redis';
  return command.includes('bare-') ? 'bare' : 'others';
}

/** With those of children that have ended. */
function ticksOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

function wakeUpsOf(pid: number): number {
  const threads = list(`/proc/${pid}/task`);
  const switches = (thread: string) =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(read(pid, `task/${thread}/status`))?.[1] ?? 0);
  return threads.reduce((sum, thread) => sum + switches(thread), 0);
}

/** The fields of /proc/<pid>/stat after the name: state, parent … */
function statOf(pid: number): string[] {
  const stat = read(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
