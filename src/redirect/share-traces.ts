import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedTrace } from '../http/client-address.ts';
import type { RawScan } from '../queue/scan-jobs.ts';
import { formatTraceparent } from '../http/trace-context.ts';
import type { Span, Tracing } from '../telemetry/tracing-sdk.ts';

/** The trace of a request to `/r/…` that is sampled. */
export interface ShareTrace {
  /** Starts the span of the enqueueing, and adds to the scan what the worker continues the trace from. */
  enqueue(scan: RawScan): void;
  /** Ends it, when the scan is durable. */
  durable(storage: string): void;
}

/** Undefined for requests that are not sampled: nearly all of them. */
export type TraceShareRequest = (req: IncomingMessage, res: ServerResponse) => ShareTrace | undefined;

export function traceShareRequests(
  { isSampled, startSpan }: Tracing,
  { basePath, trustProxyHops }: { basePath: string; trustProxyHops: number },
): TraceShareRequest {
  // Not the path: it has the share token.
  const route = `${basePath}/r/:token`;
  return (req, res) => {
    const parent = trustProxyHops > 0 ? forwardedTrace(req.rawHeaders) : undefined;
    if (!isSampled(parent)) return undefined;
    const method = req.method === 'GET' || req.method === 'HEAD' ? req.method : '_OTHER';
    const span = startSpan(`${method} ${route}`, {
      kind: 'server',
      parent,
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    let enqueueing: Span | undefined;
    res.once('close', () => {
      if (res.headersSent) span.set({ 'http.response.status_code': res.statusCode });
      if (res.statusCode >= 500) span.fail(res.statusCode);
      span.end();
    });
    return {
      enqueue(scan) {
        enqueueing = startSpan('enqueue scan', {
          kind: 'producer',
          parent: span.context,
          attributes: {
            'messaging.system': 'bullmq',
            'messaging.destination.name': 'scans',
            'messaging.operation.type': 'send',
            'messaging.operation.name': 'enqueue',
            'qrelay.scan.id': scan.id,
            'qrelay.code.id': scan.codeId,
          },
        });
        scan.trace = formatTraceparent(enqueueing.context);
      },
      durable(storage) {
        enqueueing?.set({ 'qrelay.scan.storage': storage });
        enqueueing?.end();
      },
    };
  };
}
