import type { Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import {
  hasBearerToken,
  metricsContentType,
  metricsPath,
  type ReadMetrics,
} from '../../telemetry/metrics-server.ts';

/** `/metrics` for requests with the token. Without it, and where no token is set, the page does not exist. */
export function metricsPage(token: string | undefined, read: ReadMetrics): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== metricsPath || token === undefined || !hasBearerToken(ctx.get('Authorization'), token))
      return next();
    const text = await read().catch(() => undefined);
    if (text === undefined)
      throw new AppError('internal_error', 'The processes did not report their metrics in time. Try again.', {
        status: 503,
      });
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', metricsContentType);
    ctx.body = text;
  };
}
