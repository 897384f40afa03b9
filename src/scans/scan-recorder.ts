import { LRUCache } from 'lru-cache';
import type { Database } from '../store/database.ts';
import { type Recorded, recordScans } from './record-scans.ts';
import type { ScanRow } from './scan.ts';

/** What a scanner can make up: they come out of its user agent. Devices are a fixed list, and places are real ones. */
const clientControlled = ['browser', 'os'] as const;
/** Distinct values of each that one code is counted by on one day; `Other` is the last of them. */
const mostValues = 200;
export const otherValue = 'Other';

/** The values that a code is counted by on a day, so far. */
type Values = Record<(typeof clientControlled)[number], Set<string>>;

export type ScanRecorder = (rows: ScanRow[]) => Promise<Recorded>;

/**
 * Records scans, and bounds the counters that they make: once a code has been scanned by that many kinds of browsers or
 * systems in a day, further ones are `Other`, in the scan as in the counters. What is known to be counted already is
 * recorded without a question; new values are judged in a transaction that other recorders of new values wait for.
 */
export function createScanRecorder(db: Database): ScanRecorder {
  const known = new LRUCache<string, Values>({ max: 5_000 });

  const hasNews = (row: ScanRow) => {
    const values = known.get(dayOf(row));
    return (
      !values || clientControlled.some((field) => !isFull(values[field]) && !values[field].has(row[field]))
    );
  };

  return async (rows) => {
    const news = rows.filter(hasNews);
    if (news.length === 0)
      return recordScans(
        db,
        rows.map((row) => bound(row, known.get(dayOf(row)))),
      );
    const judged = new Map<string, Values>();
    const recorded = await db.transaction(async (transaction) => {
      const locked = await holdCodes(transaction, news);
      const free = (row: ScanRow) => !locked.has(row.qrCodeId);
      for (const [day, values] of await readValues(transaction, news.filter(free))) judged.set(day, values);
      const result = await recordScans(
        transaction,
        rows.filter(free).map((row) => admit(row, judged.get(dayOf(row)) ?? known.get(dayOf(row)))),
      );
      return { ...result, lockedCodes: [...locked, ...result.lockedCodes] };
    });
    // Not before: what was rolled back is not counted.
    for (const [day, values] of judged) known.set(day, values);
    return recorded;
  };
}

function isFull(values: Set<string>): boolean {
  return values.size - (values.has(otherValue) ? 1 : 0) >= mostValues - 1;
}

function bound(row: ScanRow, values: Values | undefined): ScanRow {
  if (!values || clientControlled.every((field) => values[field].has(row[field]))) return row;
  const bounded = { ...row };
  for (const field of clientControlled) if (!values[field].has(row[field])) bounded[field] = otherValue;
  return bounded;
}

/** Takes in the values of a scan for which there is room. */
function admit(row: ScanRow, values: Values | undefined): ScanRow {
  if (values) for (const field of clientControlled) if (!isFull(values[field])) values[field].add(row[field]);
  return bound(row, values);
}

/**
 * Holds the codes, so that two recorders do not both take the last free place for a value; recorders without new values
 * are not held up. Returns the codes that somebody else holds: those are not waited for.
 */
async function holdCodes(db: Database, rows: ScanRow[]): Promise<Set<string>> {
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
     FROM unnest(CAST(:codes AS uuid[]), CAST(:days AS date[])) AS asked (qr_code_id, day)
     JOIN scan_counters USING (qr_code_id, day)
     WHERE dimension = ANY(:dimensions)`,
    {
      codes: [...days.values()].map((row) => row.qrCodeId),
      days: [...days.values()].map(({ scannedAt }) => utcDay(scannedAt)),
      dimensions: [...clientControlled],
    },
  )) as { rows: { dayKey: string; dimension: keyof Values; value: string }[] };
  for (const { dayKey, dimension, value } of counted) found.get(dayKey)?.[dimension].add(value);
  return found;
}

function noValues(): Values {
  return { browser: new Set(), os: new Set() };
}

function dayOf({ qrCodeId, scannedAt }: ScanRow): string {
  return `${qrCodeId} ${utcDay(scannedAt)}`;
}

function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
