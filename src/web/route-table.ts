import { createQueueBoard } from '../admin/queue-board.ts';
import type { Config } from '../config.ts';
import type { ReadMetrics } from '../telemetry/metrics-server.ts';
import { blocksPages } from './admin/blocks/blocks-routes.ts';
import { auditPages, overviewPages } from './admin/admin-routes.ts';
import { queuesPages } from './admin/queues/queues-routes.ts';
import { usersPages } from './admin/users/users-routes.ts';
import { accountPages, unsubscribePages } from './account/account-routes.ts';
import { codeDetailPages } from './codes/detail/detail-routes.ts';
import { designPages } from './codes/design/design-routes.ts';
import { codeFilePages } from './codes/file/file-routes.ts';
import { codeFormPages } from './codes/form/form-routes.ts';
import { codePreviewRoutes } from './codes/form/preview-routes.ts';
import { pageLogoPages } from './codes/page-logo/page-logo-routes.ts';
import { codePictureRoutes } from './codes/picture-routes.ts';
import { stylePages } from './codes/styles/styles-routes.ts';
import { codeListPages } from './codes/list/list-routes.ts';
import { printPages } from './codes/print/print-routes.ts';
import { docsPage } from './docs/docs-routes.ts';
import { mailLinkPages } from './sign-in/mail-link-routes.ts';
import { securityPages } from './security/security-routes.ts';
import { signInPages } from './sign-in/sign-in-routes.ts';
import { signUpPages } from './sign-in/sign-up-routes.ts';
import { frontPage } from './front/front-routes.ts';
import { keysPages } from './keys/keys-routes.ts';
import { webhooksPages } from './webhooks/webhooks-routes.ts';
import { documentRoutes } from './api/document-route.ts';
import { apiRoutes } from './api/router.ts';
import { loadAssets } from './asset-files.ts';
import { forms } from './middleware/forms.ts';
import { markChanges } from './middleware/mark-changes.ts';
import { type HealthParts, healthRoutes, metricsRoutes } from './operations/monitoring-routes.ts';
import type { Route, Routes } from './routes.ts';
import type { PageParts } from './ui/page.ts';

/** Every page and form. A page is its feature folder and one line here. */
const features: ((parts: PageParts) => Routes)[] = [
  frontPage,
  docsPage,
  signInPages,
  signUpPages,
  mailLinkPages,
  codeListPages,
  codePictureRoutes,
  codePreviewRoutes,
  codeFilePages,
  codeFormPages,
  printPages,
  designPages,
  pageLogoPages,
  stylePages,
  // Last of those below /codes: its `/codes/:id` would match their paths too.
  codeDetailPages,
  keysPages,
  webhooksPages,
  securityPages,
  accountPages,
  overviewPages,
  usersPages,
  blocksPages,
  queuesPages,
  auditPages,
];

interface RouteTable {
  api: Route[];
  /** Served before the session is looked up. */
  public: Route[];
  pages: Route[];
}

type TableParts = PageParts & { health: HealthParts; readMetrics: ReadMetrics };

/** Every route of the web process except those of the scan lane, each with its access. */
export function createRouteTable(parts: TableParts): RouteTable {
  const { config, secrets, sessions, reads, uploads, queues, db, now, health, readMetrics } = parts;
  const acceptForm = forms({ config, secrets, checkCsrf: sessions.checkCsrf, uploads });
  const handleForm = [acceptForm, markChanges(reads)];
  const pages = features
    .flatMap((feature) => feature(parts).list)
    .map((route) => ({ ...route, handlers: [...handleForm, ...route.handlers] }));
  const board = createQueueBoard({ queues: queues.access, db, baseUrl: config.baseUrl, now });
  return {
    api: [...documentRoutes({ config, now }).list, ...apiRoutes(parts).list],
    public: [...healthRoutes(health, config).list, ...loadAssets().routes.list],
    // The board and the links in mails are not forms with a CSRF token.
    pages: [...metricsRoutes(readMetrics).list, ...board.list, ...unsubscribePages(parts).list, ...pages],
  };
}

/** The route table, to print or to test it. Handlers only keep their parts until they are called, so there are none. */
export function listRoutes(config: Config): Route[] {
  const parts = { config, sessions: {}, queues: {}, health: {}, closing: new AbortController().signal };
  return Object.values(createRouteTable(parts as unknown as TableParts)).flat();
}
