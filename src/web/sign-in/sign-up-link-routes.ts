import type { Context } from 'koa';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import type { SignUp } from '../../accounts/secrets.ts';
import { createUser, User } from '../../accounts/users.ts';
import type { FieldError } from '../../errors.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { field } from '../middleware/forms.ts';
import { type PageParts, redirect, show, visitorOf } from '../ui/page.ts';
import { createRoutes, type Routes } from '../routes.ts';
import { safeReturnPath } from './return-path.ts';
import { DeadSignUpView, FinishSignUpView, SignUpClosedView } from './sign-up-view.tsx';

const home = '/codes';

/** The link in a mail to an address without an account: whoever opens it owns the address, and chooses a password. */
export function signUpLinkPages(parts: PageParts): Routes {
  const { db, secrets, passwords, sessions, now } = parts;
  const routes = createRoutes();

  /** Undefined where the link does not work any more: it has expired, or the address has an account by now. */
  async function findSignUp(ctx: Context): Promise<SignUp | undefined> {
    const signUp = secrets.readSignUpToken(String(ctx['params'].token), now());
    const isTaken =
      signUp && (await User.query(db).whereRaw('lower(email) = lower(?)', [signUp.email]).first());
    return isTaken ? undefined : signUp;
  }

  routes.get('stranger', '/signup/link/:token', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor }, 403);
    const signUp = await findSignUp(ctx);
    if (!signUp) return show(ctx, DeadSignUpView, { visitor }, 404);
    show(ctx, FinishSignUpView, { visitor, token: String(ctx.params['token']), email: signUp.email });
  });

  routes.post('stranger', '/signup/link/:token', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    if (!visitor.canSignUp) return show(ctx, SignUpClosedView, { visitor }, 403);
    const signUp = await findSignUp(ctx);
    if (!signUp) return show(ctx, DeadSignUpView, { visitor }, 404);
    const { email, next } = signUp;
    const password = field(ctx, 'newPassword');
    const refuse = (errors: FieldError[]) =>
      show(ctx, FinishSignUpView, { visitor, token: String(ctx.params['token']), email, errors }, 400);
    const errors = passwordErrors('newPassword', password, email);
    if (errors.length > 0) return refuse(errors);
    if (await passwords.isCommon(password, email)) return refuse([commonPasswordError('newPassword')]);
    const language = preferredLanguage(ctx.get('Accept-Language'));
    const passwordHash = await passwords.hash(password);
    const user = await createUser(db, { email, passwordHash, language, isConfirmed: true }, now());
    // Another request was faster.
    if (!user) return show(ctx, DeadSignUpView, { visitor }, 404);
    await sessions.signIn(ctx, user);
    redirect(ctx, safeReturnPath(next) ?? home);
  });
  return routes;
}
