import { requestConfirmation } from '../../accounts/account-links.ts';
import type { User } from '../../accounts/users.ts';
import { BusyError } from '../../errors.ts';
import type { MailRequest } from '../../queue/mail-queue.ts';
import type { Services } from '../services.ts';

/** Asks the owner of an address to confirm it. `checked`: the account, where its password was checked for that. */
export async function askForConfirmation(
  parts: Services,
  { userId, email, checked }: { userId: string; email: string; checked?: User | undefined },
): Promise<void> {
  if (!parts.sendMail) return;
  await requestConfirmation(parts.db, { userId, email, checked }, parts.now());
  await mailLater(parts, { kind: 'confirm-email', userId });
}

/** For a mail that is less important than the request it belongs to: that succeeds while the queue is down, too. */
export async function mailLater({ sendMail, log }: Services, request: MailRequest): Promise<void> {
  try {
    await sendMail?.(request);
  } catch (err) {
    log.warn({ err, kind: request.kind }, 'an email could not be queued and is not sent');
  }
}

/** For a mail that the visitor waits for. */
export async function requireMail({ sendMail, log }: Services, request: MailRequest): Promise<void> {
  await sendMail?.(request).catch((cause: unknown) => {
    log.warn({ err: cause, kind: request.kind }, 'an email that a visitor waits for could not be queued');
    throw new BusyError('Emails cannot be sent at the moment. Try again in a minute.', {
      retryAfterSeconds: 60,
      cause,
    });
  });
}
