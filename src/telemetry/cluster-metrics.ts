import type { Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import type { ReadMetrics } from './metrics-server.ts';
import { exchangeAnswers } from './process-rpc.ts';

const onePatienceMs = 1_500;
const sumPatienceMs = 2_500;

type Figures = MetricObjectWithValues<MetricValue<string>>[];

interface Counted {
  ask(patienceMs: number): Promise<unknown>;
  last: Figures;
}

/**
 * In the first process of several: the figures of all of them as one. What a process that has ended last told stays in
 * the sums, because a counter that falls looks like a new start, and would be taken for a burst.
 *
 * prom-client's own way of asking fails as a whole when one process does not answer; only its adding up is used.
 */
export function sumMetrics() {
  const processes = new Map<Worker, Counted>();
  let ended: Promise<Figures> = Promise.resolve([]);

  const read: ReadMetrics = async () => {
    const present = await Promise.all(
      [...processes.values()].map(async (one) => {
        const answer = (await one.ask(onePatienceMs).catch(() => undefined)) as Figures | undefined;
        if (answer) one.last = answer;
        // Of one that hangs, what it has counted stands; how it is now, nobody knows.
        return answer ?? lastingOf(one.last);
      }),
    );
    return AggregatorRegistry.aggregate([await ended, ...present]).metrics();
  };

  return {
    read,
    watch(worker: Worker): void {
      // A process that is just ending cannot be written to, and need not be.
      const send = (letter: object) => void worker.process.send?.(letter, () => undefined);
      const one: Counted = { ask: exchangeAnswers(worker, send, read), last: [] };
      processes.set(worker, one);
      worker.once('exit', () => {
        processes.delete(worker);
        const lasting = lastingOf(one.last);
        ended = ended.then((sum) => AggregatorRegistry.aggregate([sum, lasting]).getMetricsAsJSON());
      });
    },
  };
}

/** What only ever grows. The type is declared as a number, though it is a word. */
function lastingOf(figures: Figures): Figures {
  return figures.filter(({ type }: { type: unknown }) => type === 'counter' || type === 'histogram');
}

/** In one process of several: tells its own figures to the first one when asked, and reads everybody's from there. */
export function joinMetrics(registry: Registry): ReadMetrics {
  const send = (letter: object) => void process.send?.(letter, undefined, undefined, () => undefined);
  const ask = exchangeAnswers(process, send, () => registry.getMetricsAsJSON());
  return async () => String(await ask(sumPatienceMs));
}
