import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Log } from '../../telemetry/log.ts';

/** Gives each request an id, and logs one line for it: no query string, no header, no address. */
export function observe(log: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const requestId = randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const startedAt = performance.now();
    await next();
    log.info(
      {
        requestId,
        method: ctx.method,
        route: (ctx['_matchedRoute'] as string | undefined) ?? 'none',
        status: ctx.status,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
      },
      'request',
    );
  };
}
