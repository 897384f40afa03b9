import type { WebMetrics } from './web-metrics.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** What the operator pages show as rates. Totals since the process started. */
export type Counts = Record<string, number>;

export async function countWeb(metrics: WebMetrics): Promise<Counts> {
  const { counted, head, prefetch, crawler, unavailable } = metrics.shareAnswers;
  const [requests, spooled, dropped, uncaught] = await Promise.all(
    [metrics.requests, metrics.scansSpooled, metrics.scansDropped, metrics.uncaughtErrors].map((metric) =>
      metric.get(),
    ),
  );
  const counts = {
    redirects: counted + head + prefetch + crawler,
    apiRequests: 0,
    pageRequests: 0,
    errors: unavailable + sum(uncaught),
    spooled: sum(spooled),
    dropped: sum(dropped),
  };
  for (const { labels, value } of requests?.values ?? []) {
    if (String(labels.route).startsWith('/api/')) counts.apiRequests += value;
    else counts.pageRequests += value;
    if (Number(labels.status) >= 500) counts.errors += value;
  }
  return counts;
}

export async function countWorker(metrics: WorkerMetrics): Promise<Counts> {
  const { recorded, dead } = metrics.scansRecorded;
  return {
    recorded,
    lagMs: metrics.recordingLag.sumMs(),
    errors: dead + (await metrics.countFailedJobs()),
  };
}

function sum(metric: { values: { value: number }[] } | undefined): number {
  return (metric?.values ?? []).reduce((total, { value }) => total + value, 0);
}
