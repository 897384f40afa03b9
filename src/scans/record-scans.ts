import { type Database, queryPrepared } from '../store/database.ts';
import { dimensionValuesSql } from './dimensions.ts';
import { Scan, type ScanRow } from './scan.ts';

/** The columns of a scan with their array types, in the order of the statement. */
const columns = {
  id: 'uuid',
  qrCodeId: 'uuid',
  scannedAt: 'timestamptz',
  country: 'text',
  region: 'text',
  city: 'text',
  latitude: 'float8',
  longitude: 'float8',
  device: 'text',
  browser: 'text',
  os: 'text',
} as const satisfies Record<keyof ScanRow, string>;

const fields = Object.keys(columns) as (keyof ScanRow)[];
const columnList = fields.map((field) => Scan.propertyNameToColumnName(field)).join(', ');
const arrays = fields.map((field, index) => `CAST($${index + 1} AS ${columns[field]}[])`).join(', ');

// Only the scans that were really inserted are counted: one delivered before is in the table already, and one whose
// code was deleted meanwhile finds no code. A code that somebody has locked, to delete it, is skipped, not waited for.
// Sorted twice, so that two workers lock scans and counter rows in one order.
const record = {
  name: 'record scans',
  text: `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${arrays}) AS given (${columnList})
  ), existing AS MATERIALIZED (
    SELECT id FROM qr_codes WHERE id = ANY(CAST($${fields.length + 1} AS uuid[]))
  ), code AS MATERIALIZED (
    SELECT id FROM qr_codes WHERE id = ANY(CAST($${fields.length + 1} AS uuid[])) ORDER BY id FOR KEY SHARE SKIP LOCKED
  ), fresh AS (
    INSERT INTO scans (${columnList})
    SELECT given.* FROM given JOIN code ON code.id = given.qr_code_id
    ORDER BY given.id
    ON CONFLICT (id) DO NOTHING
    RETURNING *
  ), counted AS (
    INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
    SELECT qr_code_id, name, (scanned_at AT TIME ZONE 'UTC')::date, value, count(*)
    FROM fresh CROSS JOIN LATERAL (${dimensionValuesSql}) AS dimension (name, value)
    WHERE value IS NOT NULL
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count
  )
  SELECT (SELECT count(*) FROM fresh) AS recorded,
         (SELECT count(*) FROM given JOIN code ON code.id = given.qr_code_id) AS known,
         ARRAY(SELECT id FROM existing EXCEPT SELECT id FROM code)::text[] AS "lockedCodes"`,
};

export interface Recorded {
  /** Scans that were new. */
  recorded: number;
  /** Scans whose code exists and was not locked: new, or delivered before. */
  known: number;
  /** Codes that are locked by somebody else; nothing of theirs was recorded. */
  lockedCodes: string[];
}

/** One statement, and so one transaction: the scans that are new go into the table and into every counter, or none do. */
export async function recordScans(db: Database, rows: ScanRow[]): Promise<Recorded> {
  const values = fields.map((field) => rows.map((row) => row[field]));
  const codeIds = [...new Set(rows.map((row) => row.qrCodeId))];
  const [answer] = await queryPrepared<Recorded>(db, record, [...values, codeIds]);
  return answer as Recorded;
}
