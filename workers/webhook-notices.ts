import type { MailRequest } from '../src/queue/mail-queue.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { Endpoint } from '../src/webhooks/endpoints.ts';
import { tellOwners } from '../src/webhooks/tell-owners.ts';

interface WebhookNoticeOptions {
  db: Database;
  /** Undefined without SMTP_URL. */
  sendMail: ((request: MailRequest, id: string) => Promise<void>) | undefined;
  log: Log;
}

/** Mails the owners of webhook endpoints that were disabled. Never rejects: the next run of housekeeping tries again. */
export function createWebhookNotices({ db, sendMail, log }: WebhookNoticeOptions): () => Promise<void> {
  return async () => {
    if (!sendMail) return;
    const tell = ({ id, userId, disabledAt }: Endpoint) =>
      // The same id if the process dies before it has noted that: sent once for each time.
      sendMail(
        { kind: 'webhook-disabled', userId, endpointId: id },
        `webhook-${id}-${disabledAt?.getTime()}`,
      );
    await tellOwners(db, tell, new Date()).catch((err: unknown) =>
      log.warn(
        { err },
        'the owner of a disabled webhook endpoint was not told; tried again within 10 minutes',
      ),
    );
  };
}
