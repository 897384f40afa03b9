import type { Context } from 'koa';
import {
  confirmEmail,
  findConfirmation,
  findLinkedUser,
  signInByLink,
  useSignInLink,
} from '../../accounts/account-links.ts';
import { emailErrors } from '../../accounts/users.ts';
import { countAccess, hasAccess } from '../../accounts/api-keys.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { type AccountFlash, reviewPath } from '../account/account-routes.ts';
import { callerAddress } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { FormState } from '../ui/controls.tsx';
import type { Services } from '../services.ts';
import { createPages, redirect, show, visitorOf } from '../ui/page.ts';
import {
  AskForHelpView,
  ConfirmEmailView,
  ConfirmedView,
  DeadLinkView,
  ForgotPasswordView,
  NewPasswordView,
  SignInByLinkView,
} from './mail-link-view.tsx';
import { localSignIn } from './local-sign-in.ts';
import { mailLater, requireMail } from './mail-requests.ts';
import { completeSignIn, home, newPasswordErrors, takeAttempts } from './sign-in-steps.ts';

const maxPerAddress = 20;
/** For the account that is named, so that nobody can flood its owner. */
const maxPerEmail = 5;
const flashTexts = {
  sent: 'If there is an account with this address, an email with a link is on its way. The link works for one hour. If nothing arrives, check your spam folder.',
};

/** Links in mails for users who cannot sign in, and to confirm an address; a form to get one. */
export function mailLinkPages(parts: Services): Routes {
  const { db, config, secrets, passwords, sessions, sendMail, now } = parts;
  const routes = createRoutes();
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, flashTexts);
  const tokenOf = (ctx: Context) => String(ctx['params'].token);

  // For password managers: https://w3c.github.io/webappsec-change-password-url/
  routes.get('stranger', '/.well-known/change-password', (ctx) => redirect(ctx, '/account#change-password'));

  function showForgot(ctx: Context, refused: Partial<FormState> = {}, status = 200): void {
    if (!sendMail) return pages.show(ctx, AskForHelpView, { contact: config.supportContact });
    const form = { values: { email: field(ctx, 'email').trim() }, errors: [], ...refused };
    pages.show(ctx, ForgotPasswordView, { form }, { status });
  }

  local.get('stranger', '/signin/forgot', (ctx) => showForgot(ctx));

  // The same work whether or not the account exists: the worker looks it up.
  local.post('stranger', '/signin/forgot', async (ctx) => {
    if (!sendMail) return showForgot(ctx);
    const email = field(ctx, 'email').trim();
    const errors = emailErrors('email', email);
    if (errors.length > 0) return showForgot(ctx, { errors }, 400);
    const address = secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
    const error = await takeAttempts(ctx, parts, [
      { subject: `forgot-address:${address}`, maxPerHour: maxPerAddress },
      { subject: `forgot-account:${secrets.hashEmail(email)}`, maxPerHour: maxPerEmail },
    ]);
    if (error) return showForgot(ctx, { error }, 429);
    const language = preferredLanguage(ctx.get('Accept-Language'));
    const kind = field(ctx, 'purpose') === 'sign-in' ? 'sign-in-link' : 'password-reset';
    await requireMail(parts, { kind, email, language });
    pages.redirectWithFlash(ctx, '/signin/forgot', 'sent');
  });

  const showDead = (ctx: Context) =>
    pages.show(ctx, DeadLinkView, { kind: sendMail ? 'sign-in' : 'from-operator' }, { status: 404 });

  function showPassword(ctx: Context, email: string, errors: FormState['errors'] = []): void {
    const props = { action: `/signin/link/${tokenOf(ctx)}`, email, form: { values: {}, errors } };
    pages.show(ctx, NewPasswordView, props, { status: errors.length > 0 ? 400 : 200 });
  }

  /** The link in a mail, or from an operator, for a user who cannot sign in: its owner chooses a new password. */
  local.get('stranger', '/signin/link/:token', async (ctx) => {
    const found = await findLinkedUser(db, tokenOf(ctx), now());
    if (!found) return showDead(ctx);
    const { email } = found.user;
    if (ctx.query['keep'] === '' && found.mayKeepPassword)
      return pages.show(ctx, SignInByLinkView, { token: tokenOf(ctx), email });
    showPassword(ctx, email);
  });

  local.post('stranger', '/signin/link/:token', async (ctx) => {
    const token = tokenOf(ctx);
    if (field(ctx, 'keep') === 'on') {
      const user = await signInByLink(db, token, now());
      return user ? completeSignIn(ctx, parts, user, home) : showDead(ctx);
    }
    const found = await findLinkedUser(db, token, now());
    if (!found) return showDead(ctx);
    const { email } = found.user;
    const password = field(ctx, 'newPassword');
    const errors = await newPasswordErrors(parts, 'newPassword', password, email);
    if (errors.length > 0) return showPassword(ctx, email, errors);
    const used = await useSignInLink(db, token, await passwords.hash(password), now());
    if (!used) return showDead(ctx);
    await mailLater(parts, { kind: 'password-changed', userId: used.user.id });
    const isRevoked = hasAccess(used.revoked);
    const isToReview = isRevoked || hasAccess(await countAccess(db, used.user.id));
    await completeSignIn(ctx, parts, used.user, isToReview ? reviewPath : home);
    // Last, because signing in clears it.
    if (isRevoked) sessions.setFlash(ctx, '/account', 'revoked' satisfies AccountFlash);
  });

  /** The link of a mail that confirms an address. It needs no session: mails are often read on another device. */
  routes.get('stranger', '/signin/confirm/:token', async (ctx) => {
    const found = await findConfirmation(db, tokenOf(ctx), now());
    if (!found) return pages.show(ctx, DeadLinkView, { kind: 'confirmation' }, { status: 404 });
    pages.show(ctx, ConfirmEmailView, { token: tokenOf(ctx), email: found.email });
  });

  routes.post('stranger', '/signin/confirm/:token', async (ctx) => {
    const confirmed = await confirmEmail(db, tokenOf(ctx), now());
    // As for a dead link: that another account has the address is nobody's business.
    if (!confirmed || confirmed === 'taken')
      return pages.show(ctx, DeadLinkView, { kind: 'confirmation' }, { status: 404 });
    const { user, email } = confirmed;
    if (user.email.toLowerCase() !== email.toLowerCase())
      await mailLater(parts, { kind: 'email-changed', userId: user.id, oldEmail: user.email });
    const visitor = visitorOf(ctx, parts);
    // Read before the change.
    const own = visitor.email === user.email ? { ...visitor, email } : visitor;
    show(ctx, ConfirmedView, { visitor: own, email });
  });
  return routes;
}
