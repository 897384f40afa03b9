import type { Check } from './checks.ts';
import type { Lifetime } from './soak-process.ts';

/** Caches and pools fill, and code is compiled. */
const warmUpMs = 5 * 60_000;
/** What lived for less cannot show a trend. */
const minMs = 20 * 60_000;
const maxGrowth = 0.15;

export interface MemoryTrend {
  pid: number;
  minutes: number;
  /** Median of the first and of the last third after the warm-up; undefined for a short life. */
  earlyBytes: number | undefined;
  lateBytes: number | undefined;
  maxBytes: number;
}

export function memoryTrend({ pid, memory }: Lifetime): MemoryTrend {
  const [first, last] = [memory[0]?.atMs ?? 0, memory.at(-1)?.atMs ?? 0];
  const steady = memory.filter(({ atMs }) => atMs >= first + warmUpMs).map(({ bytes }) => bytes);
  const third = Math.floor(steady.length / 3);
  const isLong = last - first >= minMs;
  return {
    pid,
    minutes: (last - first) / 60_000,
    earlyBytes: isLong ? median(steady.slice(0, third)) : undefined,
    lateBytes: isLong ? median(steady.slice(-third)) : undefined,
    maxBytes: Math.max(0, ...memory.map(({ bytes }) => bytes)),
  };
}

export function checkMemory(processes: { name: string; lifetimes: Lifetime[] }[]): Check {
  const problems = processes.flatMap(({ name, lifetimes }) =>
    lifetimes.map(memoryTrend).flatMap(({ pid, earlyBytes, lateBytes }) => {
      if (earlyBytes === undefined || lateBytes === undefined) return [];
      const growth = lateBytes / earlyBytes - 1;
      return growth > maxGrowth ? [`${name} (${pid}) grew by ${Math.round(growth * 100)} %`] : [];
    }),
  );
  return { title: 'memory is flat in every process that lived for at least 20 minutes', problems };
}

function median(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
