import { purgeExports } from '../src/accounts/account-exports.ts';
import { purgeOldWindows } from '../src/accounts/authenticate.ts';
import { purgeResponses } from '../src/accounts/idempotent-responses.ts';
import { purgeConfirmations, purgeSignInLinks } from '../src/accounts/account-links.ts';
import { purgeOldSessions, purgeOneTimeSecrets } from '../src/accounts/sessions.ts';
import { purgeSentMails } from '../src/accounts/sent-mails.ts';
import { purgeChallenges } from '../src/accounts/passkeys.ts';
import { purgeApplications } from '../src/codes/styles/style-applications.ts';
import { purgeDestinations } from '../src/notices/destinations.ts';
import { purgeNotices } from '../src/notices/notices.ts';
import { housekeepingQueue } from '../src/queue/housekeeping-queue.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import type { Database } from '../src/store/database.ts';
import { purgeReports } from '../src/store/process-reports.ts';
import type { Log } from '../src/telemetry/log.ts';
import { resealSecrets } from '../src/webhooks/endpoints.ts';
import { writeExpiringEvents } from '../src/webhooks/expiring-events.ts';
import { purgeDeliveries } from '../src/webhooks/purge-deliveries.ts';
import type { SecretBox } from '../src/webhooks/signing.ts';
import type { ExportUpkeep } from './export-upkeep.ts';
import { runSteps, type StepOptions } from './run-steps.ts';

/** What is left of a purge is for the next run. */
const maxPurgeMs = 60_000;

export interface HousekeepingOptions {
  db: Database;
  box: SecretBox;
  /** Of webhook endpoints that were disabled: those who could not be told when it happened. */
  tellOwners(): Promise<void>;
  /** Never rejects. */
  exportUpkeep: ExportUpkeep;
  metrics: StepOptions['metrics'];
  log: Log;
}

export function createHousekeepingHandler({
  db,
  box,
  tellOwners,
  exportUpkeep,
  metrics,
  log,
}: HousekeepingOptions): JobHandler<object> {
  /** Each is a statement or more of its own. */
  function stepsOf(now: Date, isOver: () => boolean): Record<string, () => Promise<unknown>> {
    return {
      windows: () => purgeOldWindows(db),
      sessions: () => purgeOldSessions(db, now),
      oneTimeSecrets: () => purgeOneTimeSecrets(db, now),
      signInLinks: () => purgeSignInLinks(db, now),
      challenges: () => purgeChallenges(db, now),
      confirmations: () => purgeConfirmations(db, now),
      sentMails: () => purgeSentMails(db, now),
      responses: () => purgeResponses(db, now),
      exports: () => purgeExports(db, now, isOver),
      notices: () => purgeNotices(db, now),
      destinations: () => purgeDestinations(db, now),
      applications: () => purgeApplications(db, now),
      reports: () => purgeReports(db),
      deliveries: () => purgeDeliveries(db, now, isOver),
      expiringEvents: () => writeExpiringEvents(db, now),
      webhookSecrets: () => resealSecrets(db, box),
      disabledWebhooks: tellOwners,
      lostExports: exportUpkeep.resume,
      finishedExports: exportUpkeep.tellOwners,
    };
  }

  return () => {
    const until = performance.now() + maxPurgeMs;
    return runSteps(
      stepsOf(new Date(), () => performance.now() > until),
      { queue: housekeepingQueue.name, metrics, log },
    );
  };
}
