import { purgeOldWindows } from '../src/accounts/authenticate.ts';
import { purgeResponses } from '../src/accounts/idempotent-responses.ts';
import { purgeOneTimeSecrets } from '../src/accounts/one-time-secrets.ts';
import { purgeSignInLinks } from '../src/accounts/sign-in-links.ts';
import { purgeOldSessions } from '../src/accounts/sessions.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import { purgeReports } from '../src/store/process-reports.ts';
import type { Log } from '../src/telemetry/log.ts';

export function createHousekeepingHandler({ db, log }: { db: Database; log: Log }): JobHandler<object> {
  return async () => {
    const now = new Date();
    try {
      await purgeOldWindows(db);
      await purgeOldSessions(db, now);
      await purgeOneTimeSecrets(db, now);
      await purgeSignInLinks(db, now);
      await purgeResponses(db, now);
      await purgeReports(db);
    } catch (err) {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run deletes the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'old rate limit windows and sessions could not be purged');
    }
  };
}
