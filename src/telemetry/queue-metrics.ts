import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';

const timeoutMs = 1_000;
/** The queue is not queried more often than this, however often metrics are read. */
const cacheMs = 3_000;

const states = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface QueueFigures {
  jobs: Record<(typeof states)[number], number>;
  oldestWaitingMs: number;
}

/** The depth of the queue. Exported by the web processes, because it matters most when no worker runs. */
export function addQueueMetrics(
  registry: Registry,
  { depth, checkWrites }: { depth(): Promise<QueueFigures>; checkWrites(): Promise<void> },
): void {
  // Read together, so that both describe the same moment.
  const readQueue = cached(async () => {
    const [figures, acceptsWrites] = await Promise.all([
      withTimeout(timeoutMs, depth()).catch(() => undefined),
      withTimeout(timeoutMs, checkWrites()).then(
        () => true,
        () => false,
      ),
    ]);
    return { figures, acceptsWrites };
  });
  const read = async () => (await readQueue()).figures;
  // Every web process reports the same queue, so the values must not be summed.
  const aggregator = 'max';
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_up',
      help: '1 if the queue responds and accepts writes. While it does not respond, the other queue metrics are absent.',
      registers: [],
      aggregator: 'min',
      async collect() {
        const { figures, acceptsWrites } = await readQueue();
        this.set(figures && acceptsWrites ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_jobs',
      help: 'Jobs in the queue: waiting, active, delayed (put back for a short time), failed (kept for an operator).',
      labelNames: ['state'],
      registers: [],
      aggregator,
      async collect() {
        const figures = await read();
        this.reset();
        if (figures) for (const state of states) this.set({ state }, figures.jobs[state]);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_oldest_job_seconds',
      help: 'How long the oldest job has been waiting for a worker; 0 if none is waiting.',
      registers: [],
      aggregator,
      async collect() {
        const figures = await read();
        if (figures) this.set(figures.oldestWaitingMs / 1000);
        else this.remove();
      },
    }),
  );
}

/** Shares one result among all callers for a short time. */
function cached<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  let readAt = 0;
  return () => {
    if (!result || performance.now() - readAt > cacheMs) {
      readAt = performance.now();
      result = read();
    }
    return result;
  };
}
