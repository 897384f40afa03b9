import { AppError } from '../../errors.ts';
import { metricsContentType, metricsPath, type ReadMetrics } from '../../telemetry/metrics-server.ts';
import { createRoutes, type Routes } from '../routes.ts';

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
