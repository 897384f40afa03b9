import { addDays, localTime, startOfDay } from '../runtime/time-zone.ts';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { insertNotices, unlessKnown } from './notices.ts';
import type { Owner } from './owners.ts';

const fromHour = 8;
const maxTop = 5;

/** What a weekly notice has in `data`. */
export interface WeeklyData {
  /** The Monday after the week, in the owner's time zone. */
  monday: string;
  scans: number;
  /** In the week before. */
  before: number;
  top: { codeId: string; scans: number }[];
}

/** The Monday whose summary is due: from Monday morning until Tuesday night, where the owner is. */
export function dueMonday(now: Date, timeZone: string | null): string | undefined {
  const { date, hour, weekday } = localTime(now, timeZone);
  if (weekday === 0) return hour >= fromHour ? date : undefined;
  return weekday === 1 ? addDays(date, -1) : undefined;
}

/** The summary of the last week, for owners whose codes were scanned in it. */
export async function findWeeklySummaries(db: Database, owners: Owner[], now: Date): Promise<void> {
  for (const { id, timeZone } of owners) {
    const monday = dueMonday(now, timeZone);
    if (monday === undefined) continue;
    const known = (await db('notices')
      .where({ user_id: id, kind: 'weekly', fact: monday })
      .first('id')) as unknown;
    if (known) continue;
    const [before, start, end] = [-14, -7, 0].map((days) => startOfDay(addDays(monday, days), timeZone)) as [
      Date,
      Date,
      Date,
    ];
    const week = await countScans(db, id, start, end);
    const data: WeeklyData = {
      monday,
      scans: week.scans,
      before: (await countScans(db, id, before, start)).scans,
      top: week.top,
    };
    // Without scans, the fact is kept and not sent, so that it is not counted again.
    await db.raw(
      `${insertNotices.replace('retry_at)', 'retry_at, claimed_at)')}
       VALUES (:id, 'weekly', :monday, NULL, :data, :now, :now, :claimedAt) ${unlessKnown}`,
      { id, monday, data: JSON.stringify(data), now, claimedAt: week.scans === 0 ? now : null } as never,
    );
  }
}

/**
 * Scans of all codes of an owner from one moment until another. Whole UTC days come from the counters; only the hours
 * before and after them, which differ by time zone, are counted one by one.
 */
async function countScans(
  db: Database,
  ownerId: string,
  from: Date,
  until: Date,
): Promise<Pick<WeeklyData, 'scans' | 'top'>> {
  const firstDay = new Date(Math.ceil(from.getTime() / dayMs) * dayMs);
  const lastDay = new Date(Math.floor(until.getTime() / dayMs) * dayMs);
  const { rows } = (await db.raw(
    `WITH code AS MATERIALIZED (SELECT id FROM qr_codes WHERE user_id = :ownerId),
     counted AS (
       SELECT qr_code_id, count FROM scan_counters
       WHERE qr_code_id IN (SELECT id FROM code) AND dimension = 'total' AND day >= :firstDay AND day < :lastDay
       UNION ALL
       SELECT qr_code_id, count(*) FROM scans
       WHERE qr_code_id IN (SELECT id FROM code) AND id >= :from AND id < :firstDayId GROUP BY 1
       UNION ALL
       SELECT qr_code_id, count(*) FROM scans
       WHERE qr_code_id IN (SELECT id FROM code) AND id >= :lastDayId AND id < :until GROUP BY 1
     )
     SELECT qr_code_id AS "codeId", sum(count)::bigint AS scans, (sum(sum(count)) OVER ())::bigint AS total
     FROM counted GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxTop}`,
    {
      ownerId,
      firstDay: firstDay.toISOString().slice(0, 10),
      lastDay: lastDay.toISOString().slice(0, 10),
      from: firstIdAt(from),
      firstDayId: firstIdAt(firstDay),
      lastDayId: firstIdAt(lastDay),
      until: firstIdAt(until),
    },
  )) as { rows: { codeId: string; scans: number; total: number }[] };
  return {
    scans: rows[0]?.total ?? 0,
    top: rows.map(({ codeId, scans }) => ({ codeId, scans })),
  };
}
