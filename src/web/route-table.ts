import { createQueueBoard } from '../admin/queue-board.ts';
import type { Config } from '../config.ts';
import { auditPages, overviewPages } from './admin/admin-routes.ts';
import { blocksPages } from './admin/blocks/blocks-routes.ts';
import { queuesPages } from './admin/queues/queues-routes.ts';
import { usersPages } from './admin/users/users-routes.ts';
import { adminWorkspacePages } from './admin/workspaces/workspaces-routes.ts';
import { accountPages, unsubscribePages } from './account/account-routes.ts';
import { codeDetailPages } from './codes/detail/detail-routes.ts';
import { designPreviewRoutes } from './codes/design/design-previews.ts';
import { designPages } from './codes/design/design-routes.ts';
import { styleDesignPages } from './codes/design/style-design-routes.ts';
import { codeFilePages } from './codes/file/file-routes.ts';
import { createCodePages } from './codes/form/create-routes.ts';
import { codeFormPages } from './codes/form/form-routes.ts';
import { codePreviewRoutes } from './codes/form/form-preview.ts';
import { pageLogoPages } from './codes/page-logo/page-logo-routes.ts';
import { codePictureRoutes } from './codes/picture-routes.ts';
import { stylePages } from './codes/styles/styles-routes.ts';
import { codeListPages } from './codes/list/list-routes.ts';
import { brandPages } from './codes/brand/brand-routes.ts';
import { readyPages } from './codes/ready/ready-routes.ts';
import { codeHistoryPages } from './codes/history/history-routes.ts';
import { trashPages } from './codes/trash/trash-routes.ts';
import { printPages } from './codes/print/print-routes.ts';
import { brandRoutes } from './brand/brand-routes.ts';
import { demoPages } from './demo/demo-routes.ts';
import { docsPage } from './docs/docs-routes.ts';
import { mailLinkPages } from './sign-in/mail-link-routes.ts';
import { securityPages } from './security/security-routes.ts';
import { openIdPages } from './sign-in/openid-routes.ts';
import { signInPages } from './sign-in/sign-in-routes.ts';
import { signUpPages } from './sign-in/sign-up-routes.ts';
import { historyPages } from './history/history-routes.ts';
import { frontPage } from './front/front-routes.ts';
import { invitationPages } from './invitations/invitation-routes.ts';
import { keysPages } from './keys/keys-routes.ts';
import { membersPages } from './members/members-routes.ts';
import { webhooksPages } from './webhooks/webhooks-routes.ts';
import { workspacePages } from './workspace/workspace-routes.ts';
import { apiRoutes, documentRoutes } from './api/router.ts';
import { loadAssets } from './asset-files.ts';
import { forms, markChanges } from './middleware/forms.ts';
import { healthRoutes, metricsRoutes } from './operations/monitoring-routes.ts';
import type { Route, Routes } from './routes.ts';
import type { Services } from './services.ts';
import { galleryPage } from './ui/gallery.tsx';

/** Every page and form. A page is its feature folder and one line here. */
const features: ((services: Services) => Routes)[] = [
  frontPage,
  demoPages,
  docsPage,
  signInPages,
  openIdPages,
  signUpPages,
  mailLinkPages,
  codeListPages,
  trashPages,
  codePictureRoutes,
  codePreviewRoutes,
  codeFilePages,
  createCodePages,
  codeFormPages,
  brandPages,
  printPages,
  readyPages,
  designPreviewRoutes,
  designPages,
  pageLogoPages,
  codeHistoryPages,
  // Before the templates with an id: it has `/codes/styles/new`.
  styleDesignPages,
  stylePages,
  // Last of those below /codes: its `/codes/:id` would match their paths too.
  codeDetailPages,
  historyPages,
  keysPages,
  webhooksPages,
  workspacePages,
  membersPages,
  invitationPages,
  securityPages,
  accountPages,
  overviewPages,
  usersPages,
  adminWorkspacePages,
  blocksPages,
  queuesPages,
  auditPages,
  galleryPage,
];

interface RouteTable {
  api: Route[];
  /** Served before the session is looked up. */
  public: Route[];
  pages: Route[];
}

/** Every route of the web process except those of the scan lane, each with its access. */
export function createRouteTable(services: Services): RouteTable {
  const { config, reads, health, readMetrics } = services;
  const handleForm = [forms(services), markChanges(reads)];
  const pages = features
    .flatMap((feature) => feature(services).list)
    .map((route) => ({ ...route, handlers: [...handleForm, ...route.handlers] }));
  return {
    api: [...documentRoutes(services).list, ...apiRoutes(services).list],
    public: [
      ...healthRoutes(health, config).list,
      ...loadAssets(config.brand).routes.list,
      ...brandRoutes(config.brand).list,
    ],
    // The board and the links in mails are not forms with a CSRF token.
    pages: [
      ...metricsRoutes(readMetrics).list,
      ...createQueueBoard(services).list,
      ...unsubscribePages(services).list,
      ...pages,
    ],
  };
}

/** The route table, to print or to test it. Handlers use the services only when they are called, so few are needed. */
export function listRoutes(config: Config): Route[] {
  const services = { config, sessions: {}, queues: {}, health: {}, closing: new AbortController().signal };
  return Object.values(createRouteTable(services as unknown as Services)).flat();
}
