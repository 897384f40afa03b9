import { Model, snakeCaseMappers } from 'objection';
import { type Database, queryPrepared } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import {
  type ColumnName,
  columnNames,
  dimensionValues,
  dimensionValuesSql,
  unknownValues,
} from './dimensions.ts';
import { utcDay } from './scan-id.ts';

export const unknownCountry = unknownValues.country;

export const deviceClasses = [
  'mobile',
  'tablet',
  'desktop',
  'smarttv',
  'wearable',
  'console',
  'embedded',
  'unknown',
] as const;
export type DeviceClass = (typeof deviceClasses)[number];

/** A scan as it is in the table: every column, nothing else. */
export interface ScanRow extends Record<ColumnName, string> {
  id: string;
  qrCodeId: string;
  scannedAt: Date;
  device: DeviceClass;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
}

export interface Recorded {
  /** Scans that were new. */
  recorded: number;
  /** Scans whose code exists: new, or delivered before. */
  known: number;
  /** Codes that end by `dueBy` without a chosen end: their scans may renew them. Missing if there are none. */
  dueCodes?: string[];
  /** Webhook endpoints select some of the codes. Missing if none does. */
  hasEndpoints?: true;
}

/** Selects as `ScanRow`. Nobody else writes to `scans`; scans are counted, and wait for webhooks, by the same statement. */
export class Scan extends Model {
  static override tableName = 'scans';
  static override columnNameMappers = snakeCaseMappers();

  /** One statement, and so one transaction: new scans go into the table and into every counter, or none do. */
  static async record(db: Database, rows: ScanRow[], dueBy: Date | null = null): Promise<Recorded> {
    const values = fields.map((field) => rows.map((row) => row[field]));
    const codeIds = [...new Set(rows.map((row) => row.qrCodeId))];
    const given = [...values, codeIds, dueBy, ...countScans(rows)];
    const [result] = await queryPrepared<RecordResult>(db, recordStatement, given);
    const { recorded = 0, existingCodes = [], dueCodes = null, hasEndpoints = false } = result ?? {};
    const rest = { ...(hasEndpoints && { hasEndpoints }), ...(dueCodes && { dueCodes }) };
    if (existingCodes === null) return { recorded, known: recorded, ...rest };
    const existing = new Set(existingCodes);
    return { recorded, known: rows.filter((row) => existing.has(row.qrCodeId)).length, ...rest };
  }

  /** Deletes the next scans of a code, by id. Returns how many, and the id of the last one. */
  static async deleteNext(
    db: Database,
    codeId: string,
    { after, limit }: { after: string; limit: number },
  ): Promise<{ count: number; last: string | null }> {
    const { rows } = (await inIndexOrder(db, (transaction) =>
      transaction.raw(deleteStatement, { codeId, after, limit }),
    )) as { rows: [{ count: number; last: string | null }] };
    return rows[0];
  }
}

interface RecordResult {
  recorded: number;
  existingCodes: string[] | null;
  dueCodes: string[] | null;
  hasEndpoints: boolean;
}

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
// Ids of new scans wait for the next call of each subscribed webhook endpoint: one row per code and endpoint.
// Sorted, so that two workers lock scans and counter rows in the same order.
const recordStatement = {
  name: 'record scans',
  text: `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${arrays}) AS given (${columnList})
  ), code AS MATERIALIZED (
    SELECT id, user_id, category, expires_at <= CAST($${due} AS timestamptz)
      AND expires_at = COALESCE(default_expires_at, expires_at) AS "isDue"
    FROM qr_codes WHERE id = ANY(CAST($${codes} AS uuid[]))
  ), subscribed AS MATERIALIZED (
    SELECT code.id, endpoint.id AS endpoint_id
    FROM code JOIN webhook_endpoints AS endpoint ON endpoint.user_id = code.user_id
    WHERE endpoint.is_enabled AND 'scan.recorded' = ANY(endpoint.events)
      AND webhook_selects(endpoint, code.id, code.category)
  ), fresh AS (
    INSERT INTO scans (${columnList})
    SELECT given.* FROM given JOIN code ON code.id = given.qr_code_id
    ORDER BY given.qr_code_id, given.id
    ON CONFLICT DO NOTHING
    RETURNING qr_code_id, id
  ), notified AS (
    INSERT INTO webhook_scans (endpoint_id, qr_code_id, scan_ids)
    SELECT endpoint_id, fresh.qr_code_id, array_agg(fresh.id)
    FROM fresh JOIN subscribed ON subscribed.id = fresh.qr_code_id
    WHERE EXISTS (SELECT FROM subscribed)
    GROUP BY 1, 2
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
    (SELECT array_agg(id)::text[] FROM code WHERE "isDue") AS "dueCodes",
    EXISTS (SELECT FROM subscribed) AS "hasEndpoints"
  FROM outcome`,
};

const deleteStatement = `
  WITH page AS MATERIALIZED (
    SELECT id FROM scans WHERE qr_code_id = :codeId AND id > :after ORDER BY id LIMIT :limit
  ), deleted AS (
    DELETE FROM scans
    WHERE qr_code_id = :codeId AND id > :after AND id <= (SELECT id FROM page ORDER BY id DESC LIMIT 1)
  )
  SELECT (SELECT count(*) FROM page) AS count, (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last`;

/** One entry per counter, in parallel arrays: code, dimension, day, value and count. */
type Counts = [string[], string[], string[], string[], number[]];

/** The counts that these scans add if all of them are new. */
function countScans(rows: ScanRow[]): Counts {
  const counts: Counts = [[], [], [], [], []];
  const [codeIds, dimensions, days, values, numbers] = counts;
  for (const [key, byDimension] of countByCodeAndDay(rows)) {
    const [codeId = '', day = ''] = key.split(' ');
    for (const [index, byValue] of byDimension.entries()) {
      for (const [value, count] of byValue) {
        codeIds.push(codeId);
        dimensions.push(dimensionValues[index]?.name ?? '');
        days.push(day);
        values.push(value);
        numbers.push(count);
      }
    }
  }
  return counts;
}

/** By `code day`, then by dimension in the order of the list, then by value. */
function countByCodeAndDay(rows: ScanRow[]): Map<string, Map<string, number>[]> {
  const counted = new Map<string, Map<string, number>[]>();
  for (const row of rows) {
    const key = `${row.qrCodeId} ${utcDay(row.scannedAt)}`;
    let byDimension = counted.get(key);
    if (!byDimension) {
      byDimension = dimensionValues.map(() => new Map<string, number>());
      counted.set(key, byDimension);
    }
    for (const [index, byValue] of byDimension.entries()) {
      const value = dimensionValues[index]?.compute(row) ?? null;
      if (value !== null) byValue.set(value, (byValue.get(value) ?? 0) + 1);
    }
  }
  return counted;
}

/** Newest first, because a scan's id begins with its time. `to` is not part of the period. Returns up to `limit + 1` scans: one more means that there is a next page. */
export async function listScans(
  db: Database,
  codeId: string,
  page: { limit: number; cursor?: string | undefined; from?: Date; to?: Date },
): Promise<ScanRow[]> {
  return inIndexOrder(db, async (transaction) => {
    const query = Scan.query(transaction)
      .where({ qr_code_id: codeId })
      .orderBy('id', 'desc')
      .limit(page.limit + 1);
    if (page.cursor !== undefined) query.where('id', '<', page.cursor);
    if (page.from) query.where('id', '>=', firstIdAt(page.from));
    if (page.to) query.where('id', '<', firstIdAt(page.to));
    return (await query) as unknown as ScanRow[];
  });
}

/**
 * Reads the next scans of a code from where the last read ended, without reading all that follow. Postgres would do that, and
 * sort them, where its statistics do not know how many scans the code has: after a restore, or while a new code is scanned
 * by many at once.
 */
export function inIndexOrder<Result>(
  db: Database,
  read: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    await forbidSorting(transaction);
    return read(transaction);
  });
}

/**
 * For the rest of the transaction. Before PostgreSQL 18, a plan that sorts all the same, if only one row, seems to cost ten
 * billion, and is compiled before it runs, which takes longer than anything that we do.
 */
export async function forbidSorting(transaction: Database): Promise<void> {
  await transaction.raw("SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true)");
}

/** Columns of CSV files with scans, in this order. */
export const scanCsvColumns = [
  'id',
  'scannedAt',
  'country',
  'region',
  'city',
  'latitude',
  'longitude',
  ...columnNames.filter((name) => name !== 'country'),
] as const satisfies (keyof ScanRow)[];

/** Fields that the API and webhooks return, in this order. A new dimension is added by itself. */
export const publicFields = [
  'id',
  'qrCodeId',
  'country',
  'city',
  ...columnNames.filter((name) => name !== 'country'),
  'latitude',
  'longitude',
  'scannedAt',
] as const satisfies (keyof ScanRow)[];

const publicColumns = publicFields.map(
  (field) => `scan.${Scan.propertyNameToColumnName(field)} AS "${field}"`,
);

/** The public fields of scans, in the given order. Those of deleted codes, also in the trash, and past their retention, are missing. */
export async function findScans(
  db: Database,
  { codeIds, ids }: { codeIds: string[]; ids: string[] },
): Promise<Pick<ScanRow, (typeof publicFields)[number]>[]> {
  const { rows } = (await db.raw(
    `SELECT ${publicColumns.join(', ')}
     FROM unnest(CAST(:codeIds AS uuid[]), CAST(:ids AS uuid[])) WITH ORDINALITY AS sent (code_id, scan_id, position)
     JOIN scans AS scan ON scan.qr_code_id = sent.code_id AND scan.id = sent.scan_id
     JOIN qr_codes AS code ON code.id = sent.code_id AND code.user_id IS NOT NULL
     ORDER BY sent.position`,
    { codeIds, ids },
  )) as { rows: Pick<ScanRow, (typeof publicFields)[number]>[] };
  return rows;
}
