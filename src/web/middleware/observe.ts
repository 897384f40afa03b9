import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Log } from '../../telemetry/log.ts';
import { metricsPath } from '../../telemetry/metrics-server.ts';
import { throttledLog } from '../../telemetry/throttled-log.ts';
import type { WebMetrics } from '../../telemetry/web-metrics.ts';

/** Requested every few seconds by monitoring: logged at debug level. */
const probes = new Set(['/healthz', '/readyz', metricsPath]);
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Gives each request an id, counts it and logs it, without query string, headers or client address. */
export function observe(log: Log, metrics: WebMetrics) {
  const write = throttledLog(log, { maxLines: 2_000 });
  return async (ctx: Context, next: Next): Promise<void> => {
    const requestId = randomUUID();
    ctx.state['requestId'] = requestId;
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
    write(
      isProbe ? 'debug' : 'info',
      { requestId, method: ctx.method, route, status: ctx.status, ms: Math.round(ms * 10) / 10 },
      'request',
    );
  };
}

/** The pattern of the matched route: labels by path would be unbounded. */
function routeOf(ctx: Context): string {
  const matched = ctx['_matchedRoute'] as string | undefined;
  // Middleware of a router that answered in place of its routes has a pattern such as `/account(.*)`.
  if (matched !== undefined) return matched.replace(/\/?\(.*$/, '/*');
  // Answered before routing: 401 or 429.
  if (ctx.path.startsWith('/api/') && ctx.status !== 404) return '/api/*';
  if (ctx.status !== 404 && probes.has(ctx.path)) return ctx.path;
  return ctx.status !== 404 && ctx.path.startsWith('/assets/') ? '/assets/:file' : 'none';
}
