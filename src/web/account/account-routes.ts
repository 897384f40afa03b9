import type { Context } from 'koa';
import { readPersonData } from '../../accounts/account-exports.ts';
import { countAccess } from '../../accounts/api-keys.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { changePassword, findPendingEmail } from '../../accounts/account-links.ts';
import {
  type User,
  changeEmail,
  changedMeanwhile,
  emailErrors,
  hasConfirmedEmail,
} from '../../accounts/users.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { isTimeZone } from '../../runtime/time-zone.ts';
import { isLanguage } from '../../http/preferred-language.ts';
import {
  isNoticeKind,
  muteNotice,
  noticeKinds,
  readMutedNotices,
  setMutedNotices,
} from '../../notices/owners.ts';
import { field } from '../middleware/forms.ts';
import {
  type AccountProps,
  AccountView,
  type RefusedForm,
  UnsubscribeView,
  zoneOfBrowser,
} from './account-view.tsx';
import { localSignIn } from '../sign-in/local-sign-in.ts';
import { askForConfirmation, mailLater } from '../sign-in/mail-requests.ts';
import { AppError, type FieldError, invalid } from '../../errors.ts';
import { attachment } from '../../http/file-headers.ts';
import type { FrontFlash } from '../front/front-routes.ts';
import { type Routes, createRoutes } from '../routes.ts';
import { requireValid, submit } from '../ui/form.ts';
import type { Services } from '../services.ts';
import { createPages, redirectWithFlash } from '../ui/page.ts';
import { confirmationOf, userOf } from '../middleware/session.ts';
import { deleteUser, LastOwnerError } from '../../accounts/deletion.ts';
import { listWorkspacesOf } from '../../workspaces/people.ts';

const maxConfirmationsPerHour = 5;
const maxPasswordChecksPerHour = 20;

const flashTexts = {
  language: 'Your choice was saved.',
  left: 'You have left the workspace.',
  deleted: 'The workspace was deleted.',
  notices: 'Your choice of emails was saved.',
  confirm: 'An email with a link is on its way. Open the link to confirm the address.',
  tooManyMails: 'Too many emails were sent. Try again in an hour.',
  email: 'Your email was changed.',
  confirmed: 'Confirmed. For ten minutes, you can change your account.',
  password: 'Your password was changed. All other sessions were signed out.',
  claimed:
    'You have your account. Nobody had confirmed its email address before, so its password, API keys and webhooks of before do not work any more.',
  revoked:
    'Your password was changed. Nobody had confirmed the email address of this account before, so all its API keys were revoked and its webhooks were disabled.',
};
export type AccountFlash = keyof typeof flashTexts;

/** The page Account, with what still works after the password has changed. */
export const reviewPath = '/account?review=access';

/** Email, password, mails, data and deletion of the account. */
export function accountPages(parts: Services): Routes {
  const { db, config, passwords, sessions, sendMail, now, codeChanged } = parts;
  const routes = createRoutes('/account');
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, flashTexts);

  async function showAccount(ctx: Context, refused?: RefusedForm): Promise<void> {
    const user = userOf(ctx);
    const pending = sendMail && (await findPendingEmail(db, user.id, now()));
    const email: AccountProps['email'] = {
      isConfirmed: hasConfirmedEmail(user),
      pending: pending?.toLowerCase() === user.email.toLowerCase() ? undefined : pending,
      canMail: sendMail !== undefined,
      language: isLanguage(user.language) ? user.language : 'en',
      timeZone: isTimeZone(user.timeZone) ? user.timeZone : zoneOfBrowser,
      muted: sendMail ? await readMutedNotices(db, user.id) : [],
    };
    const props: AccountProps = {
      email,
      workspaces: await listWorkspacesOf(db, user.id),
      access: ctx.query['review'] === 'access' ? await countAccess(db, user.id) : undefined,
      refused,
      values: { newEmail: field(ctx, 'newEmail'), confirmation: field(ctx, 'confirmation') },
    };
    pages.show(ctx, AccountView, props, { status: refused ? 400 : 200 });
  }

  const submitForm = (ctx: Context, name: RefusedForm['name'], work: () => Promise<void>) =>
    submit(work, (errors) => showAccount(ctx, { name, errors }));

  /** `checked`: the account, where its password was checked. */
  async function confirmLater(ctx: Context, email: string, checked?: User): Promise<void> {
    const user = userOf(ctx);
    const limit = { subject: `confirm-email:${user.id}`, maxPerHour: maxConfirmationsPerHour };
    const { isAllowed } = await takeAttempt(db, limit);
    if (isAllowed) await askForConfirmation(parts, { userId: user.id, email, checked });
    pages.redirectWithFlash(ctx, '/account', isAllowed ? 'confirm' : 'tooManyMails');
  }

  routes.get('person', '/', (ctx) => showAccount(ctx));

  routes.post('person', '/email', (ctx) =>
    submitForm(ctx, 'email', async () => {
      const user = userOf(ctx);
      const email = field(ctx, 'newEmail').trim();
      requireValid([
        ...emailErrors('newEmail', email),
        ...(await currentPasswordErrors(ctx, parts, 'emailPassword')),
      ]);
      // With mails, it changes when its owner confirms it. Whether it has another account is not disclosed.
      if (sendMail) return confirmLater(ctx, email, user);
      const isChanged = await changeEmail(db, user, email, now());
      if (isChanged === undefined) throw changedMeanwhile();
      if (!isChanged) requireValid([{ field: 'newEmail', message: 'This email belongs to another account' }]);
      pages.redirectWithFlash(ctx, '/account', 'email');
    }),
  );

  routes.post('person', '/confirm', async (ctx) => {
    const user = userOf(ctx);
    await confirmLater(ctx, (await findPendingEmail(db, user.id, now())) ?? user.email);
  });

  routes.post('person', '/language', (ctx) =>
    submitForm(ctx, 'language', async () => {
      const user = userOf(ctx);
      const language = field(ctx, 'language');
      // Pages that were opened before an upgrade do not send it.
      const zone = field(ctx, 'timeZone') || user.timeZone;
      const timeZone = zone === zoneOfBrowser ? null : zone;
      const message = 'Choose one from the list';
      requireValid([
        ...(isLanguage(language) ? [] : [{ field: 'language', message }]),
        ...(timeZone === null || isTimeZone(timeZone) ? [] : [{ field: 'timeZone', message }]),
      ]);
      await user.$query(db).patch({ language, timeZone, updatedAt: now() });
      pages.redirectWithFlash(ctx, '/account', 'language');
    }),
  );

  routes.post('person', '/notices', async (ctx) => {
    const muted = noticeKinds.filter((kind) => field(ctx, kind) !== 'on');
    await setMutedNotices(db, userOf(ctx).id, muted);
    pages.redirectWithFlash(ctx, '/account', 'notices');
  });

  local.post('person', '/password', (ctx) =>
    submitForm(ctx, 'password', async () => {
      const user = userOf(ctx);
      const password = field(ctx, 'newPassword');
      requireValid([
        ...passwordErrors('newPassword', password, user.email),
        ...(await currentPasswordErrors(ctx, parts, 'oldPassword')),
      ]);
      if (await passwords.isCommon(password, user.email)) requireValid([commonPasswordError('newPassword')]);
      await changePassword(db, user, await passwords.hash(password), now());
      await mailLater(parts, { kind: 'password-changed', userId: user.id });
      await sessions.signIn(ctx, user);
      pages.redirectWithFlash(ctx, reviewPath, 'password');
    }),
  );

  routes.post('person', '/delete', (ctx) =>
    submitForm(ctx, 'delete', async () => {
      const user = userOf(ctx);
      const errors = await currentPasswordErrors(ctx, parts, 'deletePassword');
      if (field(ctx, 'confirmation').trim().toLowerCase() !== user.email.toLowerCase())
        errors.push({ field: 'confirmation', message: `Enter ${user.email}` });
      requireValid(errors);
      const shareTokens = await deleteUser(db, user).catch((error: unknown) => {
        if (!(error instanceof LastOwnerError)) throw error;
        throw invalid([{ field: 'confirmation', message: error.message.replace(/\.$/, '') }]);
      });
      await sessions.signOut(ctx);
      for (const token of shareTokens) codeChanged(token);
      const start = config.hasLandingPage ? '/' : '/signin';
      redirectWithFlash(ctx, parts, start, 'accountDeleted' satisfies FrontFlash);
    }),
  );

  /** What belongs to the person. What belongs to a workspace is in its export. */
  routes.get('person', '/data.json', async (ctx) => {
    const data = await readPersonData(db, userOf(ctx).id);
    ctx.type = 'application/json';
    ctx.set('Content-Disposition', attachment('qrelay-account', 'json', 'account'));
    ctx.body = `${JSON.stringify({ exportedAt: now(), ...data }, null, 2)}\n`;
  });
  return routes;
}

/** Changes to an account need its password, or the OpenID provider, so that a stolen session is not enough. `name` is its field in the form. */
export async function currentPasswordErrors(
  ctx: Context,
  { db, config, sessions, passwords }: Services,
  name: string,
): Promise<FieldError[]> {
  const user = userOf(ctx);
  const confirmation = confirmationOf(ctx, { config, sessions });
  if (confirmation === 'confirmed') return [];
  if (confirmation === 'provider')
    return [{ field: name, message: `Confirm with ${config.openId?.name} that it is you` }];
  return passwords.withSlot(async ({ verify }) => {
    const limit = { subject: `password-check:${user.id}`, maxPerHour: maxPasswordChecksPerHour };
    const { isAllowed } = await takeAttempt(db, limit);
    if (!isAllowed) return [{ field: name, message: 'was tried too often. Try again in an hour' }];
    const matches = await verify(user.passwordHash, field(ctx, name));
    return matches ? [] : [{ field: name, message: 'This is not your current password' }];
  }, user.id);
}

/**
 * The link in notices that switches off those of its kind. POST is what mail programs send when their button is pressed
 * (RFC 8058): without cookies, and as any kind of form, so it is not one of the pages with a CSRF token. Its body says
 * nothing that matters and is not read. GET changes nothing: mail programs open links, too.
 */
export function unsubscribePages(parts: Services): Routes {
  const { db, secrets } = parts;
  const routes = createRoutes();
  const pages = createPages(parts);

  function readToken(ctx: Context) {
    const { userId, kind } = secrets.readUnsubscribeToken(String(ctx['params'].token)) ?? {};
    if (userId === undefined || !isNoticeKind(kind))
      throw new AppError('not_found', 'This link does not work. Switch off emails on the page Account.');
    return { userId, kind };
  }

  routes.get('stranger', '/unsubscribe/:token', (ctx) => {
    pages.show(ctx, UnsubscribeView, { kind: readToken(ctx).kind, isDone: false });
  });

  routes.post('stranger', '/unsubscribe/:token', async (ctx) => {
    const { userId, kind } = readToken(ctx);
    await muteNotice(db, userId, kind);
    pages.show(ctx, UnsubscribeView, { kind, isDone: true });
  });
  return routes;
}
