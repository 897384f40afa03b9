import type { Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import {
  hasBearerToken,
  metricsContentType,
  metricsPath,
  type ReadMetrics,
} from '../../telemetry/metrics-server.ts';

/** `/metrics` for whoever carries the token. For everybody else, and where there is no token, there is nothing here. */
export function metricsPage(token: string | undefined, read: ReadMetrics): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== metricsPath || token === undefined || !hasBearerToken(ctx.get('Authorization'), token))
      return next();
    const text = await read().catch(() => undefined);
    if (text === undefined)
      throw new AppError('internal_error', 'The processes did not tell their figures in time. Try again.', {
        status: 503,
      });
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', metricsContentType);
    ctx.body = text;
  };
}
