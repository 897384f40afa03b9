import type { Database } from '../store/database.ts';
import { lastDates } from './analytics.ts';

/** Scans per day of the last `days` UTC days, today last, by code. The map has no entry for a code without scans. */
export async function readDailyScans(
  db: Database,
  codeIds: string[],
  days: number,
  now: Date,
): Promise<Map<string, number[]>> {
  const dates = lastDates(days, now);
  const rows = (await db('scan_counters')
    .where({ dimension: 'total' })
    .whereIn('qr_code_id', codeIds)
    .whereBetween('day', [dates[0] ?? '', dates.at(-1) ?? ''])
    .groupBy('qr_code_id', 'day')
    .select('qr_code_id as id', db.raw('day::text as day'), db.raw('sum(count)::bigint as count'))) as {
    id: string;
    day: string;
    count: number;
  }[];
  const scans = new Map<string, number[]>();
  for (const { id, day, count } of rows) {
    const ofCode = scans.get(id) ?? dates.map(() => 0);
    ofCode[dates.indexOf(day)] = count;
    scans.set(id, ofCode);
  }
  return scans;
}

/** Scans of all codes of an account, per day of the last `days` UTC days, today last. */
export async function readAccountScans(
  db: Database,
  ownerId: string,
  days: number,
  now: Date,
): Promise<{ date: string; scans: number }[]> {
  const dates = lastDates(days, now);
  const { rows } = (await db.raw(
    `SELECT day::text AS day, sum(count)::bigint AS count FROM scan_counters
     WHERE qr_code_id IN (SELECT id FROM qr_codes WHERE user_id = :ownerId) AND dimension = 'total'
       AND day BETWEEN :from AND :to
     GROUP BY 1`,
    { ownerId, from: dates[0], to: dates.at(-1) } as never,
  )) as { rows: { day: string; count: number }[] };
  const scansOn = new Map(rows.map(({ day, count }) => [day, count]));
  return dates.map((date) => ({ date, scans: scansOn.get(date) ?? 0 }));
}
