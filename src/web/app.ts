import Koa from 'koa';
import { basePathOf } from '../http/base-path.ts';
import { throttle } from '../telemetry/throttle.ts';
import { compressPages } from './compressible.ts';
import { authenticate, createGuards, createViewDemo } from './middleware/guards.ts';
import { boundHeaders, securityHeaders } from './middleware/headers.ts';
import { errors } from './middleware/errors.ts';
import { observe } from './middleware/observe.ts';
import { prefixLinks } from './middleware/prefix-links.ts';
import { workspaceAddresses } from './middleware/workspace-addresses.ts';
import { useLinearQuery } from './request-query.ts';
import { errorPage } from './ui/error-page.tsx';
import { createRouteTable } from './route-table.ts';
import { serveRoutes } from './routes.ts';
import type { Services } from './services.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Every middleware of the web process, in order. */
export function createApp(services: Services): Koa {
  const { config, db, sessions, log, metrics, tracing } = services;
  const app = new Koa();
  useLinearQuery(app);
  const table = createRouteTable(services);
  const authenticateKey = authenticate(services);
  const { metricsToken } = config;
  const guards = createGuards({
    authenticateKey,
    metricsToken,
    viewDemo: createViewDemo(services),
    db,
    sessions,
  });

  app.use(boundHeaders);
  app.use(observe({ log, metrics, tracing, trustProxyHops: config.trustProxyHops }));
  app.use(compressPages);
  app.use(prefixLinks(basePathOf(config.baseUrl)));
  app.use(workspaceAddresses(table.pages));
  app.use(securityHeaders);
  app.use(errors(log, errorPage(services)));
  app.use(async ({ method, response }, next) => {
    await next();
    if (!safeMethods.has(method) && response.status < 400) services.wakeWorkers();
  });
  app.use(serveRoutes(table.api, guards));
  // So that a path without a route costs quota, too, and reveals nothing to strangers.
  app.use((ctx, next) => (/^\/api(?:\/|$)/.test(ctx.path) ? authenticateKey(ctx, next) : next()));
  app.use(serveRoutes(table.public, guards));
  app.use(sessions.middleware);
  app.use(serveRoutes(table.pages, guards));

  const logSendErrors = throttle((err, times) => log.error({ err, times }, 'a response could not be sent'));
  app.on('error', (err: unknown) => {
    // A client that disconnects in the middle of a response is not an error.
    if (!isClientDisconnect(err)) logSendErrors(err);
  });
  return app;
}

function isClientDisconnect(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
