import { purgeDeletedCodes } from '../src/scans/purge-deleted-codes.js';
import { isDatabaseUnavailable } from '../src/store/database.js';
/** Shorter than the pause between two runs. What is left is purged by the next run. */
const maxRunMs = 8_000;
export function createPurgeHandler({ db, log }) {
  return async () => {
    const endsAt = performance.now() + maxRunMs;
    const purged = await purgeDeletedCodes(db, () => performance.now() > endsAt).catch((err) => {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run purges the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'the scans of deleted codes were not purged');
      return { scans: 0, counters: 0 };
    });
    if (purged.scans > 0 || purged.counters > 0) log.info(purged, 'purged scans of deleted codes');
  };
}
//# sourceMappingURL=purge-handler.js.map
