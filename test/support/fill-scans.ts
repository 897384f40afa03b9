import type { Database } from '../../src/store/database.ts';

/** Adds scans of the last `days` days to a code, and their totals, in one statement per 500,000. */
export async function fillScans(db: Database, codeId: string, scans: number, days: number): Promise<void> {
  const step = 500_000;
  for (let from = 0; from < scans; from += step) {
    await db.raw(
      `WITH filled AS (
         INSERT INTO scans (id, qr_code_id, scanned_at, country, device, browser, os)
         SELECT CAST(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0') AS uuid),
                CAST(:codeId AS uuid), at, 'DE', 'mobile', 'Mobile Safari', 'iOS'
         FROM generate_series(CAST(:from AS bigint) + 1, CAST(:to AS bigint)) AS n,
              LATERAL (SELECT date_trunc('milliseconds', now() - (n % :days) * interval '1 day' - (n % 80000) * interval '1 ms') AS at) AS moment
         RETURNING scanned_at
       )
       INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
       SELECT CAST(:codeId AS uuid), 'total', (scanned_at AT TIME ZONE 'UTC')::date, '', count(*) FROM filled GROUP BY 3
       ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count`,
      { codeId, from, to: Math.min(from + step, scans), days },
    );
  }
}
