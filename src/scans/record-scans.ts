import { type Database, queryPrepared } from '../store/database.ts';
import { type ColumnName, columnNames, dimensionValuesSql } from './dimensions.ts';
import { Scan, type ScanRow } from './scan.ts';

/** The columns of a scan with their types, in the order of the statement. */
const columnTypes = {
  id: 'uuid',
  qrCodeId: 'uuid',
  scannedAt: 'timestamptz',
  region: 'text',
  city: 'text',
  latitude: 'float8',
  longitude: 'float8',
  ...(Object.fromEntries(columnNames.map((name) => [name, 'text'])) as Record<ColumnName, 'text'>),
} satisfies Record<keyof ScanRow, string>;

const fields = Object.keys(columnTypes) as (keyof ScanRow)[];
const columnList = fields.map((field) => Scan.propertyNameToColumnName(field)).join(', ');
const arrays = fields.map((field, index) => `CAST($${index + 1} AS ${columnTypes[field]}[])`).join(', ');

// Counts only the scans that were inserted: not those that were delivered before, nor those of a deleted code. Skips
// locked codes instead of waiting for them: they are being deleted.
// Sorted twice, so that two workers lock scans and counter rows in the same order.
const statement = {
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
  /** Codes that another transaction has locked; their scans were not recorded. */
  lockedCodes: string[];
}

/** One statement, and so one transaction: new scans go into the table and into every counter, or none do. */
export async function recordScans(db: Database, rows: ScanRow[]): Promise<Recorded> {
  const values = fields.map((field) => rows.map((row) => row[field]));
  const codeIds = [...new Set(rows.map((row) => row.qrCodeId))];
  const [result] = await queryPrepared<Recorded>(db, statement, [...values, codeIds]);
  return result as Recorded;
}
