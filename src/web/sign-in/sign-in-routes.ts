import type { Context } from 'koa';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { createUser, emailErrors } from '../../accounts/users.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { checkSignIn, type ThrottledCallers } from '../../accounts/sign-in.ts';
import { createOverLimitCache } from '../../accounts/over-limit-cache.ts';
import { BusyError } from '../../errors.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { askForConfirmation } from './ask-for-confirmation.ts';
import type { CodeFlash } from '../codes/code-flash.ts';
import { callerAddress } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import type { FormError } from '../ui/controls.tsx';
import { SignInView, withNext } from './sign-in-view.tsx';
import { SignUpByMailView, SignUpClosedView, SignUpView } from './sign-up-view.tsx';
import { completeSignIn } from './complete-sign-in.ts';
import { tooMany } from './too-many.ts';
import { safeReturnPath } from './return-path.ts';
import { readFlash, redirectWithFlash } from '../ui/flash.ts';
import { redirect, type PageParts, show, signedIn, visitorOf } from '../ui/page.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxSignUpsPerAddress = 20;
/** Mails to one address, so that nobody can flood its owner. */
const maxSignUpsPerEmail = 5;
const maxNextLength = 200;
type SendMail = NonNullable<PageParts['sendMail']>;
const flashTexts = {
  sent: 'An email is on its way to this address. Open the link in it within 24 hours to choose a password. If nothing arrives, check your spam folder.',
};
/** The page after signing in, unless another one was requested. */
const home = '/codes';
const endedText =
  'You were signed out, and nothing was saved. Sign in, then go back to the form and submit it again. Your input is still there.';

const crowdedText =
  'There were too many wrong passwords from your network. You can still sign in: enter your password again. Your browser has to solve a task first, which takes a few seconds.';
const blockedText = 'This account is blocked. Contact the operator of this service.';

/** Sign up, sign in, sign out. */
export function signInPages(parts: PageParts): Routes {
  const { db, config, secrets, passwords, sessions, now } = parts;
  const limits = config.limits.free;
  const throttled: ThrottledCallers = createOverLimitCache();
  const routes = createRoutes();
  // Mails that are printed in the terminal reach nobody else: whoever tries the service out is signed up at once.
  const sendLink = config.mail?.server === 'terminal' ? undefined : parts.sendMail;
  const addressOf = (ctx: Context) => callerAddress(ctx, config.trustProxyHops);

  routes.get('stranger', '/signup', (ctx) => {
    if (signedIn(ctx)) return redirect(ctx, safeReturnPath(ctx.query['next']) ?? home);
    const visitor = visitorOf(ctx, parts);
    const next = safeReturnPath(ctx.query['next']);
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor, next });
    const flash = readFlash(ctx, parts, flashTexts);
    if (sendLink)
      return show(ctx, SignUpByMailView, { visitor, limits, next, flash: flash && flashTexts[flash] });
    show(ctx, SignUpView, { visitor, limits, next });
  });

  /** The same work and the same response whether or not the address has an account: the worker looks it up. */
  async function signUpByMail(ctx: Context, sendMail: SendMail, next: string | undefined): Promise<void> {
    const visitor = visitorOf(ctx, parts);
    const email = field(ctx, 'email').trim();
    const errors = emailErrors('email', email);
    if (errors.length > 0) return show(ctx, SignUpByMailView, { visitor, limits, email, errors, next }, 400);
    for (const limit of [
      { subject: `signup-address:${secrets.hashAddress(addressOf(ctx))}`, maxPerHour: maxSignUpsPerAddress },
      { subject: `signup-account:${secrets.hashEmail(email)}`, maxPerHour: maxSignUpsPerEmail },
    ]) {
      const { isAllowed, retryAfter } = await takeAttempt(db, limit);
      if (isAllowed) continue;
      ctx.set('Retry-After', String(retryAfter));
      return show(ctx, SignUpByMailView, { visitor, limits, email, next, problem: tooMany(retryAfter) }, 429);
    }
    const language = preferredLanguage(ctx.get('Accept-Language'));
    // The link contains the page, and a link of many lines is cut by some mail programs.
    const kept = next !== undefined && next.length <= maxNextLength ? next : undefined;
    await sendMail({ kind: 'sign-up', email, language, next: kept }).catch((cause: unknown) => {
      parts.log.warn({ err: cause }, 'a link to sign up could not be queued');
      throw new BusyError('Emails cannot be sent at the moment. Try again in a minute.', {
        retryAfterSeconds: 60,
        cause,
      });
    });
    redirectWithFlash(ctx, parts, '/signup', 'sent' satisfies keyof typeof flashTexts);
  }

  routes.post('stranger', '/signup', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    const next = safeReturnPath(field(ctx, 'next'));
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor, next }, 403);
    if (sendLink) return signUpByMail(ctx, sendLink, next);
    const email = field(ctx, 'email').trim();
    const password = field(ctx, 'password');
    const refuse = (status: number, problem?: string, errors?: FormError[]) =>
      show(ctx, SignUpView, { visitor, limits, email, errors, problem, next }, status);

    const errors = [...emailErrors('email', email), ...passwordErrors('password', password, email)];
    if (errors.length > 0) return refuse(400, undefined, errors);
    // Counted only once hashing can start: a request that was refused because too many wait is not an attempt.
    const address = secrets.hashAddress(addressOf(ctx));
    const made = await passwords.withSlot(async ({ hash, isCommon }) => {
      const attempt = await takeAttempt(db, {
        subject: `signup-address:${address}`,
        maxPerHour: maxSignUpsPerAddress,
      });
      if (!attempt.isAllowed) return attempt;
      if (await isCommon(password, email)) return { errors: [commonPasswordError('password')] };
      return { passwordHash: await hash(password) };
    }, address);
    if ('retryAfter' in made) {
      ctx.set('Retry-After', String(made.retryAfter));
      return refuse(429, tooMany(made.retryAfter));
    }
    if ('errors' in made) return refuse(400, undefined, made.errors);
    const language = preferredLanguage(ctx.get('Accept-Language'));
    const user = await createUser(db, { email, language, ...made }, now());
    // Without mails, nobody can prove that an address is theirs, and whoever signs up is signed in: see decision 86.
    if (!user)
      return refuse(400, undefined, [
        {
          field: 'email',
          message: 'This email already has an account',
          link: { path: withNext('/signin', next), name: 'Sign in' },
        },
      ]);
    await askForConfirmation(parts, { userId: user.id, email });
    await sessions.signIn(ctx, user);
    if (next === undefined && parts.sendMail)
      return redirectWithFlash(ctx, parts, home, 'signedUp' satisfies CodeFlash);
    redirect(ctx, next ?? home);
  });

  routes.get('stranger', '/signin', (ctx) => {
    if (signedIn(ctx)) return redirect(ctx, safeReturnPath(ctx.query['next']) ?? home);
    const problem = ctx.query['ended'] === '' ? endedText : undefined;
    show(ctx, SignInView, {
      visitor: visitorOf(ctx, parts),
      next: safeReturnPath(ctx.query['next']),
      problem,
    });
  });

  routes.post('stranger', '/signin', async (ctx) => {
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
    const view = { visitor: visitorOf(ctx, parts), email, next };
    if (answer.refused === 'wrong')
      return show(
        ctx,
        SignInView,
        { ...view, challenge: answer.challenge, problem: 'The email or the password is wrong.' },
        401,
      );
    if (answer.refused === 'blocked') return show(ctx, SignInView, { ...view, problem: blockedText }, 403);
    ctx.set('Retry-After', String(answer.retryAfter));
    const canMail = parts.sendMail !== undefined;
    if (answer.refused === 'throttled')
      return show(ctx, SignInView, { ...view, canMail, problem: tooMany(answer.retryAfter) }, 429);
    const { challenge } = answer;
    return show(ctx, SignInView, { ...view, canMail, challenge, problem: crowdedText }, 429);
  });

  routes.post('stranger', '/signout', async (ctx) => {
    await sessions.signOut(ctx);
    redirect(ctx, '/');
  });
  return routes;
}
