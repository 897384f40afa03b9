import type { Context } from 'koa';
import { findAccountBlock } from '../../accounts/account-blocks.ts';
import { resetAttempts, takeAttempt } from '../../accounts/request-windows.ts';
import { passkeySite, signInOptions, usePasskey } from '../../accounts/passkeys.ts';
import { countSecondFactors, useSecondFactorCode } from '../../accounts/second-factors.ts';
import { User } from '../../accounts/users.ts';
import { callerAddress } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import { type PageParts, redirect, show, visitorOf } from '../ui/page.ts';
import { parseCredential } from './parse-credential.ts';
import { safeReturnPath } from './return-path.ts';
import { SecondFactorView } from './second-factor-view.tsx';
import { SignInView } from './sign-in-view.tsx';
import { tooMany } from './too-many.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxCodesPerHour = 10;
const maxPasskeysPerAddress = 60;
const home = '/codes';
const wrongCode = 'This code is wrong or was used before.';
const wrongPasskey = 'The passkey was not accepted. Try again, or sign in with your password.';

/** The second step of signing in, and signing in with a passkey alone. */
export function secondFactorPages(parts: PageParts): Routes {
  const { db, config, secrets, sessions, now } = parts;
  const site = passkeySite(config.baseUrl);
  const routes = createRoutes();

  /** Whose password was right. */
  async function waitingUser(ctx: Context): Promise<User | undefined> {
    const waiting = await sessions.findChallenge(ctx);
    return waiting?.userId ? User.query(db).findById(waiting.userId) : undefined;
  }

  async function showCodeForm(ctx: Context, user: User, next: string, problem?: string, status = 200) {
    const { passkeys } = await countSecondFactors(db, user.id);
    const visitor = visitorOf(ctx, parts);
    show(ctx, SecondFactorView, { visitor, hasPasskeys: passkeys > 0, next, problem }, status);
  }

  async function signIn(ctx: Context, user: User, next: string): Promise<void> {
    await sessions.takeChallenge(ctx);
    await sessions.signIn(ctx, user);
    redirect(ctx, next);
  }

  routes.get('stranger', '/signin/second', async (ctx) => {
    const user = await waitingUser(ctx);
    if (!user) return redirect(ctx, '/signin');
    await showCodeForm(ctx, user, safeReturnPath(ctx.query['next']) ?? home);
  });

  routes.post('stranger', '/signin/second', async (ctx) => {
    const user = await waitingUser(ctx);
    if (!user) return redirect(ctx, '/signin');
    const next = safeReturnPath(field(ctx, 'next')) ?? home;
    // Counted before the code is checked, so that parallel guesses are counted too.
    const limit = { subject: `second-factor:${user.id}`, maxPerHour: maxCodesPerHour };
    const { isAllowed, retryAfter } = await takeAttempt(db, limit);
    if (!isAllowed) {
      ctx.set('Retry-After', String(retryAfter));
      return showCodeForm(ctx, user, next, tooMany(retryAfter), 429);
    }
    const code = field(ctx, 'code').slice(0, 50);
    if (!(await useSecondFactorCode(db, secrets, user.id, code, now())))
      return showCodeForm(ctx, user, next, wrongCode, 401);
    await resetAttempts(db, limit);
    if (await findAccountBlock(db, user.id)) return redirect(ctx, '/signin');
    await signIn(ctx, user, next);
  });

  routes.post('stranger', '/signin/passkey/options', async (ctx) => {
    const address = secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
    const limit = { subject: `passkey-address:${address}`, maxPerHour: maxPasskeysPerAddress };
    const { isAllowed, retryAfter } = await takeAttempt(db, limit);
    if (!isAllowed) {
      ctx.set('Retry-After', String(retryAfter));
      ctx.status = 429;
      return;
    }
    const userId = (await waitingUser(ctx))?.id ?? null;
    const options = await signInOptions(db, site, userId);
    await sessions.startChallenge(ctx, { userId, challenge: options.challenge });
    ctx.body = options;
  });

  routes.post('stranger', '/signin/passkey', async (ctx) => {
    const next = safeReturnPath(field(ctx, 'next'));
    const waiting = await sessions.takeChallenge(ctx);
    const response = parseCredential(field(ctx, 'response'));
    const userId =
      waiting?.challenge &&
      response &&
      (await usePasskey(db, site, { response, challenge: waiting.challenge }, now()));
    const isExpected = userId && (waiting.userId === null || waiting.userId === userId);
    const user = isExpected ? await User.query(db).findById(userId) : undefined;
    if (!user || (await findAccountBlock(db, user.id)))
      return show(ctx, SignInView, { visitor: visitorOf(ctx, parts), next, problem: wrongPasskey }, 401);
    await sessions.signIn(ctx, user);
    redirect(ctx, next ?? home);
  });
  return routes;
}
