import type { Context } from 'koa';
import { findExport } from '../../accounts/account-exports.ts';
import { readUse } from '../../accounts/account-limits.ts';
import { countAccess, listKeyUse } from '../../accounts/api-keys.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { changePassword, findPendingEmail } from '../../accounts/account-links.ts';
import {
  changedMeanwhile,
  changeEmail,
  deleteUser,
  emailErrors,
  hasConfirmedEmail,
  type User,
} from '../../accounts/users.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { isTimeZone } from '../../runtime/time-zone.ts';
import { limitsOf } from '../../limits.ts';
import { isLanguage } from '../../http/preferred-language.ts';
import { noticeKinds, readMutedNotices, setMutedNotices } from '../../notices/owners.ts';
import { field } from '../middleware/forms.ts';
import { currentPasswordErrors } from './current-password.ts';
import { type AccountFlash, flashTexts, reviewPath } from './account-flash.ts';
import { type AccountProps, AccountView } from './account-view.tsx';
import { askForConfirmation, mailLater } from '../sign-in/ask-for-confirmation.ts';
import type { FrontFlash } from '../front/front-routes.ts';
import { type PageParts, show, userOf, visitorOf } from '../ui/page.ts';
import { redirectWithFlash, readFlash } from '../ui/flash.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxConfirmationsPerHour = 5;

/** Plan and usage, email, password, and deletion of the account. */
export function accountPages(parts: PageParts): Routes {
  const { db, config, passwords, sessions, sendMail, now, codeChanged } = parts;
  const routes = createRoutes('/account');

  async function showAccount(ctx: Context, errors?: AccountProps['errors']): Promise<void> {
    const user = userOf(ctx);
    const limits = limitsOf(user, config.limits);
    const keys = (await listKeyUse(db, user.id))
      .filter(({ key }) => key.revokedAt === null)
      .map(({ key, used }) => ({ name: key.name, prefix: key.prefix, used, limit: limits.requestsPerHour }));
    const plan = { name: user.plan, limits, use: await readUse(db, user.id), ofPlans: config.limits, keys };
    const pending = sendMail && (await findPendingEmail(db, user.id, now()));
    const email: AccountProps['email'] = {
      isConfirmed: hasConfirmedEmail(user),
      pending: pending?.toLowerCase() === user.email.toLowerCase() ? undefined : pending,
      canMail: sendMail !== undefined,
      language: isLanguage(user.language) ? user.language : 'en',
      timeZone: isTimeZone(user.timeZone) ? user.timeZone : 'UTC',
      muted: sendMail ? await readMutedNotices(db, user.id) : [],
    };
    const latestExport = await findExport(db, user.id, now());
    const flash = readFlash(ctx, parts, flashTexts);
    const access = ctx.query['review'] === 'access' ? await countAccess(db, user.id) : undefined;
    const visitor = visitorOf(ctx, parts);
    const typed = { newEmail: field(ctx, 'newEmail'), confirmation: field(ctx, 'confirmation') };
    show(
      ctx,
      AccountView,
      {
        visitor,
        email,
        plan,
        latestExport,
        flash: flash && flashTexts[flash],
        access,
        errors,
        typed,
      },
      errors ? 400 : 200,
    );
  }

  /** `checked`: the account, where its password was checked. */
  async function confirmLater(ctx: Context, email: string, checked?: User): Promise<void> {
    const user = userOf(ctx);
    const limit = { subject: `confirm-email:${user.id}`, maxPerHour: maxConfirmationsPerHour };
    const { isAllowed } = await takeAttempt(db, limit);
    if (isAllowed) await askForConfirmation(parts, { userId: user.id, email, checked });
    const flash: AccountFlash = isAllowed ? 'confirm' : 'tooManyMails';
    redirectWithFlash(ctx, parts, '/account', flash);
  }

  routes.get('user', '/', (ctx) => showAccount(ctx));

  routes.post('user', '/email', async (ctx) => {
    const user = userOf(ctx);
    const email = field(ctx, 'newEmail').trim();
    const list = [
      ...emailErrors('newEmail', email),
      ...(await currentPasswordErrors(parts, user, 'emailPassword', field(ctx, 'emailPassword'))),
    ];
    if (list.length > 0) return showAccount(ctx, { form: 'email', list });
    // With mails, it changes when its owner confirms it. Whether it has another account is not told.
    if (sendMail) return confirmLater(ctx, email, user);
    const isChanged = await changeEmail(db, user, email, now());
    if (isChanged === undefined) throw changedMeanwhile();
    if (!isChanged) {
      const taken = { field: 'newEmail', message: 'This email belongs to another account' };
      return showAccount(ctx, { form: 'email', list: [taken] });
    }
    redirectWithFlash(ctx, parts, '/account', 'email' satisfies AccountFlash);
  });

  routes.post('user', '/confirm', async (ctx) => {
    const user = userOf(ctx);
    await confirmLater(ctx, (await findPendingEmail(db, user.id, now())) ?? user.email);
  });

  routes.post('user', '/language', async (ctx) => {
    const user = userOf(ctx);
    const language = field(ctx, 'language');
    // Pages that were opened before an upgrade do not send it.
    const timeZone = field(ctx, 'timeZone') || user.timeZone;
    const message = 'must be one of the list';
    const list = [
      ...(isLanguage(language) ? [] : [{ field: 'language', message }]),
      ...(timeZone === null || isTimeZone(timeZone) ? [] : [{ field: 'timeZone', message }]),
    ];
    if (list.length > 0) return showAccount(ctx, { form: 'language', list });
    await user.$query(db).patch({ language, timeZone, updatedAt: now() });
    redirectWithFlash(ctx, parts, '/account', 'language' satisfies AccountFlash);
  });

  routes.post('user', '/notices', async (ctx) => {
    const muted = noticeKinds.filter((kind) => field(ctx, kind) !== 'on');
    await setMutedNotices(db, userOf(ctx).id, muted);
    redirectWithFlash(ctx, parts, '/account', 'notices' satisfies AccountFlash);
  });

  routes.post('user', '/password', async (ctx) => {
    const user = userOf(ctx);
    const password = field(ctx, 'newPassword');
    const list = [
      ...passwordErrors('newPassword', password, user.email),
      ...(await currentPasswordErrors(parts, user, 'oldPassword', field(ctx, 'oldPassword'))),
    ];
    if (list.length === 0 && (await passwords.isCommon(password, user.email)))
      list.push(commonPasswordError('newPassword'));
    if (list.length > 0) return showAccount(ctx, { form: 'password', list });
    await changePassword(db, user, await passwords.hash(password), now());
    await mailLater(parts, { kind: 'password-changed', userId: user.id });
    await sessions.signIn(ctx, user);
    redirectWithFlash(ctx, parts, reviewPath, 'password' satisfies AccountFlash);
  });

  routes.post('user', '/delete', async (ctx) => {
    const user = userOf(ctx);
    const list = await currentPasswordErrors(parts, user, 'deletePassword', field(ctx, 'deletePassword'));
    if (field(ctx, 'confirmation').trim().toLowerCase() !== user.email.toLowerCase())
      list.push({ field: 'confirmation', message: `Enter ${user.email}` });
    if (list.length > 0) return showAccount(ctx, { form: 'delete', list });
    await sessions.signOut(ctx);
    const shareTokens = await deleteUser(db, user);
    for (const token of shareTokens) codeChanged(token);
    redirectWithFlash(ctx, parts, '/', 'accountDeleted' satisfies FrontFlash);
  });
  return routes;
}
