import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';

const patienceMs = 1_000;
/** However often somebody asks us, the queue is asked no more often than this. */
const askAgainMs = 3_000;

const states = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface QueueFigures {
  jobs: Record<(typeof states)[number], number>;
  oldestWaitingMs: number;
}

/** How full the queue is, told by the web processes: it is wanted most when there is no worker. */
export function addQueueMetrics(
  registry: Registry,
  { depth, checkWrites }: { depth(): Promise<QueueFigures>; checkWrites(): Promise<void> },
): void {
  // Asked together, so that they tell of the same moment.
  const ask = remembered(async () => {
    const [figures, takesWrites] = await Promise.all([
      withTimeout(patienceMs, depth()).catch(() => undefined),
      withTimeout(patienceMs, checkWrites()).then(
        () => true,
        () => false,
      ),
    ]);
    return { figures, takesWrites };
  });
  const read = async () => (await ask()).figures;
  // Each web process tells of the same queue: their figures are one, not to be added up.
  const aggregator = 'max';
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_up',
      help: 'Whether the queue answers and takes writes. While it does not answer, the other figures of the queue are absent.',
      registers: [],
      aggregator: 'min',
      async collect() {
        const { figures, takesWrites } = await ask();
        this.set(figures && takesWrites ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_queue_jobs',
      help: 'Jobs in the queue: waiting, active, delayed (put back for a moment), failed (kept for an operator).',
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
      help: 'For how long the oldest job has waited for a worker; 0 when none waits.',
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

/** One question at a time, and its answer stands for a moment. */
function remembered<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined;
  let askedAt = 0;
  return () => {
    if (!answer || performance.now() - askedAt > askAgainMs) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}
