import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
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
import { documentRoute } from './api/document-route.ts';
import type { PreviewShare } from '../codes/share-preview.ts';
import { createApiRouter } from './api/router.ts';
import { authenticate } from './middleware/authenticate.ts';
import { markChanges } from './middleware/mark-changes.ts';
import { createBodySlots } from './middleware/body-slots.ts';
import { mount } from './middleware/mount.ts';
import { boundHeaders } from './middleware/bound-headers.ts';
import { errors } from './middleware/errors.ts';
import { forms } from './middleware/forms.ts';
import { methodNotAllowed } from './middleware/method-not-allowed.ts';
import { observe } from './middleware/observe.ts';
import { prefixLinks } from './middleware/prefix-links.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { createSessions } from './middleware/session.ts';
import { auditPages } from './admin/audit/audit-routes.ts';
import { blocksPages } from './admin/blocks/blocks-routes.ts';
import { operatorsOnly } from './admin/operators-only.ts';
import { overviewPages } from './admin/overview/overview-routes.ts';
import { queuesPages } from './admin/queues/queues-routes.ts';
import { usersPages } from './admin/users/users-routes.ts';
import { accountPages } from './account/account-routes.ts';
import { exportPages } from './account/export-routes.ts';
import { unsubscribePages } from './account/unsubscribe-routes.ts';
import { loadAssets } from './asset-files.ts';
import { codeDetailPages } from './codes/detail/detail-routes.ts';
import { designPreviewRoutes } from './codes/design/design-preview-routes.ts';
import { codeDesignPages } from './codes/design/design-routes.ts';
import { codeFilePages } from './codes/file/file-routes.ts';
import { codeFormPages } from './codes/form/form-routes.ts';
import { codePreviewRoutes } from './codes/form/preview-routes.ts';
import { pageLogoPages } from './codes/page-logo/page-logo-routes.ts';
import { codePictureRoutes } from './codes/picture-routes.ts';
import { styleApplyPages } from './codes/styles/apply-routes.ts';
import { styleDesignPages } from './codes/styles/style-design-routes.ts';
import { stylePages } from './codes/styles/styles-routes.ts';
import { codeListPages } from './codes/list/list-routes.ts';
import { printPages } from './codes/print/print-routes.ts';
import { docsPage } from './docs/docs-routes.ts';
import { confirmEmailPages } from './sign-in/confirm-email-routes.ts';
import { forgotPasswordPages } from './sign-in/forgot-password-routes.ts';
import { securityPages } from './security/security-routes.ts';
import { secondFactorPages } from './sign-in/second-factor-routes.ts';
import { signInLinkPages } from './sign-in/sign-in-link-routes.ts';
import { signUpLinkPages } from './sign-in/sign-up-link-routes.ts';
import { signInPages } from './sign-in/sign-in-routes.ts';
import { frontPage } from './front/front-routes.ts';
import { type HealthParts, healthPages } from './operations/health.ts';
import { keysPages } from './keys/keys-routes.ts';
import { metricsPage } from './operations/metrics.ts';
import type { OperatorQueues, PageParts } from './ui/page.ts';
import { webhooksPages } from './webhooks/webhooks-routes.ts';
import { problemPage } from './ui/problem-page.ts';
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
  queueBoard: Middleware;
  /** Undefined: no traces are exported. */
  tracing: Tracing | undefined;
  queues: OperatorQueues;
  sendMail: PageParts['sendMail'];
  buildExport: PageParts['buildExport'];
  /** Aborted when the process shuts down, to end responses that would stay open. */
  closing: AbortSignal;
}

/** Every middleware and mount of the web process, in order. */
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
  queueBoard,
  tracing,
  queues,
  sendMail,
  buildExport,
  closing,
}: AppParts): Koa {
  const app = new Koa();
  useLinearQuery(app);
  const prints = createPrints({ db, printer, images, baseUrl: config.baseUrl, now });
  const webhooks = {
    box: createSecretBox(secrets.webhookKeys),
    policy: createAddressPolicy(config.webhooks.networks),
  };
  // For the API and the pages together: up to 60 MB of bodies.
  const uploads = createBodySlots({ perAccount: 2, total: 6 });
  const api = createApiRouter({
    db,
    reads,
    config,
    secrets,
    webhooks,
    now,
    codeChanged,
    prints,
    proofs,
    imageDecoder,
    uploads,
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
  const pages = createPages(parts);
  const unsubscribe = unsubscribePages(parts);

  app.use(boundHeaders);
  app.use(observe({ log, metrics, tracing, trustProxyHops: config.trustProxyHops }));
  app.use(prefixLinks(basePathOf(config.baseUrl)));
  app.use(securityHeaders);
  app.use(errors(log, problemPage(parts)));
  app.use(documentRoute({ config, now }).routes());
  app.use(mount('/api/', authenticate({ db, secrets, trustProxyHops: config.trustProxyHops, now })));
  app.use(mount('/api/', methodNotAllowed(api)));
  app.use(api.routes());
  app.use(healthPages(health, config));
  app.use(metricsPage(config.metricsToken, readMetrics));
  app.use(assets.middleware);
  app.use(sessions.middleware);
  app.use(mount('/admin/', operatorsOnly));
  app.use(mount('/admin/board/', queueBoard));
  app.use(methodNotAllowed(unsubscribe));
  app.use(unsubscribe.routes());
  app.use(methodNotAllowed(pages));
  app.use(pages.routes());

  const logSendErrors = throttle((err, times) => log.error({ err, times }, 'a response could not be sent'));
  app.on('error', (err: unknown) => {
    // A client that disconnects in the middle of a response is not an error.
    if (!isClientDisconnect(err)) logSendErrors(err);
  });
  return app;
}

/** Every page and form. A page is its feature folder and one line in `features`. */
export function createPages(parts: PageParts): Router {
  const { config, secrets, sessions, reads, uploads } = parts;
  const pages = new Router()
    .use(forms({ config, secrets, checkCsrf: sessions.checkCsrf, uploads }))
    .use(markChanges(reads));
  const features = [
    frontPage,
    docsPage,
    signInPages,
    signInLinkPages,
    signUpLinkPages,
    forgotPasswordPages,
    confirmEmailPages,
    secondFactorPages,
    codeListPages,
    codePictureRoutes,
    codePreviewRoutes,
    codeFilePages,
    codeFormPages,
    printPages,
    designPreviewRoutes,
    codeDesignPages,
    pageLogoPages,
    styleApplyPages,
    styleDesignPages,
    stylePages,
    // Last of those below /codes: its `/codes/:id` would match their paths too.
    codeDetailPages,
    keysPages,
    webhooksPages,
    securityPages,
    exportPages,
    accountPages,
    overviewPages,
    usersPages,
    blocksPages,
    queuesPages,
    auditPages,
  ];
  for (const feature of features) pages.use(feature(parts).routes());
  return pages;
}

function isClientDisconnect(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
