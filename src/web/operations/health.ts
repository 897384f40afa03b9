import type { Context } from 'koa';
import type { Config } from '../../config.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import type { QueueClient } from '../../queue/queue-client.ts';
import type { Database } from '../../store/database.ts';
import { hasBearerToken } from '../../telemetry/metrics-server.ts';
import { callerAddress } from '../middleware/caller-address.ts';
import { createRoutes, type Routes } from '../routes.ts';

const checkTimeoutMs = 1_000;
/** Results are reused for this long, because anybody can send probes. */
const resultLifetimeMs = 1_000;

export interface HealthParts {
  db: Database;
  queue: Pick<QueueClient, 'checkWrites'>;
  spool: { isWritable(): boolean };
  isDraining(): boolean;
}

interface Check {
  ok: boolean;
  ms: number;
}

/** `/healthz`: the process is alive. `/readyz`: it can serve requests and is not shutting down. */
export function healthRoutes(
  { db, queue, spool, isDraining }: HealthParts,
  { metricsToken, trustProxyHops }: Pick<Config, 'metricsToken' | 'trustProxyHops'>,
): Routes {
  const routes = createRoutes();
  let latest: Promise<[Check, Check]> | undefined;

  function checkBoth(): Promise<[Check, Check]> {
    latest ??= Promise.all([check(async () => db.raw('SELECT 1')), check(() => queue.checkWrites())]).finally(
      () => {
        setTimeout(() => {
          latest = undefined;
        }, resultLifetimeMs).unref();
      },
    );
    return latest;
  }

  async function readiness() {
    const [database, queued] = await checkBoth();
    const draining = isDraining();
    // Without the queue, redirects still work and scans go to the spool, so the process must stay in service.
    const ready = database.ok && !draining;
    const spooled = { ok: spool.isWritable() };
    const status = !ready ? 'not ready' : queued.ok && spooled.ok ? 'ready' : 'degraded';
    return { ready, body: { status, checks: { database, queue: queued, spool: spooled }, draining } };
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

async function check(probe: () => Promise<unknown>): Promise<Check> {
  const startedAt = performance.now();
  const ok = await withTimeout(checkTimeoutMs, probe()).then(
    () => true,
    () => false,
  );
  return { ok, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}
