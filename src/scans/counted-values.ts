import type { Database } from '../store/database.ts';
import { clientControlledColumns } from './dimensions.ts';
import type { ScanRow } from './scan.ts';
import { utcDay } from './utc-day.ts';

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
