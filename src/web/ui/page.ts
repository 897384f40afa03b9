import type { Context } from 'koa';
import { type FunctionComponent, h, type VNode } from 'preact';
import type { User } from '../../accounts/users.ts';
import { loadAssets } from '../asset-files.ts';
import type { Services } from '../services.ts';
import { type Visitor, render } from './layout.tsx';
import { viewerLocale } from './viewer-locale.ts';

export type PageParts = Services;

export function visitorOf(ctx: Context, { sessions, config }: Services): Visitor {
  const user = signedIn(ctx);
  return {
    email: user?.email,
    isOperator: user?.isAdmin === true,
    csrfToken: sessions.csrfToken(ctx),
    assets: loadAssets().path,
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

export function show<Props extends object>(
  ctx: Context,
  View: FunctionComponent<Props>,
  props: Props,
  status = 200,
): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.body = render(h(View, props) as VNode);
}

/** With 303, the browser follows with GET, so that a reload does not submit the form again. */
export function redirect(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
}
