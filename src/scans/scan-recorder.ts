import { LRUCache } from 'lru-cache';
import type { Database } from '../store/database.ts';
import { clientControlledColumns } from './dimensions.ts';
import { type Recorded, recordScans } from './record-scans.ts';
import type { ScanRow } from './scan.ts';

/** Distinct values of a client-controlled column that are counted per code and day; `Other` is the last of them. */
const maxValues = 200;
export const otherValue = 'Other';

/** The values that are counted for a code on a day, so far. */
type Values = Record<(typeof clientControlledColumns)[number], Set<string>>;

export type ScanRecorder = (rows: ScanRow[]) => Promise<Recorded>;

/**
 * Records scans, and limits the number of counters: once a code has that many browsers or systems in a day, further ones
 * become `Other`, in the scan as in the counters. Scans with values that are counted already are recorded in one
 * statement; new values are admitted in a transaction, one worker at a time.
 */
export function createScanRecorder(db: Database): ScanRecorder {
  const known = new LRUCache<string, Values>({ max: 5_000 });

  const hasNewValue = (row: ScanRow) => {
    const values = known.get(dayOf(row));
    return (
      !values ||
      clientControlledColumns.some((field) => !isFull(values[field]) && !values[field].has(row[field]))
    );
  };

  return async (rows) => {
    const withNewValues = rows.filter(hasNewValue);
    if (withNewValues.length === 0)
      return recordScans(
        db,
        rows.map((row) => limit(row, known.get(dayOf(row)))),
      );
    const admitted = new Map<string, Values>();
    const recorded = await db.transaction(async (transaction) => {
      const locked = await lockCodes(transaction, withNewValues);
      const free = (row: ScanRow) => !locked.has(row.qrCodeId);
      for (const [day, values] of await readValues(transaction, withNewValues.filter(free)))
        admitted.set(day, values);
      const result = await recordScans(
        transaction,
        rows.filter(free).map((row) => admit(row, admitted.get(dayOf(row)) ?? known.get(dayOf(row)))),
      );
      return { ...result, lockedCodes: [...locked, ...result.lockedCodes] };
    });
    // Only after the commit: values that were rolled back are not counted.
    for (const [day, values] of admitted) known.set(day, values);
    return recorded;
  };
}

function isFull(values: Set<string>): boolean {
  return values.size - (values.has(otherValue) ? 1 : 0) >= maxValues - 1;
}

function limit(row: ScanRow, values: Values | undefined): ScanRow {
  if (!values || clientControlledColumns.every((field) => values[field].has(row[field]))) return row;
  const limited = { ...row };
  for (const field of clientControlledColumns)
    if (!values[field].has(row[field])) limited[field] = otherValue;
  return limited;
}

/** Adds the values of a scan as long as there is room. */
function admit(row: ScanRow, values: Values | undefined): ScanRow {
  if (values)
    for (const field of clientControlledColumns) if (!isFull(values[field])) values[field].add(row[field]);
  return limit(row, values);
}

/**
 * Locks the codes, so that two workers do not both take the last free place for a value; workers without new values are
 * not blocked. Returns the codes that another transaction has locked: they are skipped.
 */
async function lockCodes(db: Database, rows: ScanRow[]): Promise<Set<string>> {
  const ids = [...new Set(rows.map((row) => row.qrCodeId))];
  const { rows: locked } = (await db.raw(
    `WITH held AS MATERIALIZED (
       SELECT id FROM qr_codes WHERE id = ANY(CAST(:ids AS uuid[])) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     )
     SELECT id FROM qr_codes WHERE id = ANY(CAST(:ids AS uuid[])) AND NOT EXISTS (SELECT FROM held WHERE held.id = qr_codes.id)`,
    { ids },
  )) as { rows: { id: string }[] };
  return new Set(locked.map(({ id }) => id));
}

async function readValues(db: Database, rows: ScanRow[]): Promise<Map<string, Values>> {
  const days = new Map(rows.map((row) => [dayOf(row), row]));
  const found = new Map([...days.keys()].map((day): [string, Values] => [day, noValues()]));
  const { rows: counted } = (await db.raw(
    `SELECT qr_code_id || ' ' || day AS "dayKey", dimension, value
     FROM unnest(CAST(:codes AS uuid[]), CAST(:days AS date[])) AS wanted (qr_code_id, day)
     JOIN scan_counters USING (qr_code_id, day)
     WHERE dimension = ANY(:dimensions)`,
    {
      codes: [...days.values()].map((row) => row.qrCodeId),
      days: [...days.values()].map(({ scannedAt }) => utcDay(scannedAt)),
      dimensions: clientControlledColumns,
    },
  )) as { rows: { dayKey: string; dimension: keyof Values; value: string }[] };
  for (const { dayKey, dimension, value } of counted) found.get(dayKey)?.[dimension].add(value);
  return found;
}

function noValues(): Values {
  return Object.fromEntries(clientControlledColumns.map((name) => [name, new Set<string>()])) as Values;
}

function dayOf({ qrCodeId, scannedAt }: ScanRow): string {
  return `${qrCodeId} ${utcDay(scannedAt)}`;
}

function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
