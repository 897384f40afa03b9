import { purgeFiles } from '../src/codes/files/purge-files.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { purgeDeletedCodes } from '../src/scans/purge-deleted-codes.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { purgeCodeDeliveries } from '../src/webhooks/purge-deliveries.ts';

/** Shorter than the pause between two runs. What is left is purged by the next run. */
const maxRunMs = 8_000;

export function createPurgeHandler({ db, log }: { db: Database; log: Log }): JobHandler<object> {
  return async () => {
    const endsAt = performance.now() + maxRunMs;
    const isOver = () => performance.now() > endsAt;
    const purgeLog = (codeId: string) => purgeCodeDeliveries(db, codeId);
    const purged = await purgeDeletedCodes(db, isOver, purgeLog).catch((err: unknown) => {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run purges the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'the scans of deleted codes were not purged');
      return { scans: 0, counters: 0 };
    });
    const files = await purgeFiles(db, isOver).catch((err: unknown) => {
      if (!isDatabaseUnavailable(err)) throw err;
      log.warn({ err }, 'the bytes of deleted files were not purged');
      return 0;
    });
    if (files > 0) log.info({ files }, 'purged deleted files');
    if (purged.scans > 0 || purged.counters > 0) log.info(purged, 'purged scans of deleted codes');
  };
}
