import { purgeExports } from '../src/accounts/account-exports.ts';
import { purgeOldWindows } from '../src/accounts/authenticate.ts';
import { purgeResponses } from '../src/accounts/idempotent-responses.ts';
import { purgeConfirmations } from '../src/accounts/email-confirmations.ts';
import { purgeOneTimeSecrets } from '../src/accounts/one-time-secrets.ts';
import { purgeSentMails } from '../src/accounts/sent-mails.ts';
import { purgeSignInLinks } from '../src/accounts/sign-in-links.ts';
import { purgeChallenges } from '../src/accounts/sign-in-challenges.ts';
import { purgeOldSessions } from '../src/accounts/sessions.ts';
import { purgeApplications } from '../src/codes/styles/style-applications.ts';
import { purgeDestinations } from '../src/notices/destinations.ts';
import { purgeNotices } from '../src/notices/notices.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import { purgeReports } from '../src/store/process-reports.ts';
import type { Log } from '../src/telemetry/log.ts';
import { resealSecrets } from '../src/webhooks/endpoints.ts';
import { writeExpiringEvents } from '../src/webhooks/expiring-events.ts';
import { purgeDeliveries } from '../src/webhooks/purge-deliveries.ts';
import type { SecretBox } from '../src/webhooks/signing.ts';

/** What is left of a purge is for the next run. */
const maxPurgeMs = 60_000;

export interface HousekeepingOptions {
  db: Database;
  box: SecretBox;
  /** Of webhook endpoints that were disabled: those who could not be told when it happened. */
  tellOwners(): Promise<void>;
  log: Log;
}

export function createHousekeepingHandler({
  db,
  box,
  tellOwners,
  log,
}: HousekeepingOptions): JobHandler<object> {
  return async () => {
    const now = new Date();
    try {
      await purgeOldWindows(db);
      await purgeOldSessions(db, now);
      await purgeOneTimeSecrets(db, now);
      await purgeSignInLinks(db, now);
      await purgeChallenges(db, now);
      await purgeConfirmations(db, now);
      await purgeSentMails(db, now);
      await purgeResponses(db, now);
      await purgeExports(db, now);
      await purgeNotices(db, now);
      await purgeDestinations(db, now);
      await purgeApplications(db, now);
      await purgeReports(db);
      const purgeUntil = performance.now() + maxPurgeMs;
      await purgeDeliveries(db, now, () => performance.now() > purgeUntil);
      await writeExpiringEvents(db, now);
      await resealSecrets(db, box);
      await tellOwners();
    } catch (err) {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run deletes the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'old rate limit windows and sessions could not be purged');
    }
  };
}
