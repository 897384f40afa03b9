import type { Database } from '../store/database.ts';

/** What is limited, such as an address that signs in, and how many attempts an hour it has. */
export interface AttemptLimit {
  subject: string;
  mostPerHour: number;
}

export interface Attempt {
  admitted: boolean;
  /** Seconds until the next one is admitted; at least 1 after a refusal. */
  retryAfter: number;
  /** Which one it is in its window, to give it back; by the database's clock, to the microsecond. */
  takenAt: string;
}

/**
 * Takes one of `mostPerHour` from the window of a subject. Judged under the lock of the window's row, like the requests of a
 * key: attempts that arrive together cannot slip through together.
 */
export async function takeAttempt(db: Database, { subject, mostPerHour }: AttemptLimit): Promise<Attempt> {
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
     RETURNING admitted, recent[cardinality(recent)]::text AS "takenAt",
               ceil(extract(epoch FROM recent[1] + interval '1 hour' - checked_at))::int AS wait`,
    { subject, most: mostPerHour },
  )) as { rows: [{ admitted: boolean; takenAt: string; wait: number }] };
  const [{ admitted, takenAt, wait }] = rows;
  return { admitted, takenAt, retryAfter: admitted ? 0 : Math.max(1, wait) };
}

/** For an attempt that was none after all: as if it had not been taken. The others stay. */
export async function giveBackAttempt(
  db: Database,
  { subject }: AttemptLimit,
  { takenAt }: Attempt,
): Promise<void> {
  await db.raw(
    `UPDATE request_windows SET recent = coalesce((
       SELECT array_agg(t ORDER BY t) FROM unnest(recent) WITH ORDINALITY AS r (t, place)
       WHERE place IS DISTINCT FROM array_position(recent, CAST(:takenAt AS timestamptz))
     ), '{}') WHERE subject = :subject`,
    { subject, takenAt },
  );
}

/** Seconds until all of them admit one again, or 0: asked without taking one, and without a write. */
export async function attemptDelay(db: Database, limits: AttemptLimit[]): Promise<number> {
  const { rows } = (await db.raw(
    `SELECT coalesce(max(ceil(extract(epoch FROM oldest + interval '1 hour' - now()))), 0)::int AS wait
     FROM unnest(CAST(:subjects AS text[]), CAST(:most AS int[])) AS asked (subject, most)
     JOIN request_windows AS w USING (subject),
     LATERAL (
       SELECT count(*) AS used, min(t) AS oldest FROM unnest(w.recent) AS t WHERE t > now() - interval '1 hour'
     ) AS live
     WHERE used >= most`,
    {
      subjects: limits.map(({ subject }) => subject),
      most: limits.map(({ mostPerHour }) => mostPerHour),
    },
  )) as { rows: [{ wait: number }] };
  return rows[0].wait;
}

/** For who turned out to be right: the mistakes before do not count any more. */
export async function forgetAttempts(db: Database, { subject }: AttemptLimit): Promise<void> {
  await db('request_windows').where({ subject }).delete();
}
