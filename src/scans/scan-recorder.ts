import { LRUCache } from 'lru-cache';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { clientControlledColumns } from './dimensions.ts';
import { createPartitions, isPartitionMissing } from './partitions.ts';
import { utcDay } from './scan-id.ts';
import { type Recorded, Scan, type ScanRow } from './scan.ts';

/** Distinct values of a client-controlled column that are counted per code and day; `Other` is the last of them. */
const maxValues = 200;
/**
 * Up to this many, new values are counted without a lock. Statements that run at the same time do not see each other's: with
 * at most `maxUnlockedValues` each, a dozen of them stay below the limit together.
 */
const fewValues = 100;
const maxUnlockedValues = 8;
export const otherValue = 'Other';

export interface RecordedScans extends Recorded {
  /** Codes that another transaction has locked; their scans were not recorded. */
  lockedCodes: string[];
}

export type ScanRecorder = (rows: ScanRow[]) => Promise<RecordedScans>;

/**
 * Records scans, and limits the number of counters: once a code has that many browsers or systems in a day, further ones
 * become `Other`, in the scan as in the counters. Near the limit, new values are admitted in a transaction, one worker at
 * a time. With a lifetime of codes, it also says which of them may have been scanned in the second half of it.
 */
export function createScanRecorder(db: Database, lifetimeDays?: number): ScanRecorder {
  const known = new LRUCache<string, CountedValues>({ max: 20_000 });

  async function readUnknown(rows: ScanRow[]): Promise<void> {
    const unknown = new Map<string, ScanRow>();
    for (const row of rows) if (!known.has(dayKey(row))) unknown.set(dayKey(row), row);
    if (unknown.size === 0) return;
    for (const [key, values] of await readCountedValues(db, unknown)) known.set(key, values);
  }

  async function recordUnlocked(rows: ScanRow[]): Promise<RecordedScans> {
    const recorded = await Scan.record(
      db,
      rows.map((row) => limit(row, known.get(dayKey(row)))),
      dueBy(rows, lifetimeDays),
    );
    // Only after the commit: values that were rolled back are not counted.
    for (const row of rows) admit(row, known.get(dayKey(row)));
    return { ...recorded, lockedCodes: [] };
  }

  async function recordLocked(rows: ScanRow[], crowded: Map<string, ScanRow>): Promise<RecordedScans> {
    const admitted = new Map<string, CountedValues>();
    const recorded = await db.transaction(async (transaction) => {
      const locked = await lockCodes(
        transaction,
        [...crowded.values()].map(({ qrCodeId }) => qrCodeId),
      );
      for (const [key, values] of await readCountedValues(transaction, crowded)) admitted.set(key, values);
      const result = await Scan.record(
        transaction,
        rows
          .filter(({ qrCodeId }) => !locked.has(qrCodeId))
          .map((row) => {
            const values = admitted.get(dayKey(row));
            return values ? admit(row, values) : limit(row, known.get(dayKey(row)));
          }),
        dueBy(rows, lifetimeDays),
      );
      return { ...result, lockedCodes: [...locked] };
    });
    for (const [key, values] of admitted) known.set(key, values);
    return recorded;
  }

  async function record(rows: ScanRow[]): Promise<RecordedScans> {
    await readUnknown(rows);
    const crowded = findCrowded(rows, known);
    return crowded.size > 0 ? recordLocked(rows, crowded) : recordUnlocked(rows);
  }

  return async (rows) => {
    try {
      return await record(rows);
    } catch (error) {
      if (!isPartitionMissing(error)) throw error;
      await createPartitions(db, new Date());
      return record(rows);
    }
  };
}

/** For the latest scan of the batch: those of other codes may be older, so a code that is due is only likely to be. */
function dueBy(rows: ScanRow[], lifetimeDays: number | undefined): Date | null {
  if (lifetimeDays === undefined) return null;
  let latest = 0;
  for (const { scannedAt } of rows) latest = Math.max(latest, scannedAt.getTime());
  return new Date(latest + (lifetimeDays * dayMs) / 2);
}

function isFull(values: Set<string>): boolean {
  return values.size - (values.has(otherValue) ? 1 : 0) >= maxValues - 1;
}

/** The days on which a code gets close to the limit, each with one of their scans. */
function findCrowded(rows: ScanRow[], known: LRUCache<string, CountedValues>): Map<string, ScanRow> {
  const added = new Map<string, CountedValues>();
  const crowded = new Map<string, ScanRow>();
  for (const row of rows) {
    const key = dayKey(row);
    const counted = known.get(key) ?? noValues();
    for (const field of clientControlledColumns) {
      if (counted[field].has(row[field]) || isFull(counted[field])) continue;
      const fresh = added.get(key) ?? noValues();
      added.set(key, fresh);
      fresh[field].add(row[field]);
      const { size } = fresh[field];
      if (size > maxUnlockedValues || counted[field].size + size > fewValues) crowded.set(key, row);
    }
  }
  return crowded;
}

/** Values beyond the limit become `Other`. */
function limit(row: ScanRow, values: CountedValues | undefined): ScanRow {
  const isOther = (field: (typeof clientControlledColumns)[number]) =>
    values !== undefined && !values[field].has(row[field]) && isFull(values[field]);
  if (!clientControlledColumns.some(isOther)) return row;
  const limited = { ...row };
  for (const field of clientControlledColumns) if (isOther(field)) limited[field] = otherValue;
  return limited;
}

/** Adds the values of a scan as long as there is room. */
function admit(row: ScanRow, values: CountedValues | undefined): ScanRow {
  if (values)
    for (const field of clientControlledColumns) if (!isFull(values[field])) values[field].add(row[field]);
  return limit(row, values);
}

function dayKey({ qrCodeId, scannedAt }: ScanRow): string {
  return `${qrCodeId} ${utcDay(scannedAt)}`;
}

/** The client-controlled values that are counted for a code on a day. */
export type CountedValues = Record<(typeof clientControlledColumns)[number], Set<string>>;

/** Reads them for the code and day of each scan, under the same key. */
export async function readCountedValues(
  db: Database,
  days: Map<string, ScanRow>,
): Promise<Map<string, CountedValues>> {
  const keys = [...days.keys()];
  const scans = [...days.values()];
  const found = new Map(keys.map((key): [string, CountedValues] => [key, noValues()]));
  const { rows } = (await db.raw(
    `SELECT wanted.key, dimension, value
     FROM unnest(CAST(:keys AS text[]), CAST(:codes AS uuid[]), CAST(:days AS date[])) AS wanted (key, qr_code_id, day)
     JOIN scan_counters USING (qr_code_id, day)
     WHERE dimension = ANY(:dimensions)`,
    {
      keys,
      codes: scans.map(({ qrCodeId }) => qrCodeId),
      days: scans.map(({ scannedAt }) => utcDay(scannedAt)),
      dimensions: clientControlledColumns,
    },
  )) as { rows: { key: string; dimension: keyof CountedValues; value: string }[] };
  for (const { key, dimension, value } of rows) found.get(key)?.[dimension].add(value);
  return found;
}

export function noValues(): CountedValues {
  return Object.fromEntries(
    clientControlledColumns.map((name) => [name, new Set<string>()]),
  ) as CountedValues;
}

/**
 * Locks codes for the rest of the transaction, so that two workers do not both admit the last value of a day. Returns the
 * codes that another transaction has locked: they are skipped, not waited for.
 */
export async function lockCodes(db: Database, codeIds: string[]): Promise<Set<string>> {
  const { rows } = (await db.raw(
    `WITH held AS MATERIALIZED (
       SELECT id FROM qr_codes WHERE id = ANY(CAST(:ids AS uuid[])) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     )
     SELECT id FROM qr_codes WHERE id = ANY(CAST(:ids AS uuid[])) AND NOT EXISTS (SELECT FROM held WHERE held.id = qr_codes.id)`,
    { ids: [...new Set(codeIds)] },
  )) as { rows: { id: string }[] };
  return new Set(rows.map(({ id }) => id));
}
