import type { Context } from 'koa';
import { type FunctionComponent, h, type VNode } from 'preact';
import type { PasswordHasher } from '../../accounts/password-hasher.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import type { User } from '../../accounts/users.ts';
import type { Images } from '../../codes/image/image-thread.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import type { Sessions } from '../middleware/session.ts';
import { render, type Visitor } from './layout.tsx';
import { viewerLocale } from './viewer-locale.ts';

export interface PageParts {
  db: Database;
  config: Config;
  secrets: ServiceSecrets;
  sessions: Sessions;
  passwords: PasswordHasher;
  /** Where stylesheet and scripts are. */
  assets: string;
  images: Images;
  /** To be told of each code that was changed or deleted, so that its share address shows it at once. */
  codeChanged(shareToken: string): void;
  /** Aborted when the process is about to end: what would stay open ends then. */
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

/** On pages behind `needUser`. */
export function userOf(ctx: Context): User {
  return signedIn(ctx) as User;
}

/** For pages that are somebody's: whoever is not signed in is led there, and back afterwards. */
export async function needUser(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (signedIn(ctx)) {
    await next();
    return;
  }
  // Neither a picture nor a stream can show a page.
  if (!ctx.accepts('html')) throw new AppError('not_found', 'There is nothing at this address.');
  redirect(ctx, ctx.method === 'POST' ? '/signin?ended' : `/signin?next=${encodeURIComponent(ctx.url)}`);
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

/** After a form: the browser opens the next page anew, so that a reload repeats nothing. */
export function redirect(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
}
