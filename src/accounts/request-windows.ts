import { Model, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';

/** One row per subject (a key, an address, an account) with the times of its requests in the last hour. */
export class RequestWindow extends Model {
  static override tableName = 'request_windows';
  static override idColumn = 'subject';
  static override columnNameMappers = snakeCaseMappers();

  declare subject: string;
  declare recent: Date[];
  declare admitted: boolean;
  declare checkedAt: Date;

  /** The windows of a workspace that is deleted. */
  static deleteOfWorkspace(transaction: Database, workspaceId: string): Promise<unknown> {
    return transaction.raw(
      `DELETE FROM request_windows WHERE subject IN (
         SELECT 'key:' || id FROM api_keys WHERE user_id = :workspaceId UNION ALL
         SELECT kind || :workspaceId FROM unnest(ARRAY['export:', 'forms:']) AS kind
       )`,
      { workspaceId },
    );
  }

  /** The windows of an account that is deleted. */
  static deleteOfAccount(transaction: Database, userId: string): Promise<unknown> {
    return transaction.raw(
      `DELETE FROM request_windows WHERE subject IN (
         SELECT kind || :userId FROM unnest(ARRAY['password-check:', 'confirm-email:', 'second-factor:', 'found:']) AS kind
       )`,
      { userId },
    );
  }

  /** What was used of each window, and when, by subject. */
  static async use(
    db: Database,
    subjects: string[],
  ): Promise<Map<string, { used: number; lastUsedAt: Date }>> {
    const { rows } = (await db.raw(
      `SELECT subject, checked_at AS "lastUsedAt", (SELECT count(*)::int FROM ${liveTimes('now()')}) AS used
       FROM request_windows AS w WHERE subject = ANY(?)`,
      [subjects] as never,
    )) as { rows: { subject: string; used: number; lastUsedAt: Date }[] };
    return new Map(rows.map((row) => [row.subject, row]));
  }
}

/** The times of a window `w` in the hour before `at`, as a subquery with the column `t`. */
export function liveTimes(at: string): string {
  return `(SELECT t FROM unnest(w.recent) AS t WHERE t > ${at} - interval '1 hour') AS live`;
}

/**
 * Counts one request against a window, unless its quota is used up. `limits` names a CTE with the columns `subject` and
 * `quota`. The clock is read after the row is locked, so parallel requests, in any process, are counted one after the other.
 */
export function countRequest(limits: string): string {
  return `
    INSERT INTO request_windows AS w (subject, recent, admitted, checked_at)
    SELECT subject, ARRAY[clock_timestamp()], true, clock_timestamp() FROM ${limits}
    ON CONFLICT (subject) DO UPDATE SET (recent, admitted, checked_at) = (
      SELECT CASE WHEN cardinality(times) < quota THEN times || at ELSE times END, cardinality(times) < quota, at
      FROM ${limits}, (SELECT clock_timestamp() AS at) AS clock, LATERAL (
        SELECT coalesce(array_agg(t ORDER BY t), '{}') AS times FROM ${liveTimes('at')}
      ) AS pruned
    )
    RETURNING recent, admitted, checked_at`;
}

/** When a refused caller can try again, or else when the oldest request leaves the window. */
export const resetAt = `
  recent[CASE WHEN admitted THEN 1 ELSE cardinality(recent) - quota + 1 END] + interval '1 hour'`;

/** For example an address that signs in, and how many attempts it has per hour. */
export interface AttemptLimit {
  subject: string;
  maxPerHour: number;
}

interface Attempt {
  isAllowed: boolean;
  /** Seconds until the next attempt is allowed; at least 1 where this one is not. */
  retryAfter: number;
  /** Identifies the attempt in its window: the database's clock, to the microsecond. */
  takenAt: string;
}

const takeSql = `
  WITH limits AS (SELECT CAST(:subject AS text) AS subject, CAST(:quota AS int) AS quota),
  counted AS (${countRequest('limits')})
  SELECT admitted AS "isAllowed", recent[cardinality(recent)]::text AS "takenAt",
         ceil(extract(epoch FROM ${resetAt} - checked_at))::int AS wait
  FROM limits, counted`;

/** Counts an attempt, unless the subject has used up its hour. */
export async function takeAttempt(db: Database, { subject, maxPerHour }: AttemptLimit): Promise<Attempt> {
  const { rows } = (await db.raw(takeSql, { subject, quota: maxPerHour })) as {
    rows: [{ isAllowed: boolean; takenAt: string; wait: number }];
  };
  const [{ isAllowed, takenAt, wait }] = rows;
  return { isAllowed, takenAt, retryAfter: isAllowed ? 0 : Math.max(1, wait) };
}

/** Removes one attempt from its window, as if it had not been made. */
export async function refundAttempt(
  db: Database,
  { subject }: AttemptLimit,
  { takenAt }: Attempt,
): Promise<void> {
  await db.raw(
    `UPDATE request_windows SET recent = coalesce((
       SELECT array_agg(t ORDER BY t) FROM unnest(recent) WITH ORDINALITY AS r (t, position)
       WHERE position IS DISTINCT FROM array_position(recent, CAST(:takenAt AS timestamptz))
     ), '{}') WHERE subject = :subject`,
    { subject, takenAt },
  );
}

interface AttemptState {
  /** In the last hour. */
  used: number;
  /** Seconds until another attempt is allowed, or 0. */
  retryAfter: number;
}

/** The state of each limit, without counting an attempt. */
export async function readAttempts(db: Database, limits: AttemptLimit[]): Promise<AttemptState[]> {
  const { rows } = (await db.raw(
    `SELECT coalesce(used, 0)::int AS used,
            CASE WHEN used >= quota THEN greatest(1, ceil(extract(epoch FROM oldest + interval '1 hour' - now())))
                 ELSE 0 END::int AS "retryAfter"
     FROM unnest(CAST(:subjects AS text[]), CAST(:quotas AS int[])) WITH ORDINALITY AS limits (subject, quota, position)
     LEFT JOIN request_windows AS w USING (subject)
     LEFT JOIN LATERAL (SELECT count(*) AS used, min(t) AS oldest FROM ${liveTimes('now()')}) AS counted ON true
     ORDER BY position`,
    {
      subjects: limits.map(({ subject }) => subject),
      quotas: limits.map(({ maxPerHour }) => maxPerHour),
    },
  )) as { rows: AttemptState[] };
  return rows;
}

/** After a success, earlier failures no longer count. */
export async function resetAttempts(db: Database, { subject }: AttemptLimit): Promise<void> {
  await RequestWindow.query(db).deleteById(subject);
}

/** Deletes empty windows. When a key was last used is then noted with the key. */
export async function purgeOldWindows(db: Database): Promise<number> {
  const { rows } = (await db.raw(
    `WITH purged AS (
       DELETE FROM request_windows WHERE checked_at < now() - interval '1 hour' RETURNING subject, checked_at
     ), noted AS (
       UPDATE api_keys SET last_used_at = checked_at FROM purged WHERE subject = 'key:' || id
     )
     SELECT count(*)::int AS windows FROM purged`,
  )) as { rows: [{ windows: number }] };
  return rows[0].windows;
}
