import type { JobHandler } from '../src/queue/queue-worker.ts';
import type { Tracing } from '../src/telemetry/tracing-sdk.ts';

/** A span for each sampled job of a queue. Scans have their own: see scan-traces.ts. */
export function traceJobs<Data>(
  { isSampled, startSpan }: Tracing,
  queue: string,
  handle: JobHandler<Data>,
): JobHandler<Data> {
  return async (data) => {
    if (!isSampled()) return handle(data);
    const span = startSpan(`process ${queue}`, {
      kind: 'consumer',
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.destination.name': queue,
        'messaging.operation.type': 'process',
        'messaging.operation.name': 'process',
      },
    });
    try {
      await handle(data);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  };
}
