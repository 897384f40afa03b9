import type { Database } from '../../src/store/database.ts';

/** Under what name the requests of a key are kept. */
export async function subjectOf(db: Database, key: string): Promise<string> {
  const row = (await db('api_keys')
    .where({ prefix: key.split('_')[1] })
    .first('id')) as { id: string };
  return `key:${row.id}`;
}

/** The moments of the recorded requests, Unix time in seconds, oldest first. */
export async function recordedRequests(db: Database, subject: string): Promise<number[]> {
  const { rows } = (await db.raw(
    `SELECT extract(epoch FROM t)::float8 AS moment FROM request_windows, unnest(recent) AS t
     WHERE subject = ? ORDER BY t`,
    [subject],
  )) as { rows: { moment: number }[] };
  return rows.map(({ moment }) => moment);
}

/** Moves the oldest recorded requests into the past, as if that much time had gone by since. */
export async function ageRequests(
  db: Database,
  subject: string,
  { bySeconds, oldest = 1_000 }: { bySeconds: number; oldest?: number },
): Promise<void> {
  await db.raw(
    `UPDATE request_windows SET recent = (
       SELECT array_agg(CASE WHEN place <= ? THEN t - make_interval(secs => ?) ELSE t END ORDER BY place)
       FROM unnest(recent) WITH ORDINALITY AS r (t, place)
     ) WHERE subject = ?`,
    [oldest, bySeconds, subject],
  );
}

/** Says when the oldest recorded request was made, in SQL. */
export async function setOldestRequest(db: Database, subject: string, sql: string): Promise<void> {
  await db.raw(`UPDATE request_windows SET recent[1] = ${sql} WHERE subject = ?`, [subject]);
}
