import { type Database, queryPrepared } from '../store/database.ts';
import type { RecentChanges } from '../store/reads.ts';
import { maxLagMs } from '../store/replica.ts';

/** A younger mark is not written again: importing a thousand codes writes a few marks. */
const markEveryMs = 250;
/** Covers the lag of a usable replica and the rounding of marks. */
const recentMs = maxLagMs + 2 * markEveryMs;

const markStatement = {
  name: 'mark codes changed',
  text: `UPDATE users SET codes_changed_at = clock_timestamp()
         WHERE id = $1
           AND (codes_changed_at IS NULL OR codes_changed_at < clock_timestamp() - interval '${markEveryMs} ms')`,
};
const recentStatement = {
  name: 'codes changed recently',
  text: `SELECT 1 FROM users WHERE id = $1 AND codes_changed_at > clock_timestamp() - interval '${recentMs} ms'`,
};

/** Read-your-writes: kept on the primary, by its clock, because different web processes may serve the change and the list. */
export function createRecentChanges(db: Database): RecentChanges {
  return {
    mark: async (ownerId) => void (await queryPrepared(db, markStatement, [ownerId])),
    has: async (ownerId) => (await queryPrepared(db, recentStatement, [ownerId])).length > 0,
  };
}
