import type { Database } from '../store/database.ts';
import { dayStart, scansPerStep } from './counted-days.ts';

const candidates = 50;

/** The newest codes that were scanned since a UTC day, without those that take long to count. */
export async function sampleScannedCodes(db: Database, since: string, limit: number): Promise<string[]> {
  const { rows } = (await db.raw(
    `WITH RECURSIVE scanned AS (
       (SELECT qr_code_id AS id, 1 AS number FROM scans WHERE id >= ${dayStart('CAST(:since AS date)')}
        ORDER BY qr_code_id DESC LIMIT 1)
       UNION ALL
       SELECT (SELECT qr_code_id FROM scans WHERE id >= ${dayStart('CAST(:since AS date)')} AND qr_code_id < scanned.id
               ORDER BY qr_code_id DESC LIMIT 1), number + 1
       FROM scanned WHERE scanned.id IS NOT NULL AND number < ${candidates}
     )
     SELECT id FROM scanned
     WHERE id IS NOT NULL AND (SELECT coalesce(sum(count), 0) FROM scan_counters
       WHERE qr_code_id = scanned.id AND dimension = 'total' AND day >= CAST(:since AS date)) <= ${scansPerStep}
     LIMIT :limit`,
    { since, limit },
  )) as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}
