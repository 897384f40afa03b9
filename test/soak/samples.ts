import type { Installation } from './installation.ts';
import type { SoakLoad } from './load.ts';
import type { SoakProcess } from './soak-process.ts';

/** What the chart shows of one interval; `atMs` is its end. */
export interface Sample {
  atMs: number;
  redirectsPerSecond: number;
  slowestMs: number;
  /** Redirects whose scans are not recorded yet. Undefined while PostgreSQL does not respond. */
  backlog: number | undefined;
}

export const sampleEveryMs = 10_000;

interface SamplingOptions {
  installation: Installation;
  processes: SoakProcess[];
  load: SoakLoad;
  nowMs(): number;
}

export function startSampling({ installation, processes, load, nowMs }: SamplingOptions): {
  stop(): Sample[];
} {
  const samples: Sample[] = [];
  let lastMs = nowMs();

  async function take(): Promise<void> {
    const atMs = nowMs();
    const { redirects, slowestMs } = load.takeSample();
    const sample: Sample = {
      atMs,
      redirectsPerSecond: redirects / ((atMs - lastMs) / 1000),
      slowestMs,
      backlog: undefined,
    };
    lastMs = atMs;
    samples.push(sample);
    for (const process of processes) process.sampleMemory(atMs);
    const [row] = await installation.postgres.query<{ recorded: string }>(
      "SELECT coalesce(sum(count), 0) AS recorded FROM scan_counters WHERE dimension = 'total'",
    );
    sample.backlog = Math.max(0, load.total().redirects - Number(row?.recorded));
  }
  const timer = setInterval(() => void take().catch(() => undefined), sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}
