import type { Database } from '../store/database.ts';
import { dimensionValuesSql } from './dimensions.ts';

/** A counter that is not what the raw scans say; a count of 0 stands for a row that is not there. */
export interface CounterDifference {
  codeId: string;
  dimension: string;
  day: string;
  value: string;
  counted: number;
  actual: number;
}

/** Every code that has scans or counters, in order of their ids. */
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

/** The counters as they should be, from the raw scans of `source`. */
const recount = (source: string) => `
  SELECT qr_code_id, name AS dimension, (scanned_at AT TIME ZONE 'UTC')::date AS day, value, count(*) AS count
  FROM ${source} CROSS JOIN LATERAL (${dimensionValuesSql}) AS dimension (name, value)
  WHERE value IS NOT NULL
  GROUP BY 1, 2, 3, 4`;

/** One statement sees scans and counters of one moment: they are written together, so scans that arrive do not matter. */
export async function verifyCounters(db: Database, codeId: string): Promise<CounterDifference[]> {
  const { rows } = (await db.raw(
    `WITH actual AS (${recount('(SELECT * FROM scans WHERE qr_code_id = :codeId) AS raw')}),
          counted AS (SELECT * FROM scan_counters WHERE qr_code_id = :codeId)
     SELECT :codeId AS "codeId", dimension, day, value,
            coalesce(counted.count, 0) AS counted, coalesce(actual.count, 0) AS actual
     FROM actual FULL JOIN counted USING (dimension, day, value)
     WHERE counted.count IS DISTINCT FROM actual.count
     ORDER BY dimension, day, value`,
    { codeId },
  )) as { rows: CounterDifference[] };
  return rows;
}

/** The UTC days on which a code has scans or counters. */
export async function countedDays(db: Database, codeId: string): Promise<string[]> {
  const { rows } = (await db.raw(
    `WITH RECURSIVE scanned AS (
       (SELECT (scanned_at AT TIME ZONE 'UTC')::date AS day FROM scans WHERE qr_code_id = :codeId ORDER BY id LIMIT 1)
       UNION ALL
       SELECT (SELECT (scanned_at AT TIME ZONE 'UTC')::date FROM scans
               WHERE qr_code_id = :codeId AND id >= ${dayStart('scanned.day + 1')} ORDER BY id LIMIT 1)
       FROM scanned WHERE scanned.day IS NOT NULL
     )
     SELECT day FROM scanned WHERE day IS NOT NULL
     UNION SELECT DISTINCT day FROM scan_counters WHERE qr_code_id = :codeId
     ORDER BY day`,
    { codeId },
  )) as { rows: { day: string }[] };
  return rows.map(({ day }) => day);
}

/** The smallest id that a scan of this day can have: ids begin with their millisecond. */
function dayStart(day: string): string {
  return `CAST(lpad(to_hex((extract(epoch FROM ${day}) * 1000)::bigint), 12, '0') || repeat('0', 20) AS uuid)`;
}

/**
 * Makes the counters of a code anew, a day at a time. Each day is one transaction that keeps recorders of this code waiting
 * for its short while; whoever reads meanwhile sees the day as it was or as it is.
 */
export async function rebuildDay(db: Database, codeId: string, day: string): Promise<void> {
  await db.transaction(async (trx) => {
    // Recorders hold the code's row FOR KEY SHARE while they write.
    await trx.raw('SELECT 1 FROM qr_codes WHERE id = ? FOR UPDATE', [codeId]);
    await trx('scan_counters').where({ qr_code_id: codeId, day }).delete();
    await trx.raw(
      `INSERT INTO scan_counters (qr_code_id, dimension, day, value, count)
       ${recount(`(SELECT * FROM scans WHERE qr_code_id = :codeId
         AND id >= ${dayStart('CAST(:day AS date)')} AND id < ${dayStart('CAST(:day AS date) + 1')}) AS raw`)}`,
      { codeId, day },
    );
  });
}
