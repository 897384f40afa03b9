import { Gauge, type Registry } from 'prom-client';
import type { Probe } from '../runtime/probe.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { cached } from './cached.ts';

const timeoutMs = 1_000;
/** However often metrics are scraped, the queues are read no more often than this. */
const cacheMs = 3_000;

const states = ['waiting', 'active', 'delayed', 'scheduled', 'failed'] as const;

interface QueueFigures {
  queue: string;
  jobs: Record<(typeof states)[number], number>;
  oldestWaitingMs: number;
}

/** How full each queue is. Exposed by the web processes, because it matters most when there is no worker. */
export function addQueueMetrics(
  registry: Registry,
  { depths }: { depths(): Promise<QueueFigures[]> },
  writes: Pick<Probe, 'latest'>,
): void {
  // Read together, so that all metrics of a scrape are of the same time.
  const readAll = cached(async () => {
    const queues = await withTimeout(timeoutMs, depths()).catch(() => undefined);
    return { queues, takesWrites: (await writes.latest()).ok };
  }, cacheMs);
  // While queues do not respond, their metrics are absent.
  const read = async () => (await readAll()).queues ?? [];
  // Each web process reports the same queues: their values must not be added up.
  const aggregator = 'max';
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_up',
      help: 'Whether every queue responds and takes writes. The other metrics of a queue that does not respond are absent.',
      registers: [],
      aggregator: 'min',
      async collect() {
        const { queues, takesWrites } = await readAll();
        this.set(queues && takesWrites ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_jobs',
      help: 'Jobs in a queue: waiting, active, delayed (tried again later), scheduled (not due yet), failed (kept for an operator).',
      labelNames: ['queue', 'state'],
      registers: [],
      aggregator,
      async collect() {
        const queues = await read();
        this.reset();
        for (const { queue, jobs } of queues)
          for (const state of states) this.set({ queue, state }, jobs[state]);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_oldest_job_seconds',
      help: 'How long the oldest job of a queue has waited for a worker; 0 when none waits.',
      labelNames: ['queue'],
      registers: [],
      aggregator,
      async collect() {
        const queues = await read();
        this.reset();
        for (const { queue, oldestWaitingMs } of queues) this.set({ queue }, oldestWaitingMs / 1000);
      },
    }),
  );
}
