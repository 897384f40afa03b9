import { dimensionValues } from './dimensions.ts';
import type { ScanRow } from './scan.ts';
import { utcDay } from './utc-day.ts';

/** One entry per counter, in parallel arrays: code, dimension, day, value and count. */
export type Counts = [string[], string[], string[], string[], number[]];

/** What the scans add to the counters, each scan being new. */
export function countScans(rows: ScanRow[]): Counts {
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
