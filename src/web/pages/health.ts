import type { Middleware } from 'koa';
import { within } from '../../deadline.ts';
import type { ScanQueue } from '../../queue/connection.ts';
import type { Database } from '../../store/database.ts';

const patienceMs = 1_000;

export interface HealthParts {
  db: Database;
  queue: Pick<ScanQueue, 'checkWrites'>;
  spool: { isWritable(): boolean };
  isDraining(): boolean;
}

interface Check {
  ok: boolean;
  ms: number;
}

/** `/healthz`: the process lives. `/readyz`: it can do its work, and is not about to end. */
export function healthPages({ db, queue, spool, isDraining }: HealthParts): Middleware {
  async function readiness() {
    const [database, queued] = await Promise.all([
      check(async () => db.raw('SELECT 1')),
      check(() => queue.checkWrites()),
    ]);
    const draining = isDraining();
    // Without the queue the lane still works, and scans go to the spool: taken out of service, nobody would be redirected.
    const ready = database.ok && !draining;
    const spooled = { ok: spool.isWritable() };
    const status = !ready ? 'not ready' : queued.ok && spooled.ok ? 'ready' : 'degraded';
    return { ready, body: { status, checks: { database, queue: queued, spool: spooled }, draining } };
  }

  return async (ctx, next) => {
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'alive' };
    } else if (ctx.path === '/readyz') {
      const { ready, body } = await readiness();
      ctx.status = ready ? 200 : 503;
      ctx.body = body;
    } else {
      await next();
    }
  };
}

async function check(ask: () => Promise<unknown>): Promise<Check> {
  const startedAt = performance.now();
  const ok = await within(patienceMs, ask()).then(
    () => true,
    () => false,
  );
  return { ok, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}
