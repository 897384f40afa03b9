import Router from '@koa/router';
import type { Context } from 'koa';
import { takeAttempt } from '../../accounts/attempts.ts';
import { emailFaults } from '../../accounts/email-address.ts';
import { hashPassword, passwordFaults } from '../../accounts/passwords.ts';
import { checkSignIn } from '../../accounts/sign-in.ts';
import { createUser } from '../../accounts/users.ts';
import { clientAddress } from '../../client-address.ts';
import { field } from '../middleware/forms.ts';
import { SignInView, SignUpView } from '../views/accounts.tsx';
import { leadTo, type PageParts, show, signedIn, visitorOf } from './page.ts';

const mostSignUpsPerAddress = 20;
const home = '/keys';

/** Sign up, sign in, sign out. */
export function entryPages(parts: PageParts): Router {
  const { db, config, secrets, sessions, now } = parts;
  const router = new Router();
  const addressOf = (ctx: Context) =>
    secrets.disguiseAddress(
      clientAddress(
        ctx.req.socket.remoteAddress,
        ctx.get('X-Forwarded-For') || undefined,
        config.trustProxyHops,
      ),
    );

  router.get('/signup', (ctx) => {
    if (signedIn(ctx)) return leadTo(ctx, home);
    show(ctx, SignUpView, { visitor: visitorOf(ctx, parts) });
  });

  router.post('/signup', async (ctx) => {
    const email = field(ctx, 'email').trim();
    const password = field(ctx, 'password');
    const refuse = (status: number, problem?: string, faults?: ReturnType<typeof emailFaults>) =>
      show(ctx, SignUpView, { visitor: visitorOf(ctx, parts), email, faults, problem }, status);

    const faults = [...emailFaults('email', email), ...passwordFaults('password', password, email)];
    if (faults.length > 0) return refuse(400, undefined, faults);
    const attempt = await takeAttempt(db, `signup-address:${addressOf(ctx)}`, mostSignUpsPerAddress);
    if (!attempt.admitted) {
      ctx.set('Retry-After', String(attempt.retryAfter));
      return refuse(429, tooMany(attempt.retryAfter));
    }
    const user = await createUser(db, { email, passwordHash: await hashPassword(password) }, now());
    if (!user)
      return refuse(400, undefined, [{ field: 'email', message: 'has an account already: sign in instead' }]);
    await sessions.signIn(ctx, user);
    leadTo(ctx, home);
  });

  router.get('/signin', (ctx) => {
    if (signedIn(ctx)) return leadTo(ctx, home);
    show(ctx, SignInView, { visitor: visitorOf(ctx, parts), next: ownPath(ctx.query['next']) });
  });

  router.post('/signin', async (ctx) => {
    const email = field(ctx, 'email').trim();
    const next = ownPath(field(ctx, 'next'));
    const answer = await checkSignIn(db, {
      email,
      password: field(ctx, 'password'),
      address: addressOf(ctx),
    });
    if ('user' in answer) {
      await sessions.signIn(ctx, answer.user);
      return leadTo(ctx, next ?? home);
    }
    const view = { visitor: visitorOf(ctx, parts), email, next };
    if (answer.refused === 'wrong')
      return show(ctx, SignInView, { ...view, problem: 'The e-mail or the password is not right.' }, 401);
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
  return `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`;
}

/** Where to go on after the sign-in: a page of ours, never another site. */
function ownPath(next: unknown): string | undefined {
  return typeof next === 'string' && /^\/(?![/\\])[\w/-]*$/.test(next) ? next : undefined;
}
