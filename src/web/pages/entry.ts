import Router from '@koa/router';
import type { Context } from 'koa';
import { takeAttempt } from '../../accounts/attempts.ts';
import { emailFaults } from '../../accounts/email-address.ts';
import { hashPassword, passwordFaults } from '../../accounts/passwords.ts';
import { checkSignIn } from '../../accounts/sign-in.ts';
import { createUser } from '../../accounts/users.ts';
import { callerAddress } from '../middleware/caller-address.ts';
import { field } from '../middleware/forms.ts';
import type { ShownFault } from '../views/controls.tsx';
import { SignInView, SignUpClosedView, SignUpView, withNext } from '../views/entry.tsx';
import { leadTo, type PageParts, show, signedIn, visitorOf } from './page.ts';

const mostSignUpsPerAddress = 20;
/** Where an account begins and goes on, unless another page was asked for. */
const home = '/codes';
const endedText =
  'You were signed out, and nothing was saved. Sign in, then go back to the form and send it again: what you typed is still in it.';

/** Sign up, sign in, sign out. */
export function entryPages(parts: PageParts): Router {
  const { db, config, secrets, sessions, now } = parts;
  const router = new Router();
  const addressOf = (ctx: Context) => callerAddress(ctx, config.trustProxyHops);

  router.get('/signup', (ctx) => {
    if (signedIn(ctx)) return leadTo(ctx, ownPath(ctx.query['next']) ?? home);
    const visitor = visitorOf(ctx, parts);
    show(ctx, visitor.canSignUp ? SignUpView : SignUpClosedView, {
      visitor,
      next: ownPath(ctx.query['next']),
    });
  });

  router.post('/signup', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    const next = ownPath(field(ctx, 'next'));
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor, next }, 403);
    const email = field(ctx, 'email').trim();
    const password = field(ctx, 'password');
    const refuse = (status: number, problem?: string, faults?: ShownFault[]) =>
      show(ctx, SignUpView, { visitor, email, faults, problem, next }, status);

    const faults = [...emailFaults('email', email), ...passwordFaults('password', password, email)];
    if (faults.length > 0) return refuse(400, undefined, faults);
    const attempt = await takeAttempt(
      db,
      `signup-address:${secrets.disguiseAddress(addressOf(ctx))}`,
      mostSignUpsPerAddress,
    );
    if (!attempt.admitted) {
      ctx.set('Retry-After', String(attempt.retryAfter));
      return refuse(429, tooMany(attempt.retryAfter));
    }
    const user = await createUser(db, { email, passwordHash: await hashPassword(password) }, now());
    if (!user)
      return refuse(400, undefined, [
        {
          field: 'email',
          message: 'This email already has an account',
          link: { path: withNext('/signin', next), name: 'Sign in' },
        },
      ]);
    await sessions.signIn(ctx, user);
    leadTo(ctx, next ?? home);
  });

  router.get('/signin', (ctx) => {
    if (signedIn(ctx)) return leadTo(ctx, ownPath(ctx.query['next']) ?? home);
    const problem = ctx.query['ended'] === '' ? endedText : undefined;
    show(ctx, SignInView, { visitor: visitorOf(ctx, parts), next: ownPath(ctx.query['next']), problem });
  });

  router.post('/signin', async (ctx) => {
    const email = field(ctx, 'email').trim();
    const next = ownPath(field(ctx, 'next'));
    const answer = await checkSignIn(db, secrets, {
      email,
      password: field(ctx, 'password'),
      address: addressOf(ctx),
      device: sessions.device(ctx),
    });
    if ('user' in answer) {
      await sessions.signIn(ctx, answer.user);
      return leadTo(ctx, next ?? home);
    }
    const view = { visitor: visitorOf(ctx, parts), email, next };
    if (answer.refused === 'wrong')
      return show(ctx, SignInView, { ...view, problem: 'The email or the password is not right.' }, 401);
    ctx.set('Retry-After', String(answer.retryAfter));
    return show(ctx, SignInView, { ...view, problem: tooMany(answer.retryAfter) }, 429);
  });

  router.post('/signout', async (ctx) => {
    await sessions.signOut(ctx);
    leadTo(ctx, '/');
  });
  return router;
}

function tooMany(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

/** Where to go on after the sign-in: a page of ours, never another site. */
function ownPath(next: unknown): string | undefined {
  return typeof next === 'string' && /^\/(?![/\\])[\w/.-]*(?:\?[\w%&=.+*-]*)?$/.test(next) ? next : undefined;
}
