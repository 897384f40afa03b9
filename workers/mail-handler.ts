import { refundAttempt, takeAttempt } from '../src/accounts/request-windows.ts';
import { mailboxOf } from '../src/accounts/users.ts';
import type { ServiceSecrets } from '../src/accounts/secrets.ts';
import { noteSentMail, wasMailSent } from '../src/accounts/sent-mails.ts';
import { composeMail, type MailSite } from '../src/mail/compose-mail.ts';
import { type Mailer, MailError } from '../src/mail/mailer.ts';
import { type MailJob, type MailRequest, unpackMail } from '../src/queue/mail-queue.ts';
import { type JobHandler, TryLaterError } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable, retryUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { type DraftedMail, draftMail } from './draft-mail.ts';

/** Of a kind to an account, or to an address that nobody has confirmed, by however many accounts. */
const maxPerHour = 10;
/** What can be asked for again is not sent beyond the limit. Everything else is sent later. */
const repeatable = new Set([
  'password-reset',
  'sign-in-link',
  'sign-up',
  'confirm-email',
] satisfies MailRequest['kind'][] as string[]);
/** Of a mail that the server may have accepted, without saying so. */
const maxRepeats = 2;

export interface MailHandlerOptions {
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
}: MailHandlerOptions): JobHandler<MailJob> {
  async function send(job: MailJob): Promise<void> {
    if (await wasMailSent(db, job.id)) return;
    if (!mailer) throw new Error('SMTP_URL is not set for this worker: set it for web and worker processes');
    const drafted = await draftMail({ db, site, signUpToken }, unpackMail(job, openMail), new Date());
    if (!drafted) return;
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
    if (!repeatable.has(kind)) throw new TryLaterError('too many mails of a kind within an hour');
    log.warn({ kind }, 'an address got too many mails of a kind within an hour; one was not sent');
  }

  async function repeat(job: MailJob, cause: unknown): Promise<void> {
    const unanswered = (job.unanswered ?? 0) + 1;
    if (unanswered <= maxRepeats)
      throw new TryLaterError('the mail server did not say whether it has accepted a mail', {
        cause,
        remaining: { ...job, unanswered },
      });
    log.warn(
      { err: cause, kind: job.kind },
      `the mail server did not say ${unanswered} times whether it has accepted a mail; it is not sent again`,
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
      log.warn({ err: error, kind: job.kind }, 'a mail was refused and is not sent again');
    }
  };
}

const isUnanswered = (error: unknown) => error instanceof MailError && !error.isUnsent && !error.isPermanent;
