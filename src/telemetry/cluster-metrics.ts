import type { Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';
import type { ReadMetrics } from './metrics-server.ts';

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

/** Messages between a process and its parent, besides "ready" and "alive". */
type RpcMessage = { requestId: number } | { responseTo: number; value: unknown };

interface Channel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Send = (message: RpcMessage) => void;

/** Calls the other end of the channel. Rejects when there is no response in time. */
type RpcCall = (timeoutMs: number) => Promise<unknown>;

/** Remote procedure calls over the IPC channel of two processes. Each side offers one procedure: `handle`. */
function createRpc(channel: Channel, send: Send, handle: () => Promise<unknown>): RpcCall {
  const pending = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  channel.on('message', (received) => {
    const message = received as RpcMessage;
    if (typeof message !== 'object' || message === null) return;
    if ('requestId' in message) {
      // There is no error response: the caller times out.
      handle().then(
        (value) => send({ responseTo: message.requestId, value }),
        () => undefined,
      );
    } else if ('responseTo' in message) {
      pending.get(message.responseTo)?.(message.value);
    }
  });
  return async (timeoutMs) => {
    const id = (lastId += 1);
    const response = new Promise((resolve) => {
      pending.set(id, resolve);
      send({ requestId: id });
    });
    return withTimeout(timeoutMs, response).finally(() => pending.delete(id));
  };
}
