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
