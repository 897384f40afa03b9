import type { Context } from 'koa';
import { type ThrottledCallers, checkSignIn } from '../../accounts/sign-in.ts';
import { createOverLimitCache } from '../../accounts/over-limit-cache.ts';
import { callerAddress } from '../middleware/caller.ts';
import { findAccountBlock } from '../../accounts/account-blocks.ts';
import { resetAttempts } from '../../accounts/request-windows.ts';
import { passkeySite, signInOptions, usePasskey } from '../../accounts/passkeys.ts';
import { countSecondFactors, useSecondFactorCode } from '../../accounts/second-factors.ts';
import { User } from '../../accounts/users.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { frontFlashTexts } from '../front/front-routes.ts';
import { createPages, redirect } from '../ui/page.ts';
import { signedIn } from '../middleware/session.ts';
import { localSignIn } from './local-sign-in.ts';
import { completeSignIn, home, safeReturnPath, takeAttempts, tooMany } from './sign-in-steps.ts';
import { SecondFactorView, type SignInProps, SignInView } from './sign-in-view.tsx';

const maxCodesPerHour = 10;
const maxPasskeysPerAddress = 60;
const maxCredentialLength = 20_000;
const texts = {
  ended:
    'You were signed out, and nothing was saved. Sign in, then go back to the form and submit it again. Your input is still there.',
  wrong: 'The email or the password is wrong.',
  crowded:
    'There were too many wrong passwords from your network. You can still sign in: enter your password again. Your browser has to solve a task first, which takes a few seconds.',
  blocked: 'This account is blocked. Contact the operator of this service.',
  wrongCode: 'This code is wrong or was used before.',
  wrongPasskey: 'The passkey was not accepted. Try again, or sign in with your password.',
};

/** Sign in with a password, a second factor or a passkey; sign out. */
export function signInPages(parts: Services): Routes {
  const { db, config, secrets, sessions, now } = parts;
  const throttled: ThrottledCallers = createOverLimitCache();
  const site = passkeySite(config);
  const routes = createRoutes();
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, frontFlashTexts);
  const addressOf = (ctx: Context) => callerAddress(ctx, config.trustProxyHops);

  interface Shown extends Omit<SignInProps, 'form'> {
    email?: string;
    error?: string | undefined;
  }

  const showSignIn = (ctx: Context, { email = '', error, ...props }: Shown, status = 200) =>
    pages.show(ctx, SignInView, { ...props, form: { values: { email }, errors: [], error } }, { status });

  routes.get('stranger', '/signin', (ctx) => {
    const next = safeReturnPath(ctx.query['next']);
    if (signedIn(ctx)) return redirect(ctx, next ?? home);
    showSignIn(ctx, { next, error: ctx.query['ended'] === '' ? texts.ended : undefined });
  });

  local.post('stranger', '/signin', async (ctx) => {
    const email = field(ctx, 'email').trim();
    const next = safeReturnPath(field(ctx, 'next'));
    const answer = await checkSignIn(
      { ...parts, throttled },
      {
        email,
        password: field(ctx, 'password'),
        address: addressOf(ctx),
        device: sessions.device(ctx),
        proof: field(ctx, 'proof'),
      },
    );
    if ('user' in answer) return completeSignIn(ctx, parts, answer.user, next ?? home);
    const shown = { email, next };
    if (answer.refused === 'wrong')
      return showSignIn(ctx, { ...shown, challenge: answer.challenge, error: texts.wrong }, 401);
    if (answer.refused === 'blocked') return showSignIn(ctx, { ...shown, error: texts.blocked }, 403);
    const waiting = {
      ...shown,
      canMail: parts.sendMail !== undefined,
      error: tooMany(ctx, answer.retryAfter),
    };
    if (answer.refused === 'throttled') return showSignIn(ctx, waiting, 429);
    showSignIn(ctx, { ...waiting, challenge: answer.challenge, error: texts.crowded }, 429);
  });

  routes.post('stranger', '/signout', async (ctx) => {
    await sessions.signOut(ctx);
    redirect(ctx, '/');
  });

  /** The user who passed the password step. */
  async function waitingUser(ctx: Context): Promise<User | undefined> {
    const waiting = await sessions.findChallenge(ctx);
    return waiting?.userId ? User.query(db).findById(waiting.userId) : undefined;
  }

  async function showCodeForm(ctx: Context, user: User, next: string, error?: string, status = 200) {
    const { passkeys } = await countSecondFactors(db, user.id);
    const form = { values: {}, errors: [], error };
    pages.show(ctx, SecondFactorView, { hasPasskeys: passkeys > 0, next, form }, { status });
  }

  local.get('stranger', '/signin/second', async (ctx) => {
    const user = await waitingUser(ctx);
    if (!user) return redirect(ctx, '/signin');
    await showCodeForm(ctx, user, safeReturnPath(ctx.query['next']) ?? home);
  });

  local.post('stranger', '/signin/second', async (ctx) => {
    const user = await waitingUser(ctx);
    if (!user) return redirect(ctx, '/signin');
    const next = safeReturnPath(field(ctx, 'next')) ?? home;
    // Counted before the code is checked, so that parallel guesses are counted too.
    const limit = { subject: `second-factor:${user.id}`, maxPerHour: maxCodesPerHour };
    const refused = await takeAttempts(ctx, parts, [limit]);
    if (refused) return showCodeForm(ctx, user, next, refused, 429);
    const code = field(ctx, 'code').slice(0, 50);
    if (!(await useSecondFactorCode(db, secrets, user.id, code, now())))
      return showCodeForm(ctx, user, next, texts.wrongCode, 401);
    await resetAttempts(db, limit);
    if (await findAccountBlock(db, user.id)) return redirect(ctx, '/signin');
    await sessions.takeChallenge(ctx);
    await sessions.signIn(ctx, user);
    redirect(ctx, next);
  });

  local.post('stranger', '/signin/passkey/options', async (ctx) => {
    const address = secrets.hashAddress(addressOf(ctx));
    const limit = { subject: `passkey-address:${address}`, maxPerHour: maxPasskeysPerAddress };
    if (await takeAttempts(ctx, parts, [limit])) {
      ctx.status = 429;
      return;
    }
    const userId = (await waitingUser(ctx))?.id ?? null;
    const options = await signInOptions(db, site, userId);
    await sessions.startChallenge(ctx, { userId, challenge: options.challenge });
    ctx.body = options;
  });

  local.post('stranger', '/signin/passkey', async (ctx) => {
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
      return showSignIn(ctx, { next, error: texts.wrongPasskey }, 401);
    await sessions.signIn(ctx, user);
    redirect(ctx, next ?? home);
  });
  return routes;
}

/** What passkey.browser.js sends: an object of an unknown shape, or undefined. */
export function parseCredential(text: string): object | undefined {
  if (text === '' || text.length > maxCredentialLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
