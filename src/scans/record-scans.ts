import { type Database, queryPrepared } from '../store/database.ts';
import { countScans } from './count-scans.ts';
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

const codes = fields.length + 1;
const due = codes + 1;
const counters = (column: number, type: string) => `CAST($${due + column} AS ${type}[])`;

// Inserts scans that are new and whose code exists. Usually those are all of them, and the counts that came with them are
// right. If some were delivered before or belong to a deleted code, the new ones are counted here.
// Sorted, so that two workers lock scans and counter rows in the same order.
const statement = {
  name: 'record scans',
  text: `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${arrays}) AS given (${columnList})
  ), code AS MATERIALIZED (
    SELECT id, expires_at <= CAST($${due} AS timestamptz)
      AND expires_at = COALESCE(default_expires_at, expires_at) AS "isDue"
    FROM qr_codes WHERE id = ANY(CAST($${codes} AS uuid[]))
  ), fresh AS (
    INSERT INTO scans (${columnList})
    SELECT given.* FROM given JOIN code ON code.id = given.qr_code_id
    ORDER BY given.qr_code_id, given.id
    ON CONFLICT DO NOTHING
    RETURNING qr_code_id, id
  ), outcome AS MATERIALIZED (
    SELECT count(*) AS recorded, count(*) = (SELECT count(*) FROM given) AS "allNew" FROM fresh
  ), counted AS (
    INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
    SELECT * FROM unnest(
      ${counters(1, 'uuid')}, ${counters(2, 'text')}, ${counters(3, 'date')}, ${counters(4, 'text')}, ${counters(5, 'bigint')}
    ) AS counts (qr_code_id, dimension, day, value, count)
    WHERE (SELECT "allNew" FROM outcome)
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count
  ), "countedNew" AS (
    INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
    SELECT qr_code_id, name, (scanned_at AT TIME ZONE 'UTC')::date, dimension.value, count(*)
    FROM (SELECT DISTINCT ON (qr_code_id, id) * FROM given JOIN fresh USING (qr_code_id, id)) AS scan
    CROSS JOIN LATERAL (${dimensionValuesSql}) AS dimension (name, value)
    WHERE NOT (SELECT "allNew" FROM outcome) AND dimension.value IS NOT NULL
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count
  )
  SELECT recorded, CASE WHEN "allNew" THEN NULL ELSE ARRAY(SELECT id FROM code)::text[] END AS "existingCodes",
    (SELECT array_agg(id)::text[] FROM code WHERE "isDue") AS "dueCodes"
  FROM outcome`,
};

export interface Recorded {
  /** Scans that were new. */
  recorded: number;
  /** Scans whose code exists: new, or delivered before. */
  known: number;
  /** Codes that end by `dueBy` without a chosen end: their scans may renew them. Missing if there are none. */
  dueCodes?: string[];
}

interface Row {
  recorded: number;
  existingCodes: string[] | null;
  dueCodes: string[] | null;
}

/** One statement, and so one transaction: new scans go into the table and into every counter, or none do. */
export async function recordScans(
  db: Database,
  rows: ScanRow[],
  dueBy: Date | null = null,
): Promise<Recorded> {
  const values = fields.map((field) => rows.map((row) => row[field]));
  const codeIds = [...new Set(rows.map((row) => row.qrCodeId))];
  const [result] = await queryPrepared<Row>(db, statement, [...values, codeIds, dueBy, ...countScans(rows)]);
  const { recorded = 0, existingCodes = [], dueCodes = null } = result ?? {};
  const renewable = dueCodes ? { dueCodes } : {};
  if (existingCodes === null) return { recorded, known: recorded, ...renewable };
  const existing = new Set(existingCodes);
  return { recorded, known: rows.filter((row) => existing.has(row.qrCodeId)).length, ...renewable };
}
