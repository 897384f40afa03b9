import type { Context } from 'koa';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { User, createUser, emailErrors } from '../../accounts/users.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import type { SignUp } from '../../accounts/secrets.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import type { CodeFlash } from '../codes/code-flash.ts';
import { callerAddress } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { FormState } from '../ui/controls.tsx';
import type { Services } from '../services.ts';
import { createPages, redirect, redirectWithFlash } from '../ui/page.ts';
import { signedIn } from '../middleware/session.ts';
import { localSignIn } from './local-sign-in.ts';
import { DeadLinkView, NewPasswordView } from './mail-link-view.tsx';
import { askForConfirmation, requireMail } from './mail-requests.ts';
import { home, newPasswordErrors, safeReturnPath, takeAttempts, tooMany } from './sign-in-steps.ts';
import { withNext } from '../ui/sections.ts';
import { SignUpClosedView, SignUpView } from './sign-in-view.tsx';

const maxSignUpsPerAddress = 20;
/** Mails to one address, so that nobody can flood its owner. */
const maxSignUpsPerEmail = 5;
const maxNextLength = 200;
const flashTexts = {
  sent: 'An email is on its way to this address. Open the link in it within 24 hours to choose a password. If nothing arrives, check your spam folder.',
};

/** Signing up: by a link in a mail, or at once where no mails are sent. */
export function signUpPages(parts: Services): Routes {
  const { db, config, secrets, passwords, sessions, now } = parts;
  const routes = createRoutes();
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, flashTexts);
  const isOpen = config.signUps === 'open';
  // Mails that are printed in the terminal reach nobody else: whoever tries the service out is signed up at once.
  const isByMail = config.mail?.server !== 'terminal' && parts.sendMail !== undefined;
  const addressOf = (ctx: Context) => secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
  const languageOf = (ctx: Context) => preferredLanguage(ctx.get('Accept-Language'));

  function showForm(ctx: Context, next: string | undefined, refused: Partial<FormState> = {}, status = 200) {
    const form = { values: { email: field(ctx, 'email').trim() }, errors: [], ...refused };
    pages.show(ctx, SignUpView, { limits: config.limits.free, isByMail, next, form }, { status });
  }

  local.get('stranger', '/signup', (ctx) => {
    const next = safeReturnPath(ctx.query['next']);
    if (signedIn(ctx)) return redirect(ctx, next ?? home);
    if (!isOpen) return pages.show(ctx, SignUpClosedView, { next });
    showForm(ctx, next);
  });

  local.post('stranger', '/signup', async (ctx) => {
    const next = safeReturnPath(field(ctx, 'next'));
    if (!isOpen) return pages.show(ctx, SignUpClosedView, { next }, { status: 403 });
    const email = field(ctx, 'email').trim();
    await (isByMail ? signUpByMail(ctx, email, next) : signUpAtOnce(ctx, email, next));
  });

  /** The same work and the same response whether or not the address has an account: the worker looks it up. */
  async function signUpByMail(ctx: Context, email: string, next: string | undefined): Promise<void> {
    const errors = emailErrors('email', email);
    if (errors.length > 0) return showForm(ctx, next, { errors }, 400);
    const error = await takeAttempts(ctx, parts, [
      { subject: `signup-address:${addressOf(ctx)}`, maxPerHour: maxSignUpsPerAddress },
      { subject: `signup-account:${secrets.hashEmail(email)}`, maxPerHour: maxSignUpsPerEmail },
    ]);
    if (error) return showForm(ctx, next, { error }, 429);
    // The link contains the page, and a link of many lines is cut by some mail programs.
    const kept = next !== undefined && next.length <= maxNextLength ? next : undefined;
    await requireMail(parts, { kind: 'sign-up', email, language: languageOf(ctx), next: kept });
    pages.redirectWithFlash(ctx, '/signup', 'sent');
  }

  async function signUpAtOnce(ctx: Context, email: string, next: string | undefined): Promise<void> {
    const password = field(ctx, 'password');
    const errors = [...emailErrors('email', email), ...passwordErrors('password', password, email)];
    if (errors.length > 0) return showForm(ctx, next, { errors }, 400);
    // Counted only once hashing can start: a request that was refused because too many wait is not an attempt.
    const address = addressOf(ctx);
    const made = await passwords.withSlot(async ({ hash, isCommon }) => {
      const limit = { subject: `signup-address:${address}`, maxPerHour: maxSignUpsPerAddress };
      const attempt = await takeAttempt(db, limit);
      if (!attempt.isAllowed) return attempt;
      if (await isCommon(password, email)) return { errors: [commonPasswordError('password')] };
      return { passwordHash: await hash(password) };
    }, address);
    if ('retryAfter' in made) return showForm(ctx, next, { error: tooMany(ctx, made.retryAfter) }, 429);
    if ('errors' in made) return showForm(ctx, next, made, 400);
    const user = await createUser(db, { email, language: languageOf(ctx), ...made }, now());
    // Without mails, nobody can prove that an address is theirs, and whoever signs up is signed in: see decision 86.
    if (!user) {
      const link = { path: withNext('/signin', next), name: 'Sign in' };
      const taken = { field: 'email', message: 'This email already has an account', link };
      return showForm(ctx, next, { errors: [taken] }, 400);
    }
    await askForConfirmation(parts, { userId: user.id, email });
    await sessions.signIn(ctx, user);
    if (next === undefined && parts.sendMail)
      return redirectWithFlash(ctx, parts, home, 'signedUp' satisfies CodeFlash);
    redirect(ctx, next ?? home);
  }

  /** Undefined where the link does not work any more: it has expired, or the address has an account by now. */
  async function findSignUp(ctx: Context): Promise<SignUp | undefined> {
    const signUp = secrets.readSignUpToken(String(ctx['params'].token), now());
    const isTaken =
      signUp && (await User.query(db).whereRaw('lower(email) = lower(?)', [signUp.email]).first());
    return isTaken ? undefined : signUp;
  }

  const showPassword = (ctx: Context, email: string, errors: FormState['errors'] = []) =>
    pages.show(
      ctx,
      NewPasswordView,
      { action: `/signup/link/${ctx['params'].token}`, email, isNew: true, form: { values: {}, errors } },
      { status: errors.length > 0 ? 400 : 200 },
    );
  const showDead = (ctx: Context) => pages.show(ctx, DeadLinkView, { kind: 'sign-up' }, { status: 404 });

  /** The link in a mail to an address without an account: whoever opens it owns the address, and chooses a password. */
  local.get('stranger', '/signup/link/:token', async (ctx) => {
    if (!isOpen) return pages.show(ctx, SignUpClosedView, {}, { status: 403 });
    const signUp = await findSignUp(ctx);
    if (!signUp) return showDead(ctx);
    showPassword(ctx, signUp.email);
  });

  local.post('stranger', '/signup/link/:token', async (ctx) => {
    if (!isOpen) return pages.show(ctx, SignUpClosedView, {}, { status: 403 });
    const signUp = await findSignUp(ctx);
    if (!signUp) return showDead(ctx);
    const { email, next } = signUp;
    const password = field(ctx, 'newPassword');
    const errors = await newPasswordErrors(parts, 'newPassword', password, email);
    if (errors.length > 0) return showPassword(ctx, email, errors);
    const passwordHash = await passwords.hash(password);
    const input = { email, passwordHash, language: languageOf(ctx), isConfirmed: true };
    const user = await createUser(db, input, now());
    // Another request was faster.
    if (!user) return showDead(ctx);
    await sessions.signIn(ctx, user);
    redirect(ctx, safeReturnPath(next) ?? home);
  });
  return routes;
}
