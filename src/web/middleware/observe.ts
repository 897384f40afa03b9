import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { forwardedRequestId, forwardedTrace } from '../../http/client-address.ts';
import type { Log } from '../../telemetry/log.ts';
import { metricsPath } from '../../telemetry/metrics-server.ts';
import { throttledLog } from '../../telemetry/throttle.ts';
import type { Span, Tracing } from '../../telemetry/tracing-sdk.ts';
import type { WebMetrics } from '../../telemetry/web-metrics.ts';

/** Requested every few seconds by monitoring: logged at debug level, and never traced. */
const probes = new Set(['/healthz', '/readyz', metricsPath]);
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface ObserveOptions {
  log: Log;
  metrics: WebMetrics;
  tracing: Tracing | undefined;
  trustProxyHops: number;
}

/**
 * Gives each request an id, counts it, logs it and traces it, without query string, headers or client address. With
 * trusted proxies in front, the id and the trace are those that they sent.
 */
export function observe({ log, metrics, tracing, trustProxyHops }: ObserveOptions) {
  const write = throttledLog(log, { maxLines: 2_000 });
  const trustsProxy = trustProxyHops > 0;
  return async (ctx: Context, next: Next): Promise<void> => {
    const forwardedId = trustsProxy ? forwardedRequestId(ctx.req.headers['x-request-id']) : undefined;
    const requestId = forwardedId ?? randomUUID();
    const parent = trustsProxy ? forwardedTrace(ctx.req.rawHeaders) : undefined;
    const span =
      tracing && !probes.has(ctx.path) && tracing.isSampled(parent)
        ? tracing.startSpan('request', { kind: 'server', parent })
        : undefined;
    ctx.state['requestId'] = requestId;
    ctx.state['traceId'] = span?.context.traceId ?? parent?.traceId;
    ctx.set('X-Request-Id', requestId);
    const startedAt = performance.now();
    await next();
    const ms = performance.now() - startedAt;
    const route = routeOf(ctx);
    // A client-controlled method must not become a label of its own.
    const method = methods.has(ctx.method) ? ctx.method : 'other';
    const isProbe = probes.has(route);
    if (!isProbe) {
      metrics.requests.inc({ method, route, status: ctx.status });
      metrics.requestSeconds.observe({ route }, ms / 1000);
    }
    if (span) endSpan(span, method, route, ctx.status);
    write(
      isProbe ? 'debug' : 'info',
      {
        ...requestIdsOf(ctx),
        method: ctx.method,
        route,
        status: ctx.status,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    );
  };
}

/** For log lines about the request. */
export function requestIdsOf({ state }: Context): { requestId: unknown; traceId?: unknown } {
  const { requestId, traceId } = state as { requestId: unknown; traceId?: unknown };
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

function endSpan(span: Span, method: string, route: string, status: number): void {
  const spanMethod = method === 'other' ? '_OTHER' : method;
  span.rename(route === 'none' ? spanMethod : `${spanMethod} ${route}`);
  span.set({
    'http.request.method': spanMethod,
    'http.response.status_code': status,
    ...(route !== 'none' && { 'http.route': route }),
  });
  if (status >= 500) span.fail(status);
  span.end();
}

/** The pattern of the matched route: labels by path would be unbounded. */
function routeOf(ctx: Context): string {
  const matched = ctx.state['route'] as string | undefined;
  if (matched !== undefined) return matched.replaceAll(/[{}]/g, '');
  // Below /api/, a path without a route needs a key, too.
  return ctx.path.startsWith('/api/') && ctx.status !== 404 ? '/api/*' : 'none';
}
