import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Log } from '../../telemetry/log.ts';
import { metricsPath } from '../../telemetry/metrics-server.ts';
import { throttledLog } from '../../telemetry/throttled-log.ts';
import type { WebMetrics } from '../../telemetry/web-metrics.ts';

/** Asked every few seconds by machines: in the log they would hide everything else. */
const probes = new Set(['/healthz', '/readyz', metricsPath]);
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Gives each request an id, counts it, and logs one line for it: no query string, no header, no address. */
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
    // Whatever a client makes up must not become a label of its own.
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

/** The pattern of the route that answered: paths themselves are without number. */
function routeOf(ctx: Context): string {
  const matched = ctx['_matchedRoute'] as string | undefined;
  // What stands before several routes, and answered instead of them, has an expression for its path.
  if (matched !== undefined) return matched.replace(/\/?\(.*$/, '/*');
  // Refused before a route was looked for: without a key, or one request too many.
  if (ctx.path.startsWith('/api/') && ctx.status !== 404) return '/api/*';
  if (ctx.status !== 404 && probes.has(ctx.path)) return ctx.path;
  return ctx.status !== 404 && ctx.path.startsWith('/assets/') ? '/assets/:file' : 'none';
}
