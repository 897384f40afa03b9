import type { Middleware } from 'koa';
import { within } from '../../deadline.ts';
import type { ScanQueue } from '../../queue/connection.ts';
import type { Database } from '../../store/database.ts';

const patienceMs = 1_000;

export interface HealthParts {
  db: Database;
  queue: ScanQueue;
  isDraining(): boolean;
}

/** `/healthz`: the process lives. `/readyz`: it can do its work, and is not about to end. */
export function healthPages({ db, queue, isDraining }: HealthParts): Middleware {
  async function readiness() {
    const database = await within(
      patienceMs,
      db.raw('SELECT 1').then(() => true),
    ).catch(() => false);
    return { database, queue: queue.isReady(), draining: isDraining() };
  }
  return async (ctx, next) => {
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'alive' };
    } else if (ctx.path === '/readyz') {
      const state = await readiness();
      // Without the queue the lane still works: scans go to the spool.
      const ready = state.database && !state.draining;
      ctx.status = ready ? 200 : 503;
      ctx.body = { status: ready ? 'ready' : 'not ready', ...state };
    } else {
      await next();
    }
  };
}
