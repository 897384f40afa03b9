import { refundAttempt, takeAttempt } from '../src/accounts/request-windows.ts';
import { User, hasConfirmedEmail, mailboxOf } from '../src/accounts/users.ts';
import { findAccountBlock } from '../src/accounts/account-blocks.ts';
import { findExport } from '../src/accounts/account-exports.ts';
import {
  createConfirmationToken,
  createSignInLink,
  findPendingEmail,
} from '../src/accounts/account-links.ts';
import type { ServiceSecrets } from '../src/accounts/secrets.ts';
import { noteSentMail, wasMailSent } from '../src/accounts/sent-mails.ts';
import { type Language, isLanguage } from '../src/http/preferred-language.ts';
import { type DraftMail, type MailSite, composeMail } from '../src/mail/compose-mail.ts';
import { MailError, type Mailer } from '../src/mail/mailer.ts';
import { type MailJob, type MailRequest, unpackMail } from '../src/queue/mail-queue.ts';
import { TryLaterError } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable, retryUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { Endpoint } from '../src/webhooks/endpoints.ts';
import { isOwner } from '../src/workspaces/people.ts';
import { findWorkspace, ownWorkspaceId } from '../src/workspaces/workspace.ts';
import { draftInvitation, draftMembershipMail } from './membership-mails.ts';

/** Mails of one kind to an account, or to an unconfirmed address, however many accounts have it. */
const maxPerHour = 10;
/** Mails that can be requested again, or say what a page shows, are dropped beyond the limit. All others are sent later. */
const repeatable = new Set([
  'password-reset',
  'sign-in-link',
  'sign-up',
  'confirm-email',
  'invitation',
  'member-joined',
] satisfies MailRequest['kind'][] as string[]);
/** How often a mail is sent again that the server may have accepted without saying so. */
const maxRepeats = 2;

/** No such domain will ever exist (RFC 2606). The demo account has an address in it. */
const isUndeliverable = (email: string) => /\.invalid$/i.test(email);

interface MailHandlerOptions {
  db: Database;
  log: Log;
  /** Undefined without SMTP_URL. */
  mailer: Mailer | undefined;
  openMail(sealed: string): string;
  hashEmail(email: string): string;
  signUpToken: ServiceSecrets['signUpToken'];
  site: MailSite;
}

/** Sends a mail. If it is delivered twice, the second time finds that it was sent. */
export function createMailHandler({
  db,
  log,
  mailer,
  openMail,
  hashEmail,
  signUpToken,
  site,
}: MailHandlerOptions): (job: MailJob) => Promise<void> {
  async function send(job: MailJob): Promise<void> {
    if (await wasMailSent(db, job.id)) return;
    if (!mailer) throw new Error('SMTP_URL is not set for this worker: set it for web and worker processes');
    const drafted = await draftMail({ db, site, signUpToken }, unpackMail(job, openMail), new Date());
    if (!drafted || isUndeliverable(drafted.to)) return;
    const limit = { subject: `mail:${job.kind}:${limitedBy(drafted)}`, maxPerHour };
    const attempt = await takeAttempt(db, limit);
    if (!attempt.isAllowed) return refuse(job);
    try {
      const write = await drafted.write();
      if (!write) return await refundAttempt(db, limit, attempt);
      await mailer.send({ id: job.id, to: drafted.to, ...composeMail(drafted.language, site, write) });
    } catch (error) {
      if (isUnanswered(error)) return repeat(job, error);
      // Only what was sent counts.
      await refundAttempt(db, limit, attempt);
      throw error;
    }
    await noteSent(job);
  }

  /** A stranger can sign up with an address, and with variants of it, but not use up the limit of who has confirmed it. */
  function limitedBy({ to, user }: DraftedMail): string {
    const isConfirmed = user?.confirmedEmail?.toLowerCase() === to.toLowerCase();
    return user && isConfirmed ? user.id : hashEmail(mailboxOf(to));
  }

  function refuse({ kind }: MailJob): void {
    if (!repeatable.has(kind)) throw new TryLaterError('too many emails of a kind within an hour');
    log.warn({ kind }, 'an address got too many emails of a kind within an hour; one was not sent');
  }

  async function repeat(job: MailJob, cause: unknown): Promise<void> {
    const unanswered = (job.unanswered ?? 0) + 1;
    if (unanswered <= maxRepeats)
      throw new TryLaterError('the mail server did not say whether it has accepted an email', {
        cause,
        remaining: { ...job, unanswered },
      });
    log.warn(
      { err: cause, kind: job.kind },
      `the mail server did not say ${unanswered} times whether it has accepted an email; it is not sent again`,
    );
    await noteSent(job);
  }

  const noteSent = ({ id }: MailJob) => retryUnavailable(() => noteSentMail(db, id, new Date()));

  return async (job) => {
    try {
      await send(job);
    } catch (error) {
      if (isDatabaseUnavailable(error))
        throw new TryLaterError('the database is not available', { cause: error });
      if (!(error instanceof MailError && error.isPermanent)) throw error;
      // Usually a mistyped address. It would be refused again.
      log.warn({ err: error, kind: job.kind }, 'an email was refused and is not sent again');
    }
  };
}

const isUnanswered = (error: unknown) => error instanceof MailError && !error.isUnsent && !error.isPermanent;

interface DraftedMail {
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
  if (request.kind === 'invitation') {
    const drafted = await draftInvitation({ db, baseUrl }, request.invitationId, now);
    return drafted && { ...drafted, language: isLanguage(drafted.language) ? drafted.language : 'en' };
  }
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
      const workspaceId = request.workspaceId ?? ownWorkspaceId(user);
      if (!(await isOwner(db, workspaceId, user.id))) return undefined;
      const endpoint = await Endpoint.query(db).findOne({ id: request.endpointId, user_id: workspaceId });
      // The name is the owner's choice: a stranger whose address somebody has signed up with must not read it.
      if (!endpoint || endpoint.isEnabled || !hasConfirmedEmail(user)) return undefined;
      const { slug } = await findWorkspace(db, workspaceId);
      const { id, name, disabledReason } = endpoint;
      const webhook = {
        name,
        isGone: disabledReason === 'gone',
        link: `${baseUrl}/w/${slug}/webhooks/${id}`,
      };
      return draft(user.email, (texts) => texts.webhookDisabled(webhook));
    }
    case 'export-finished': {
      const workspaceId = request.workspaceId ?? ownWorkspaceId(user);
      if (!(await isOwner(db, workspaceId, user.id))) return undefined;
      const found = await findExport(db, workspaceId, now);
      if (found?.requestId !== request.requestId || found.state === 'pending') return undefined;
      if (!hasConfirmedEmail(user)) return undefined;
      const { slug } = await findWorkspace(db, workspaceId);
      const page = `${baseUrl}/w/${slug}/workspace#export`;
      const isReady = found.state === 'ready';
      return draft(user.email, (texts) => (isReady ? texts.exportReady(page) : texts.exportFailed(page)));
    }
    case 'workspace-deleted':
    case 'member-joined':
    case 'member-removed':
    case 'role-changed': {
      const write = await draftMembershipMail({ db, baseUrl }, user, request);
      return write && draft(user.email, write);
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
