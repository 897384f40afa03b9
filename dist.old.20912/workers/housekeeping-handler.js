import { purgeOldWindows } from '../src/accounts/authenticate.js';
import { purgeOneTimeSecrets } from '../src/accounts/one-time-secrets.js';
import { purgeOldSessions } from '../src/accounts/sessions.js';
import { isDatabaseUnavailable } from '../src/store/database.js';
export function createHousekeepingHandler({ db, log }) {
  return async () => {
    const now = new Date();
    try {
      await purgeOldWindows(db);
      await purgeOldSessions(db, now);
      await purgeOneTimeSecrets(db, now);
    } catch (err) {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run deletes the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'old rate limit windows and sessions could not be purged');
    }
  };
}
//# sourceMappingURL=housekeeping-handler.js.map
