import type { Context } from 'koa';
import { type FunctionComponent, h, type VNode } from 'preact';
import type { PasswordHasher } from '../../accounts/password-hasher.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import type { User } from '../../accounts/users.ts';
import type { Images } from '../../codes/image/image-thread.ts';
import type { ImageDecoder } from '../../codes/logo/image-decoder.ts';
import type { Logos } from '../../codes/logo/stored-logo.ts';
import type { PreviewShare } from '../../codes/share-preview.ts';
import type { Proofs } from '../../codes/proof/proofs.ts';
import type { Config } from '../../config.ts';
import type { ExportJob } from '../../queue/export-queue.ts';
import type { MailRequest } from '../../queue/mail-queue.ts';
import type { QueueAccess } from '../../queue/queue-access.ts';
import type { QueueDepth } from '../../queue/queue-depth.ts';
import type { FairScheduler } from '../../runtime/fair-scheduler.ts';
import type { GeoSource } from '../../scans/geo-source.ts';
import type { Database } from '../../store/database.ts';
import type { Reads } from '../../store/reads.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Sessions } from '../middleware/session.ts';
import type { Downloads } from '../downloads.ts';
import type { Prints } from '../prints.ts';
import type { WebhookParts } from '../webhook-parts.ts';
import { render } from './layout.tsx';
import { viewerLocale, type Visitor } from './visitor.ts';

/** The queues as operators see them. */
export interface OperatorQueues {
  depths(): Promise<QueueDepth[]>;
  access: QueueAccess;
}

export interface PageParts {
  db: Database;
  reads: Reads;
  config: Config;
  secrets: ServiceSecrets;
  sessions: Sessions;
  passwords: PasswordHasher;
  /** URL prefix of style sheets and scripts. */
  assets: string;
  images: Images;
  prints: Prints;
  proofs: Proofs;
  imageDecoder: ImageDecoder;
  uploads: FairScheduler;
  downloads: Downloads;
  logos: Logos;
  geoSource: GeoSource | undefined;
  webhooks: WebhookParts;
  /** Called after a code has changed or been deleted, so that its share link shows it at once. */
  codeChanged(shareToken: string): void;
  previewShare: PreviewShare;
  queues: OperatorQueues;
  /** Queues a mail. Undefined without SMTP_URL: pages then say whom to ask. */
  sendMail: ((request: MailRequest) => Promise<void>) | undefined;
  /** Queues the export of an account. */
  buildExport(job: ExportJob): Promise<void>;
  log: Log;
  /** Aborted when the process shuts down, to end responses that would stay open. */
  closing: AbortSignal;
  now: () => Date;
}

export function visitorOf(ctx: Context, { sessions, assets, config }: PageParts): Visitor {
  const user = signedIn(ctx);
  return {
    email: user?.email,
    isOperator: user?.isAdmin === true,
    csrfToken: sessions.csrfToken(ctx),
    assets,
    canSignUp: config.signUps === 'open',
    footerLinks: config.footerLinks,
    locale: viewerLocale(ctx),
  };
}

export function signedIn(ctx: Context): User | undefined {
  return ctx.state['user'] as User | undefined;
}

/** Only in routes for users or operators. */
export function userOf(ctx: Context): User {
  return signedIn(ctx) as User;
}

/** Renders the pages of a feature for their visitors. `flashTexts` are the messages that they show once, after a redirect. */
export function createPages<Key extends string = never>(
  parts: PageParts,
  flashTexts = {} as Record<Key, string>,
) {
  /** The key that was set for this page. */
  function takeFlash(ctx: Context): Key | undefined {
    const key = parts.sessions.takeFlash(ctx);
    return key !== undefined && Object.hasOwn(flashTexts, key) ? (key as Key) : undefined;
  }

  return {
    takeFlash,
    show<Props extends object>(
      ctx: Context,
      View: FunctionComponent<Props>,
      props: NoInfer<Props>,
      { status = 200, flash }: { status?: number; flash?: string | undefined } = {},
    ): void {
      const key = takeFlash(ctx);
      const visitor = { ...visitorOf(ctx, parts), flash: flash ?? (key && flashTexts[key]) };
      show(ctx, View, { ...props, visitor }, status);
    },
    redirectWithFlash: (ctx: Context, path: string, key: Key) => redirectWithFlash(ctx, parts, path, key),
  };
}

/** `visitor` is for the whole page. */
export function show<Props extends object>(
  ctx: Context,
  View: FunctionComponent<Props>,
  props: NoInfer<Props> & { visitor?: Visitor },
  status = 200,
): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.body = render(h(View, props) as VNode, props.visitor);
}

/** Redirects to a page that shows the message of `key` once. The cookie holds a key, so that nobody can inject a text. */
export function redirectWithFlash(ctx: Context, { sessions }: PageParts, path: string, key: string): void {
  sessions.setFlash(ctx, path.split(/[?#]/)[0] ?? '', key);
  redirect(ctx, path);
}

/** With 303, the browser follows with GET, so that a reload does not submit the form again. */
export function redirect(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
}
