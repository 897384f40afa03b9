import { takeAttempt } from '../../accounts/request-windows.ts';
import { emailErrors } from '../../accounts/users.ts';
import { BusyError } from '../../errors.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { callerAddress } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import { readFlash, redirectWithFlash } from '../ui/flash.ts';
import { type PageParts, redirect, show, visitorOf } from '../ui/page.ts';
import { AskForHelpView, ForgotPasswordView } from './forgot-password-view.tsx';
import { tooMany } from './too-many.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxPerAddress = 20;
/** Of the account that is named, so that nobody can flood its owner. */
const maxPerEmail = 5;
const flashTexts = {
  sent: 'If there is an account with this address, an email with a link is on its way. The link works for one hour. If nothing arrives, check your spam folder.',
};

/** Asks for a link with which a new password is chosen. */
export function forgotPasswordPages(parts: PageParts): Routes {
  const { db, config, secrets, sendMail, log } = parts;
  const routes = createRoutes();

  // For password managers: https://w3c.github.io/webappsec-change-password-url/
  routes.get('stranger', '/.well-known/change-password', (ctx) => redirect(ctx, '/account#change-password'));

  routes.get('stranger', '/signin/forgot', (ctx) => {
    const visitor = visitorOf(ctx, parts);
    if (!sendMail) return show(ctx, AskForHelpView, { visitor, contact: config.supportContact });
    const flash = readFlash(ctx, parts, flashTexts);
    show(ctx, ForgotPasswordView, { visitor, flash: flash && flashTexts[flash] });
  });

  // The same work whether or not the account exists: the worker looks it up.
  routes.post('stranger', '/signin/forgot', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    if (!sendMail) return show(ctx, AskForHelpView, { visitor, contact: config.supportContact });
    const email = field(ctx, 'email').trim();
    const errors = emailErrors('email', email);
    if (errors.length > 0) return show(ctx, ForgotPasswordView, { visitor, email, errors }, 400);
    const address = secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
    for (const limit of [
      { subject: `forgot-address:${address}`, maxPerHour: maxPerAddress },
      { subject: `forgot-account:${secrets.hashEmail(email)}`, maxPerHour: maxPerEmail },
    ]) {
      const { isAllowed, retryAfter } = await takeAttempt(db, limit);
      if (isAllowed) continue;
      ctx.set('Retry-After', String(retryAfter));
      return show(ctx, ForgotPasswordView, { visitor, email, problem: tooMany(retryAfter) }, 429);
    }
    const language = preferredLanguage(ctx.get('Accept-Language'));
    const kind = field(ctx, 'purpose') === 'sign-in' ? 'sign-in-link' : 'password-reset';
    await sendMail({ kind, email, language }).catch((cause: unknown) => {
      log.warn({ err: cause }, 'a link to a new password could not be queued');
      throw new BusyError('Emails cannot be sent at the moment. Try again in a minute.', {
        retryAfterSeconds: 60,
        cause,
      });
    });
    redirectWithFlash(ctx, parts, '/signin/forgot', 'sent' satisfies keyof typeof flashTexts);
  });
  return routes;
}
