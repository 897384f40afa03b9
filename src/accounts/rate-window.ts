/**
 * The SQL of the sliding window, in one place: `request_windows` has one row per subject (a key, an address, an account)
 * with the times of its requests in the last hour.
 */

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
