import type { Database } from '../store/database.ts';
import { listPartitions } from './partitions.ts';

const lockWaitMs = 400;

/** Raw scans before this time were dropped. Undefined if all are kept. */
export async function readHorizon(db: Database): Promise<Date | undefined> {
  const row = (await db('scan_horizon').first('kept_from as keptFrom')) as { keptFrom: Date } | undefined;
  return row?.keptFrom;
}

/**
 * Drops the partitions whose scans are all older than the given number of whole months before this one, and returns their
 * names. The counters stay. Each needs an exclusive lock for a moment: rejects with 55P03 when it is not free.
 */
export async function dropExpiredPartitions(db: Database, keepMonths: number, now: Date): Promise<string[]> {
  const keptFrom = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keepMonths));
  const dropped: string[] = [];
  for (const { name, to } of await listPartitions(db)) {
    if (to > keptFrom) break;
    await db.transaction(async (transaction) => {
      await transaction.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
      // First, so that nobody compares the counters with scans that are gone.
      await transaction.raw(
        `INSERT INTO scan_horizon AS horizon (kept_from) VALUES (?)
         ON CONFLICT (only_row) DO UPDATE SET kept_from = greatest(horizon.kept_from, excluded.kept_from)`,
        [to],
      );
      await transaction.raw('DROP TABLE ??', [name]);
    });
    dropped.push(name);
  }
  return dropped;
}
