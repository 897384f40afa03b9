import type { Config } from '../config.ts';
import { createMailer, MailError } from '../mail/mailer.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, warning, failure } = findingsFor('mail');

/** Connects to the mail server and signs in. Sends nothing. */
export async function checkMail({ mail, supportContact }: Config): Promise<Finding> {
  if (!mail && supportContact)
    return ok(
      `SMTP_URL is not set: no emails are sent. Users who forget their password are told to contact ${supportContact}.`,
    );
  if (!mail)
    return warning(
      'SMTP_URL is not set: no emails are sent, and users who forget their password are not told whom to ask.',
      'Set SMTP_URL and MAIL_FROM to send emails, or SUPPORT_CONTACT to an address or page where users get help.',
    );
  if (mail.server === 'terminal') return ok('SMTP_URL is terminal: the worker prints emails.');
  const server = `${mail.server.host}:${mail.server.port}`;
  try {
    await createMailer(mail).verify();
    return ok(`The mail server ${server} accepts connections. Emails come from ${mail.from}.`);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return failure(
      `The mail server ${server} cannot be used: ${error.message}. Emails wait in the queue, and fail after 47 minutes.`,
      error.remedy,
    );
  }
}
