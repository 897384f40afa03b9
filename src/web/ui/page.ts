import type { Context } from 'koa';
import { type FunctionComponent, h, type VNode } from 'preact';
import { isTimeZone } from '../../runtime/time-zone.ts';
import { loadAssets } from '../asset-files.ts';
import type { Services } from '../services.ts';
import { type Visitor, viewerLocale } from './visitor.ts';
import { render } from './layout.tsx';
import {
  confirmationOf,
  hasNoWorkspace,
  isDemo,
  membershipOf,
  membershipsOf,
  shownMembership,
  signedIn,
} from '../middleware/session.ts';

/** Instead of an address. */
export const demoName = 'Live demo';

export function visitorOf(ctx: Context, { sessions, config }: Services): Visitor {
  const user = signedIn(ctx);
  return {
    email: isDemo(ctx) ? demoName : user?.email,
    account: user?.id,
    isDemo: isDemo(ctx),
    isBlocked: shownMembership(ctx)?.isBlocked,
    workspaceName: shownMembership(ctx)?.workspace.name,
    hasNoWorkspace: hasNoWorkspace(ctx),
    workspaces: membershipsOf(ctx).map(({ workspace: { slug, name } }) => ({ slug, name })),
    role: membershipOf(ctx)?.role,
    isOperator: user?.isAdmin === true,
    csrfToken: sessions.csrfToken(ctx),
    assets: loadAssets(config.brand).path,
    brand: config.brand,
    canSignUp: config.signUps === 'open' && !config.openId?.isOnly,
    provider: config.openId && { name: config.openId.name, isOnly: config.openId.isOnly },
    confirmation: confirmationOf(ctx, { sessions, config }),
    footerLinks: config.footerLinks,
    locale: viewerLocale(ctx),
    timeZone: isTimeZone(user?.timeZone) ? user.timeZone : undefined,
  };
}

/** Renders the pages of a feature for their visitors. `flashTexts` are the messages that they show once, after a redirect. */
export function createPages<Key extends string = never>(
  parts: Services,
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
      { status = 200, flash, undo }: { status?: number } & Pick<Visitor, 'flash' | 'undo'> = {},
    ): void {
      const key = takeFlash(ctx);
      const visitor = { ...visitorOf(ctx, parts), flash: flash ?? (key && flashTexts[key]), undo };
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
export function redirectWithFlash(ctx: Context, { sessions }: Services, path: string, key: string): void {
  sessions.setFlash(ctx, path.split(/[?#]/)[0] ?? '', key);
  redirect(ctx, path);
}

/** With 303, the browser follows with GET, so that a reload does not submit the form again. */
export function redirect(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
}
