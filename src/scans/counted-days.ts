import type { Database } from '../store/database.ts';
import { inIndexOrder } from './in-index-order.ts';

/** The codes that have scans or counters, ordered by id. */
export async function codesWithScans(
  db: Database,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { rows } = (await db.raw(
    `SELECT id FROM qr_codes AS code
     WHERE (CAST(:after AS uuid) IS NULL OR id > :after)
       AND (EXISTS (SELECT FROM scans WHERE qr_code_id = code.id)
         OR EXISTS (SELECT FROM scan_counters WHERE qr_code_id = code.id))
     ORDER BY id LIMIT :limit`,
    { after: after ?? null, limit },
  )) as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}

/** Consecutive UTC days of a code with few enough scans to be compared quickly. */
export interface DaySpan {
  first: string;
  last: string;
  days: number;
}

/** Scans that one statement counts, in a fraction of a second. */
export const scansPerStep = 50_000;

/** The UTC days on which a code has scans or counters, in spans. Not the days whose raw scans were dropped. */
export async function countedSpans(db: Database, codeId: string): Promise<DaySpan[]> {
  const spans: (DaySpan & { scans: number })[] = [];
  for (const { day, scans } of await countedDays(db, codeId)) {
    const span = spans.at(-1);
    if (span && span.scans + scans <= scansPerStep) {
      span.last = day;
      span.days += 1;
      span.scans += scans;
    } else spans.push({ first: day, last: day, days: 1, scans });
  }
  return spans;
}

const countedDaysSql = `
  WITH RECURSIVE scanned AS (
    (SELECT (scanned_at AT TIME ZONE 'UTC')::date AS day FROM scans WHERE qr_code_id = :codeId ORDER BY id LIMIT 1)
    UNION ALL
    SELECT (SELECT (scanned_at AT TIME ZONE 'UTC')::date FROM scans
            WHERE qr_code_id = :codeId AND id >= ${dayStart('scanned.day + 1')} ORDER BY id LIMIT 1)
    FROM scanned WHERE scanned.day IS NOT NULL
  ), counted AS (
    SELECT day, coalesce(sum(count) FILTER (WHERE dimension = 'total'), 0)::bigint AS scans
    FROM scan_counters WHERE qr_code_id = :codeId GROUP BY day
  )
  SELECT day, coalesce(scans, 0) AS scans
  FROM (SELECT day FROM scanned WHERE day IS NOT NULL) AS scanned FULL JOIN counted USING (day)
  WHERE day >= coalesce((SELECT (kept_from AT TIME ZONE 'UTC')::date FROM scan_horizon), '-infinity')
  ORDER BY day`;

/** The number of scans comes from the counters, and may be wrong. */
async function countedDays(db: Database, codeId: string): Promise<{ day: string; scans: number }[]> {
  const { rows } = (await inIndexOrder(db, (transaction) => transaction.raw(countedDaysSql, { codeId }))) as {
    rows: { day: string; scans: number }[];
  };
  return rows;
}

/** The smallest id that a scan of this day can have, because ids begin with their time. */
export function dayStart(day: string): string {
  return `CAST(lpad(to_hex((extract(epoch FROM ${day}) * 1000)::bigint), 12, '0') || repeat('0', 20) AS uuid)`;
}
