import type { Context } from 'koa';
import { takeAttempt } from '../../accounts/attempts.ts';
import { emailErrors } from '../../accounts/email-address.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { checkSignIn } from '../../accounts/sign-in.ts';
import { createOverLimitCache } from '../../accounts/over-limit-cache.ts';
import { createUser } from '../../accounts/users.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { askForConfirmation } from './ask-for-confirmation.ts';
import type { CodeFlash } from '../codes/code-flash.ts';
import { callerAddress } from '../middleware/caller-address.ts';
import { field } from '../middleware/forms.ts';
import type { FormError } from '../ui/controls.tsx';
import { SignInView, SignUpClosedView, SignUpView, withNext } from './sign-in-view.tsx';
import { completeSignIn } from './complete-sign-in.ts';
import { tooMany } from './too-many.ts';
import { safeReturnPath } from './return-path.ts';
import { redirectWithFlash } from '../ui/flash.ts';
import { redirect, type PageParts, show, signedIn, visitorOf } from '../ui/page.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxSignUpsPerAddress = 20;
/** The page after signing in, unless another one was requested. */
const home = '/codes';
const endedText =
  'You were signed out, and nothing was saved. Sign in, then go back to the form and submit it again. Your input is still there.';

const blockedText = 'This account is blocked. Contact the operator of this service.';

/** Sign up, sign in, sign out. */
export function signInPages(parts: PageParts): Routes {
  const { db, config, secrets, passwords, sessions, now } = parts;
  const throttled = createOverLimitCache<{ resetInMs: number }>();
  const routes = createRoutes();
  const addressOf = (ctx: Context) => callerAddress(ctx, config.trustProxyHops);

  routes.get('stranger', '/signup', (ctx) => {
    if (signedIn(ctx)) return redirect(ctx, safeReturnPath(ctx.query['next']) ?? home);
    const visitor = visitorOf(ctx, parts);
    show(ctx, visitor.canSignUp ? SignUpView : SignUpClosedView, {
      visitor,
      next: safeReturnPath(ctx.query['next']),
    });
  });

  routes.post('stranger', '/signup', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    const next = safeReturnPath(field(ctx, 'next'));
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor, next }, 403);
    const email = field(ctx, 'email').trim();
    const password = field(ctx, 'password');
    const refuse = (status: number, problem?: string, errors?: FormError[]) =>
      show(ctx, SignUpView, { visitor, email, errors, problem, next }, status);

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
      },
    );
    if ('user' in answer) return completeSignIn(ctx, parts, answer.user, next ?? home);
    const view = { visitor: visitorOf(ctx, parts), email, next };
    if (answer.refused === 'wrong')
      return show(ctx, SignInView, { ...view, problem: 'The email or the password is wrong.' }, 401);
    if (answer.refused === 'blocked') return show(ctx, SignInView, { ...view, problem: blockedText }, 403);
    ctx.set('Retry-After', String(answer.retryAfter));
    return show(ctx, SignInView, { ...view, problem: tooMany(answer.retryAfter) }, 429);
  });

  routes.post('stranger', '/signout', async (ctx) => {
    await sessions.signOut(ctx);
    redirect(ctx, '/');
  });
  return routes;
}
