import type { Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import type { ReadMetrics } from './metrics-server.ts';
import { createRpc, type RpcCall } from './process-rpc.ts';

const workerTimeoutMs = 1_500;
const primaryTimeoutMs = 2_500;

type Metrics = MetricObjectWithValues<MetricValue<string>>[];

interface WorkerMetrics {
  fetch: RpcCall;
  last: Metrics;
}

/**
 * In the cluster primary: the metrics of all workers, aggregated. The last counters of a worker that has exited stay in
 * the sums, because Prometheus takes a falling counter for a reset.
 *
 * Only prom-client's aggregation is used. Its own way of collecting fails as a whole when one worker does not respond.
 */
export function aggregateMetrics() {
  const workers = new Map<Worker, WorkerMetrics>();
  let exited: Promise<Metrics> = Promise.resolve([]);

  const read: ReadMetrics = async () => {
    const present = await Promise.all(
      [...workers.values()].map(async (worker) => {
        const metrics = (await worker.fetch(workerTimeoutMs).catch(() => undefined)) as Metrics | undefined;
        if (metrics) worker.last = metrics;
        // The counters of a worker that hangs are still right; its gauges may not be.
        return metrics ?? cumulative(worker.last);
      }),
    );
    return AggregatorRegistry.aggregate([await exited, ...present]).metrics();
  };

  return {
    read,
    watch(worker: Worker): void {
      // A failed send to a worker that is just exiting is ignored.
      const send = (message: object) => void worker.process.send?.(message, () => undefined);
      const entry: WorkerMetrics = { fetch: createRpc(worker, send, read), last: [] };
      workers.set(worker, entry);
      worker.once('exit', () => {
        workers.delete(worker);
        const last = cumulative(entry.last);
        exited = exited.then((sum) => AggregatorRegistry.aggregate([sum, last]).getMetricsAsJSON());
      });
    },
  };
}

/** Metrics that only grow. prom-client declares `type` as a number, but it is a string. */
function cumulative(metrics: Metrics): Metrics {
  return metrics.filter(({ type }: { type: unknown }) => type === 'counter' || type === 'histogram');
}

/** In a cluster worker: sends its own metrics to the primary on request, and reads the aggregated ones from there. */
export function joinMetrics(registry: Registry): ReadMetrics {
  const send = (message: object) => void process.send?.(message, undefined, undefined, () => undefined);
  const call = createRpc(process, send, () => registry.getMetricsAsJSON());
  return async () => String(await call(primaryTimeoutMs));
}
