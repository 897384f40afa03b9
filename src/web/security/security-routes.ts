import type { Context } from 'koa';
import { listIdentities, unlinkIdentities } from '../../accounts/identities.ts';
import type { OpenIdPurpose } from '../../accounts/openid-requests.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import {
  addPasskey,
  listPasskeys,
  passkeySite,
  registrationOptions,
  removePasskey,
} from '../../accounts/passkeys.ts';
import {
  cancelTotp,
  confirmTotp,
  countSecondFactors,
  createRecoveryCodes,
  findUnconfirmedTotp,
  removeTotp,
  startTotp,
  totpUrl,
} from '../../accounts/second-factors.ts';
import { endListedSession, endSessionsOf } from '../../accounts/sessions.ts';
import { hasConfirmedEmail } from '../../accounts/users.ts';
import { isLabel, normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { currentPasswordErrors } from '../account/account-routes.ts';
import { requireValid, submit } from '../ui/form.ts';
import type { FactorChange } from '../../mail/mail-texts.ts';
import { field } from '../middleware/forms.ts';
import { localSignIn } from '../sign-in/local-sign-in.ts';
import { requireProvider, sendToProvider } from '../sign-in/openid-steps.ts';
import { mailLater } from '../sign-in/mail-requests.ts';
import { parseCredential } from '../sign-in/sign-in-routes.ts';
import { createPages, redirect } from '../ui/page.ts';
import type { Services } from '../services.ts';
import { userOf } from '../middleware/session.ts';
import { RecoveryCodesView, SecurityView } from './security-view.tsx';
import { type Routes, createRoutes } from '../routes.ts';

export const securityPath = '/account/security';
/** Pages with a form that needs a confirmation. */
const confirmedPages = ['/account', '/workspace'];
const maxCodesPerHour = 10;
const flashTexts = {
  sessions: 'All other sessions were signed out.',
  session: 'The session was signed out.',
  totp: 'The authenticator app is on.',
  totpOff: 'The authenticator app is off.',
  passkey: 'The passkey was added.',
  passkeyFailed: 'The passkey was not added. Try again, and confirm it on your device.',
  passkeyOff: 'The passkey was removed.',
  linked: 'Your account is linked. You can use it to sign in from now on.',
  linkFailed: 'Nothing was linked. Try again.',
  linkRefused: 'Nothing was linked: its email address is not verified, or not one that may sign in here.',
  linkTaken: 'Nothing was linked: it signs in to another account already.',
  linkOther: 'Nothing was linked: your account has another link already. Remove that first.',
  unlinked: 'The link was removed.',
  confirmed: 'Confirmed. For ten minutes, you can change your account.',
  confirmFailed: 'Nothing was confirmed. Try again, with the account that you use to sign in here.',
};
export type SecurityFlash = keyof typeof flashTexts;
const failures: ReadonlySet<string | undefined> = new Set<SecurityFlash>([
  'passkeyFailed',
  'linkFailed',
  'linkRefused',
  'linkTaken',
  'linkOther',
  'confirmFailed',
]);

/** Sessions, authenticator app, passkeys, recovery codes and the OpenID provider. */
export function securityPages(parts: Services): Routes {
  const { db, config, secrets, sessions, sendMail, now } = parts;
  const site = passkeySite(config);
  const routes = createRoutes(securityPath);
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, flashTexts);

  interface Refused {
    error: string;
    status: number;
  }

  async function showPage(ctx: Context, errors: FieldError[] = [], whole?: Refused): Promise<void> {
    const user = userOf(ctx);
    const secret = await findUnconfirmedTotp(db, secrets, user.id, now());
    const flash = pages.takeFlash(ctx);
    const isFailed = failures.has(flash);
    const refused = errors.length > 0 ? 'Nothing was changed. Check the marked field.' : undefined;
    const error = whole?.error ?? (isFailed && flash ? flashTexts[flash] : refused);
    pages.show(
      ctx,
      SecurityView,
      {
        sessions: await sessions.list(ctx),
        factors: await countSecondFactors(db, user.id),
        passkeys: await listPasskeys(db, user.id),
        identity: config.openId && (await listIdentities(db, user.id))[0],
        canUnlink: await canUnlink(ctx),
        canAdd: canAdd(ctx),
        setUp: secret ? { secret, url: totpUrl(secret, user.email, site) } : undefined,
        form: { values: { name: '' }, errors, error },
      },
      { status: whole?.status ?? (errors.length > 0 ? 400 : 200), flash: isFailed ? '' : undefined },
    );
  }

  const finish = (ctx: Context, flash: SecurityFlash) => pages.redirectWithFlash(ctx, securityPath, flash);
  /** Whoever has stolen the password must not be able to stay unnoticed. */
  const notify = (ctx: Context, change: FactorChange) =>
    mailLater(parts, { kind: 'second-factor-changed', userId: userOf(ctx).id, change });
  const check = (ctx: Context, passwordField: string) => currentPasswordErrors(ctx, parts, passwordField);

  /**
   * Whoever signs up with a stranger's email must not be able to keep its owner out: a link to a new password, which only the
   * owner can read, does not replace a second factor.
   */
  const canAdd = (ctx: Context) => sendMail === undefined || hasConfirmedEmail(userOf(ctx));
  const checkToAdd = async (ctx: Context, name: string): Promise<FieldError[]> =>
    canAdd(ctx)
      ? check(ctx, name)
      : [{ field: name, message: 'Confirm your email first, on the page Account' }];

  /** Not the last way to sign in. */
  async function canUnlink(ctx: Context): Promise<boolean> {
    if (config.openId?.isOnly) return false;
    const { id, passwordHash } = userOf(ctx);
    return passwordHash !== null || (await countSecondFactors(db, id)).passkeys > 0;
  }

  /** The first factor comes with recovery codes, which are shown once. */
  async function finishWithCodes(ctx: Context, flash: SecurityFlash): Promise<void> {
    const { recoveryCodes } = await countSecondFactors(db, userOf(ctx).id);
    if (recoveryCodes > 0) return finish(ctx, flash);
    await showNewCodes(ctx, flashTexts[flash]);
  }

  async function showNewCodes(ctx: Context, text?: string): Promise<void> {
    const codes = await createRecoveryCodes(db, userOf(ctx).id);
    pages.show(ctx, RecoveryCodesView, { codes }, { flash: text });
  }

  routes.get('person', '/', (ctx) => showPage(ctx));

  routes.post('person', '/sessions/end', async (ctx) => {
    const user = userOf(ctx);
    const one = field(ctx, 'session');
    if (one !== '') {
      await endListedSession(db, user.id, one);
      return finish(ctx, 'session');
    }
    await endSessionsOf(db, user.id);
    if (field(ctx, 'all') === 'on') {
      await sessions.signOut(ctx);
      return redirect(ctx, '/signin');
    }
    await sessions.signIn(ctx, user);
    finish(ctx, 'sessions');
  });

  const submitForm = (ctx: Context, work: () => Promise<void>) =>
    submit(work, (errors) => showPage(ctx, errors));

  local.post('person', '/totp', (ctx) =>
    submitForm(ctx, async () => {
      requireValid(await checkToAdd(ctx, 'totpPassword'));
      await startTotp(db, secrets, userOf(ctx).id, now());
      redirect(ctx, `${securityPath}#app`);
    }),
  );

  local.post('person', '/totp/confirm', async (ctx) => {
    const { id } = userOf(ctx);
    const { isAllowed } = await takeAttempt(db, {
      subject: `second-factor:${id}`,
      maxPerHour: maxCodesPerHour,
    });
    const code = field(ctx, 'code').slice(0, 20).replace(/\s/g, '');
    if (!isAllowed || !(await confirmTotp(db, secrets, id, code, now())))
      return showPage(ctx, [
        {
          field: 'code',
          message: isAllowed
            ? 'This code is wrong. Check that the clock of your phone is correct'
            : 'was tried too often. Try again in an hour',
        },
      ]);
    await notify(ctx, 'app-on');
    await finishWithCodes(ctx, 'totp');
  });

  local.post('person', '/totp/cancel', async (ctx) => {
    await cancelTotp(db, userOf(ctx).id);
    redirect(ctx, `${securityPath}#app`);
  });

  local.post('person', '/totp/delete', (ctx) =>
    submitForm(ctx, async () => {
      requireValid(await check(ctx, 'totpPassword'));
      await removeTotp(db, userOf(ctx).id);
      await notify(ctx, 'app-off');
      finish(ctx, 'totpOff');
    }),
  );

  local.post('person', '/recovery', (ctx) =>
    submitForm(ctx, async () => {
      requireValid(await check(ctx, 'recoveryPassword'));
      await notify(ctx, 'recovery-codes');
      await showNewCodes(ctx);
    }),
  );

  local.post('person', '/passkeys/options', async (ctx) => {
    const errors = await checkToAdd(ctx, 'passkeyPassword');
    if (errors.length > 0) {
      ctx.status = 400;
      return;
    }
    const user = userOf(ctx);
    const options = await registrationOptions(db, site, user);
    await sessions.startChallenge(ctx, { userId: user.id, challenge: options.challenge });
    ctx.body = options;
  });

  local.post('person', '/passkeys', async (ctx) => {
    const user = userOf(ctx);
    const response = parseCredential(field(ctx, 'response'));
    // The password was checked when the challenge was made; without one, this says what is wrong with it.
    if (!response) {
      const errors = await checkToAdd(ctx, 'passkeyPassword');
      return errors.length > 0 ? showPage(ctx, errors) : finish(ctx, 'passkeyFailed');
    }
    const name = normalizeLabel(field(ctx, 'name')).slice(0, 60);
    const waiting = await sessions.takeChallenge(ctx);
    const isAdded =
      waiting?.userId === user.id &&
      waiting.challenge !== null &&
      (await addPasskey(
        db,
        site,
        user,
        { response, challenge: waiting.challenge, name: isLabel(name) ? name : 'Passkey' },
        now(),
      ));
    if (!isAdded) return finish(ctx, 'passkeyFailed');
    await notify(ctx, 'passkey-added');
    await finishWithCodes(ctx, 'passkey');
  });

  local.post('person', '/passkeys/delete', (ctx) =>
    submitForm(ctx, async () => {
      requireValid(await check(ctx, 'removePassword'));
      if (await removePasskey(db, userOf(ctx).id, field(ctx, 'passkey')))
        await notify(ctx, 'passkey-removed');
      finish(ctx, 'passkeyOff');
    }),
  );

  /** Sends the browser to the OpenID provider. */
  async function goToProvider(ctx: Context, purpose: OpenIdPurpose): Promise<void> {
    const refused = await sendToProvider(ctx, parts, purpose);
    if (refused) await showPage(ctx, [], refused);
  }

  routes.post('person', '/identity', (ctx) =>
    submitForm(ctx, async () => {
      requireProvider(parts);
      requireValid(await check(ctx, 'linkPassword'));
      await goToProvider(ctx, { kind: 'link', userId: userOf(ctx).id });
    }),
  );

  /** Instead of the password, before a change. */
  routes.post('person', '/identity/confirm', (ctx) =>
    goToProvider(ctx, {
      kind: 'confirm',
      userId: userOf(ctx).id,
      next: confirmedPages.find((page) => page === field(ctx, 'page')) ?? securityPath,
    }),
  );

  routes.post('person', '/identity/delete', (ctx) =>
    submitForm(ctx, async () => {
      requireProvider(parts);
      const errors = await check(ctx, 'unlinkPassword');
      if (!(await canUnlink(ctx)))
        errors.push({ field: 'unlinkPassword', message: 'This is the only way to sign in to your account' });
      requireValid(errors);
      if ((await unlinkIdentities(db, userOf(ctx).id)) > 0) await notify(ctx, 'identity-removed');
      finish(ctx, 'unlinked');
    }),
  );
  return routes;
}
