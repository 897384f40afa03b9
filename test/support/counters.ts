import { columnNames } from '../../src/scans/dimensions.ts';
import { compareSpan, countedSpans, type CounterDifference } from '../../src/scans/counters.ts';
import type { Database } from '../../src/store/database.ts';
import { iPhoneValues } from './scan-rows.ts';

/** Every counter of a code that is not what its raw scans say. */
export async function counterDifferences(db: Database, codeId: string): Promise<CounterDifference[]> {
  const differences = [];
  for (const span of await countedSpans(db, codeId))
    differences.push(...(await compareSpan(db, codeId, span)));
  return differences;
}

/** All counters of a code, summed over the days: dimension → value → count. */
export async function countersOf(
  db: Database,
  codeId: string,
): Promise<Record<string, Record<string, number>>> {
  const rows = (await db('scan_counters')
    .where({ qr_code_id: codeId })
    .groupBy('dimension', 'value')
    .select('dimension', 'value', db.raw('sum(count)::bigint as count'))) as {
    dimension: string;
    value: string;
    count: number;
  }[];
  const counters: Record<string, Record<string, number>> = {};
  for (const { dimension, value, count } of rows) (counters[dimension] ??= {})[value] = count;
  return counters;
}

/** What `countersOf` returns for that many scans of an iPhone in St Albans. */
export function iPhoneCounters(count: number): Record<string, Record<string, number>> {
  return {
    total: { '': count },
    ...Object.fromEntries(columnNames.map((name) => [name, { [iPhoneValues[name]]: count }])),
    city: { 'GB|ENG|St Albans': count },
  };
}
