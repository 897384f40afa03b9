import type { Database } from '../store/database.ts';

export interface Attempt {
  admitted: boolean;
  /** Seconds until the next one is admitted; at least 1 after a refusal. */
  retryAfter: number;
}

/**
 * Takes one of `mostPerHour` from the window of a subject, such as an address that signs in. Judged under the lock of the
 * window's row, like the requests of a key: attempts that arrive together cannot slip through together.
 */
export async function takeAttempt(db: Database, subject: string, mostPerHour: number): Promise<Attempt> {
  const { rows } = (await db.raw(
    `INSERT INTO request_windows AS w (subject, recent, admitted, checked_at)
     VALUES (:subject, ARRAY[clock_timestamp()], true, clock_timestamp())
     ON CONFLICT (subject) DO UPDATE SET (recent, admitted, checked_at) = (
       SELECT CASE WHEN cardinality(live) < :most THEN live || at ELSE live END, cardinality(live) < :most, at
       FROM (SELECT clock_timestamp() AS at) AS clock, LATERAL (
         SELECT coalesce(array_agg(t ORDER BY t), '{}') AS live
         FROM unnest(w.recent) AS t WHERE t > at - interval '1 hour'
       ) AS pruned
     )
     RETURNING admitted, ceil(extract(epoch FROM recent[1] + interval '1 hour' - checked_at))::int AS wait`,
    { subject, most: mostPerHour },
  )) as { rows: [{ admitted: boolean; wait: number }] };
  const [{ admitted, wait }] = rows;
  return { admitted, retryAfter: admitted ? 0 : Math.max(1, wait) };
}

/** For who turned out to be right: the mistakes before do not count any more. */
export async function forgetAttempts(db: Database, subject: string): Promise<void> {
  await db('request_windows').where({ subject }).delete();
}
