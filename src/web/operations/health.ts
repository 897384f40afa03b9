import type { Context, Middleware } from 'koa';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Probe } from '../../runtime/probe.ts';
import { hasBearerToken } from '../../telemetry/metrics-server.ts';
import { callerAddress } from '../middleware/caller-address.ts';

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
export function healthPages(
  { database, queue, spool, isDraining }: HealthParts,
  { metricsToken, trustProxyHops }: Pick<Config, 'metricsToken' | 'trustProxyHops'>,
): Middleware {
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

  return async (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new AppError('validation_error', `${ctx.method} is not allowed here; use GET or HEAD.`, {
        status: 405,
        headers: { Allow: 'GET, HEAD' },
      });
    }
    if (ctx.path === '/healthz') {
      const isOperator = metricsToken !== undefined && hasBearerToken(ctx.get('Authorization'), metricsToken);
      ctx.body = { status: 'alive', ...(isOperator && { client: describeClient(ctx, trustProxyHops) }) };
    } else {
      const { ready, body } = await readiness();
      ctx.status = ready ? 200 : 503;
      ctx.body = body;
    }
  };
}

/** For `qrelay doctor --probe`: what the proxies in front tell about the client, and whom it is taken for. */
function describeClient(ctx: Context, trustProxyHops: number) {
  return {
    address: callerAddress(ctx, trustProxyHops),
    remote: callerAddress(ctx, 0),
    forwardedFor: ctx.get('X-Forwarded-For') || undefined,
  };
}
