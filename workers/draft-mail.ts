import {
  createConfirmationToken,
  createSignInLink,
  findPendingEmail,
} from '../src/accounts/account-links.ts';
import { findExport } from '../src/accounts/account-exports.ts';
import { findAccountBlock } from '../src/accounts/account-blocks.ts';
import type { ServiceSecrets } from '../src/accounts/secrets.ts';
import { hasConfirmedEmail, User } from '../src/accounts/users.ts';
import { isLanguage, type Language } from '../src/http/preferred-language.ts';
import type { DraftMail, MailSite } from '../src/mail/compose-mail.ts';
import type { MailRequest } from '../src/queue/mail-queue.ts';
import type { Database } from '../src/store/database.ts';
import { Endpoint } from '../src/webhooks/endpoints.ts';

export interface DraftedMail {
  to: string;
  /** Undefined for an address without an account. */
  user: User | undefined;
  language: Language;
  /** Makes the link, which replaces that of an earlier mail: only for a mail that is sent. Undefined: no reason any more. */
  write(): Promise<DraftMail | undefined>;
}

interface DraftParts {
  db: Database;
  site: MailSite;
  signUpToken: ServiceSecrets['signUpToken'];
}

/** Looks up what a mail needs. Undefined where there is nobody to write to, or no reason any more. */
export async function draftMail(
  parts: DraftParts,
  request: MailRequest,
  now: Date,
): Promise<DraftedMail | undefined> {
  const { db, site } = parts;
  const { baseUrl } = site;
  if ('email' in request) return draftForAddress(parts, request, now);
  const user = await User.query(db).findById(request.userId);
  if (!user) return undefined;
  const language = isLanguage(user.language) ? user.language : 'en';
  const draft = (to: string, write: DraftMail): DraftedMail => ({
    to,
    user,
    language,
    write: async () => write,
  });
  switch (request.kind) {
    case 'password-changed':
      return draft(user.email, (texts) => texts.passwordChanged(`${baseUrl}/signin/forgot`));
    case 'second-factor-changed': {
      const { change } = request;
      const page = `${baseUrl}/account/security`;
      return draft(user.email, (texts) => texts.secondFactorChanged(change, page));
    }
    case 'confirm-email': {
      const to = await findPendingEmail(db, user.id, now);
      if (to === undefined) return undefined;
      return { to, user, language, write: () => writeConfirmation(user.id, to) };
    }
    case 'webhook-disabled': {
      const endpoint = await Endpoint.query(db).findOne({ id: request.endpointId, user_id: user.id });
      // The name is the owner's choice: a stranger whose address somebody has signed up with must not read it.
      if (!endpoint || endpoint.isEnabled || !hasConfirmedEmail(user)) return undefined;
      const { id, name, disabledReason } = endpoint;
      const webhook = { name, isGone: disabledReason === 'gone', link: `${baseUrl}/webhooks/${id}` };
      return draft(user.email, (texts) => texts.webhookDisabled(webhook));
    }
    case 'export-finished': {
      const found = await findExport(db, user.id, now);
      if (found?.requestId !== request.requestId || found.state === 'pending') return undefined;
      if (!hasConfirmedEmail(user)) return undefined;
      const page = `${baseUrl}/account#export`;
      const isReady = found.state === 'ready';
      return draft(user.email, (texts) => (isReady ? texts.exportReady(page) : texts.exportFailed(page)));
    }
    case 'email-changed':
      return draft(request.oldEmail, (texts) => texts.emailChanged(user.email));
  }

  async function writeConfirmation(userId: string, to: string): Promise<DraftMail | undefined> {
    const token = await createConfirmationToken(db, { userId, email: to }, now);
    const link = `${baseUrl}/signin/confirm/${token}`;
    return token === undefined ? undefined : (texts) => texts.confirmEmail(to, link);
  }
}

/** For an address that somebody has typed: only here is it known whether it has an account. */
async function draftForAddress(
  { db, site: { baseUrl }, signUpToken }: DraftParts,
  request: Extract<MailRequest, { email: string }>,
  now: Date,
): Promise<DraftedMail | undefined> {
  const { kind, email } = request;
  const user = await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const draft = (write: () => Promise<DraftMail>): DraftedMail => ({
    to: user?.email ?? email,
    user,
    language: isLanguage(user?.language) ? user.language : request.language,
    write,
  });
  if (kind === 'sign-up') {
    if (user)
      return draft(
        async () => (texts) => texts.alreadySignedUp(`${baseUrl}/signin`, `${baseUrl}/signin/forgot`),
      );
    const link = `${baseUrl}/signup/link/${signUpToken({ email, next: request.next }, now)}`;
    return draft(async () => (texts) => texts.signUp(link));
  }
  if (!user || (await findAccountBlock(db, user.id))) return undefined;
  return draft(async () => {
    const link = `${baseUrl}/signin/link/${await createSignInLink(db, user, now, { isMailed: true })}`;
    return (texts) =>
      kind === 'sign-in-link' ? texts.signInLink(`${link}?keep`) : texts.passwordReset(link);
  });
}
