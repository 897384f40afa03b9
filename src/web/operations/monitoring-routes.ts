import type { Context } from 'koa';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Probe } from '../../runtime/probe.ts';
import {
  type ReadMetrics,
  hasBearerToken,
  metricsContentType,
  metricsPath,
} from '../../telemetry/metrics-server.ts';
import { callerAddress } from '../middleware/caller.ts';
import { type Routes, createRoutes } from '../routes.ts';

export interface HealthParts {
  database: Probe;
  queue: Probe;
  spool: { isWritable(): boolean };
  isDraining(): boolean;
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can answer share links and is not shutting down. Neither waits for a
 * server: load balancers take out a process that responds late.
 */
export function healthRoutes(
  { database, queue, spool, isDraining }: HealthParts,
  { metricsToken, trustProxyHops }: Pick<Config, 'metricsToken' | 'trustProxyHops'>,
): Routes {
  const routes = createRoutes();

  async function readiness() {
    const checks = {
      database: await database.latest(),
      queue: await queue.latest(),
      spool: { ok: spool.isWritable() },
    };
    const draining = isDraining();
    // Known links are redirected without PostgreSQL, and scans go to the spool without the queue. All processes would fail
    // these checks at once, so a load balancer that listened to them would have no process left.
    const works = Object.values(checks).every(({ ok }) => ok);
    const status = draining ? 'not ready' : works ? 'ready' : 'degraded';
    return { ready: !draining, body: { status, checks, draining } };
  }

  routes.get('stranger', '/healthz', (ctx) => {
    const isOperator = metricsToken !== undefined && hasBearerToken(ctx.get('Authorization'), metricsToken);
    ctx.body = { status: 'alive', ...(isOperator && { client: describeClient(ctx, trustProxyHops) }) };
  });

  routes.get('stranger', '/readyz', async (ctx) => {
    const { ready, body } = await readiness();
    ctx.status = ready ? 200 : 503;
    ctx.body = body;
  });
  return routes;
}

/** For `qrelay doctor --probe`: what the proxies in front tell about the client, and whom it is taken for. */
function describeClient(ctx: Context, trustProxyHops: number) {
  return {
    address: callerAddress(ctx, trustProxyHops),
    remote: callerAddress(ctx, 0),
    forwardedFor: ctx.get('X-Forwarded-For') || undefined,
  };
}

/** `/metrics`, for requests with the token. */
export function metricsRoutes(read: ReadMetrics): Routes {
  const routes = createRoutes();
  routes.get('monitor', metricsPath, async (ctx) => {
    const text = await read().catch(() => undefined);
    if (text === undefined)
      throw new AppError('internal_error', 'The processes did not report their metrics in time. Try again.', {
        status: 503,
      });
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', metricsContentType);
    ctx.body = text;
  });
  return routes;
}
