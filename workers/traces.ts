import type { JobHandler } from '../src/queue/queue-worker.ts';
import type { RawScan } from '../src/queue/scan-jobs.ts';
import { parseTraceparent } from '../src/http/trace-context.ts';
import type { Span, Tracing } from '../src/telemetry/tracing-sdk.ts';

/** A statement records thousands of scans: of the sampled ones among them, so many are linked with its span. */
const maxLinks = 100;

/** The spans of a job's sampled scans. */
export interface JobTrace {
  /** These scans are tried later; the others are done. */
  leave(scans: RawScan[]): void;
  fail(error: unknown): void;
  end(): void;
}

export interface ScanTraces {
  /** Continues the trace of each sampled scan. Undefined if the job has none. */
  start(scans: RawScan[]): JobTrace | undefined;
  /** Runs a statement, in a span that is linked with those of its sampled scans: it belongs to many traces. */
  recording<Result>(scans: RawScan[], run: () => Promise<Result>): Promise<Result>;
}

export function createScanTraces({ startSpan }: Tracing): ScanTraces {
  const spans = new WeakMap<RawScan, Span>();

  function startOne(scan: RawScan, jobScans: number): Span[] {
    const parent = parseTraceparent(scan.trace);
    if (!parent) return [];
    const span = startSpan('process scan', {
      kind: 'consumer',
      parent,
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.destination.name': 'scans',
        'messaging.operation.type': 'process',
        'messaging.operation.name': 'process',
        'messaging.batch.message_count': jobScans,
        'qrelay.scan.id': scan.id,
        'qrelay.code.id': scan.codeId,
      },
    });
    spans.set(scan, span);
    return [span];
  }

  return {
    start(scans) {
      const started = scans.flatMap((scan) => (scan.trace === undefined ? [] : startOne(scan, scans.length)));
      if (started.length === 0) return undefined;
      let left: Set<Span> | undefined;
      return {
        leave(later) {
          left = new Set(later.flatMap((scan) => spans.get(scan) ?? []));
        },
        fail(error) {
          for (const span of left ?? started) span.fail(causeOf(error));
        },
        end() {
          for (const span of started) span.end();
        },
      };
    },
    async recording(scans, run) {
      const linked = scans.flatMap((scan) => spans.get(scan) ?? []).slice(0, maxLinks);
      if (linked.length === 0) return run();
      const span = startSpan('record scans', {
        kind: 'client',
        links: linked.map(({ context }) => context),
        attributes: {
          'db.system.name': 'postgresql',
          'db.operation.name': 'INSERT',
          'db.collection.name': 'scans',
          'db.operation.batch.size': scans.length,
        },
      });
      for (const one of linked) one.link(span.context);
      try {
        return await run();
      } catch (error) {
        span.fail(causeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** `TryLaterError` says that the scans are put back; its cause says why. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** For log lines about the scan. */
export function traceIdOf({ trace }: RawScan): { traceId?: string } {
  const traceId = parseTraceparent(trace)?.traceId;
  return traceId === undefined ? {} : { traceId };
}

/** A span for each sampled job, named by `nameOf`. Scans have their own, see above. */
export function traceJobs<Data>(
  { isSampled, startSpan }: Tracing,
  nameOf: (jobName: string) => string,
  handle: JobHandler<Data>,
): JobHandler<Data> {
  return async (data, jobName, queue) => {
    if (!isSampled()) return handle(data, jobName, queue);
    const span = startSpan(`process ${nameOf(jobName)}`, {
      kind: 'consumer',
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.destination.name': nameOf(jobName),
        'messaging.operation.type': 'process',
        'messaging.operation.name': 'process',
      },
    });
    try {
      await handle(data, jobName, queue);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  };
}
