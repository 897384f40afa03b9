import { type AttemptLimit, refundAttempt, takeAttempt } from '../src/accounts/attempts.ts';
import { mailboxOf } from '../src/accounts/email-address.ts';
import { noteSentMail, wasMailSent } from '../src/accounts/sent-mails.ts';
import { composeMail, type MailSite } from '../src/mail/compose-mail.ts';
import { type Mailer, MailError } from '../src/mail/mailer.ts';
import { type MailJob, unpackMail } from '../src/queue/mail-queue.ts';
import { type JobHandler, TryLaterError } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import { retryUnavailable } from '../src/store/retry-unavailable.ts';
import type { Log } from '../src/telemetry/log.ts';
import { draftMail } from './draft-mail.ts';

/**
 * Of a kind to an address, whoever asks for them: by several accounts, or one account after another, nobody can have more
 * sent to a stranger.
 */
const maxPerHour = 10;

export interface MailHandlerOptions {
  db: Database;
  log: Log;
  /** Undefined without SMTP_URL. */
  mailer: Mailer | undefined;
  openMail(sealed: string): string;
  hashEmail(email: string): string;
  site: MailSite;
}

/** Sends a mail. If it is delivered twice, the second time finds that it was sent. */
export function createMailHandler({
  db,
  log,
  mailer,
  openMail,
  hashEmail,
  site,
}: MailHandlerOptions): JobHandler<MailJob> {
  async function send(job: MailJob): Promise<void> {
    if (await wasMailSent(db, job.id)) return;
    if (!mailer) throw new Error('SMTP_URL is not set for this worker: set it for web and worker processes');
    const drafted = await draftMail(db, site, unpackMail(job, openMail), new Date());
    if (!drafted) return;
    const { to, language, write, headers } = drafted;
    const mail = { id: job.id, to, ...composeMail(language, site, write), ...(headers && { headers }) };
    const limit = { subject: `mail:${job.kind}:${hashEmail(mailboxOf(to))}`, maxPerHour };
    if (await sendWithin(limit, () => mailer.send(mail)))
      await retryUnavailable(() => noteSentMail(db, job.id, new Date()));
    else
      log.warn(
        { kind: job.kind },
        'an address got too many mails of a kind within an hour; one was not sent',
      );
  }

  /** False where the limit is reached. Only what was sent counts. */
  async function sendWithin(limit: AttemptLimit, hand: () => Promise<void>): Promise<boolean> {
    const attempt = await takeAttempt(db, limit);
    if (!attempt.isAllowed) return false;
    try {
      await hand();
      return true;
    } catch (error) {
      await refundAttempt(db, limit, attempt);
      throw error;
    }
  }

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
