import Koa from 'koa';
import type { PasswordHasher } from '../accounts/password-hasher.ts';
import type { ServiceSecrets } from '../accounts/secrets.ts';
import { basePathOf } from '../http/base-path.ts';
import type { Images } from '../codes/image/image-thread.ts';
import type { ImageDecoder } from '../codes/logo/image-decoder.ts';
import type { Logos } from '../codes/logo/stored-logo.ts';
import type { Printer } from '../codes/print/print-thread.ts';
import type { Proofs } from '../codes/proof/proofs.ts';
import type { GeoSource } from '../scans/geo-source.ts';
import type { Config } from '../config.ts';
import { createAddressPolicy } from '../net/address-policy.ts';
import type { Database } from '../store/database.ts';
import type { Reads } from '../store/reads.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { ReadMetrics } from '../telemetry/metrics-server.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { createSecretBox } from '../webhooks/signing.ts';
import type { PreviewShare } from '../codes/share-preview.ts';
import { authenticate } from './middleware/authenticate.ts';
import { createFairScheduler } from '../runtime/fair-scheduler.ts';
import { boundHeaders } from './middleware/bound-headers.ts';
import { errors } from './middleware/errors.ts';
import { createGuards } from './middleware/guards.ts';
import { observe } from './middleware/observe.ts';
import { prefixLinks } from './middleware/prefix-links.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { createSessions } from './middleware/session.ts';
import { loadAssets } from './asset-files.ts';
import type { HealthParts } from './operations/monitoring-routes.ts';
import type { OperatorQueues, PageParts } from './ui/page.ts';
import { errorPage } from './ui/error-page.tsx';
import { createDownloads } from './downloads.ts';
import { createRouteTable } from './route-table.ts';
import { serveRoutes } from './routes.ts';
import { createPrints } from './prints.ts';
import { useLinearQuery } from './request-query.ts';

export interface AppParts {
  config: Config;
  db: Database;
  reads: Reads;
  secrets: ServiceSecrets;
  passwords: PasswordHasher;
  log: Log;
  now: () => Date;
  health: HealthParts;
  metrics: WebMetrics;
  readMetrics: ReadMetrics;
  codeChanged(shareToken: string): void;
  images: Images;
  printer: Printer;
  previewShare: PreviewShare;
  proofs: Proofs;
  imageDecoder: ImageDecoder;
  logos: Logos;
  geoSource: GeoSource | undefined;
  /** Undefined: no traces are exported. */
  tracing: Tracing | undefined;
  queues: OperatorQueues;
  sendMail: PageParts['sendMail'];
  buildExport: PageParts['buildExport'];
  /** Aborted when the process shuts down, to end responses that would stay open. */
  closing: AbortSignal;
}

/** Every middleware of the web process, in order. */
export function createApp({
  config,
  db,
  reads,
  secrets,
  passwords,
  log,
  now,
  health,
  metrics,
  readMetrics,
  codeChanged,
  images,
  printer,
  previewShare,
  proofs,
  imageDecoder,
  logos,
  geoSource,
  tracing,
  queues,
  sendMail,
  buildExport,
  closing,
}: AppParts): Koa {
  const app = new Koa();
  useLinearQuery(app);
  const downloads = createDownloads();
  const prints = createPrints({ db, printer, images, downloads, baseUrl: config.baseUrl, now });
  const webhooks = {
    box: createSecretBox(secrets.webhookKeys),
    policy: createAddressPolicy(config.webhooks.networks),
  };
  // For the API and the pages together: up to 80 MB of bodies.
  const uploads = createFairScheduler({
    slots: 8,
    slotsPerKey: 2,
    reservedSlots: 4,
    waitingPerKey: 20,
    waiting: 200,
    maxWaitMs: 10_000,
    message: 'Too many large requests are being processed. Try again shortly.',
  });
  const assets = loadAssets();
  const isSecure = config.baseUrl.startsWith('https:');
  const sessions = createSessions({ db, secrets, isSecure, now });
  const parts: PageParts = {
    db,
    reads,
    config,
    secrets,
    sessions,
    passwords,
    assets: assets.path,
    images,
    prints,
    proofs,
    imageDecoder,
    uploads,
    downloads,
    logos,
    geoSource,
    webhooks,
    codeChanged,
    previewShare,
    queues,
    sendMail,
    buildExport,
    log,
    closing,
    now,
  };
  const table = createRouteTable({ ...parts, health, readMetrics });
  const { trustProxyHops, limits } = config;
  const authenticateKey = authenticate({ db, secrets, trustProxyHops, limits, now });
  const guards = createGuards(authenticateKey, config.metricsToken);

  app.use(boundHeaders);
  app.use(observe({ log, metrics, tracing, trustProxyHops: config.trustProxyHops }));
  app.use(prefixLinks(basePathOf(config.baseUrl)));
  app.use(securityHeaders);
  app.use(errors(log, errorPage(parts)));
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
