import { requestConfirmation } from '../../accounts/email-confirmations.ts';
import type { MailRequest } from '../../queue/mail-queue.ts';
import type { PageParts } from '../ui/page.ts';

/** Asks the owner of an address to confirm it. */
export async function askForConfirmation(parts: PageParts, userId: string, email: string): Promise<void> {
  if (!parts.sendMail) return;
  await requestConfirmation(parts.db, userId, email, parts.now());
  await mailLater(parts, { kind: 'confirm-email', userId });
}

/** For a mail that is less important than the request it belongs to: that succeeds while the queue is down, too. */
export async function mailLater({ sendMail, log }: PageParts, request: MailRequest): Promise<void> {
  try {
    await sendMail?.(request);
  } catch (err) {
    log.warn({ err, kind: request.kind }, 'a mail could not be queued and is not sent');
  }
}
