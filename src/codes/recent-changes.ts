import { type Database, queryPrepared } from '../store/database.ts';
import type { RecentChanges } from '../store/reads.ts';
import { maxLagMs } from '../store/replicas.ts';

/** A mark younger than this is not written again, so that importing a thousand codes does not write a thousand marks. */
const markEveryMs = 250;
/** Longer than a usable replica may be behind, and than the age of a mark may be understated. */
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

/** On the primary, by its clock: the change and the list may be served by different web processes. */
export function createRecentChanges(db: Database): RecentChanges {
  return {
    mark: async (ownerId) => void (await queryPrepared(db, markStatement, [ownerId])),
    has: async (ownerId) => (await queryPrepared(db, recentStatement, [ownerId])).length > 0,
  };
}
