import { type Database, queryPrepared } from '../store/database.ts';

const statement = {
  name: 'scan totals',
  text: `
  SELECT count(code.id) > 0 AS exists,
         coalesce(sum(count), 0)::bigint AS ever,
         coalesce(sum(count) FILTER (WHERE day = $2::date), 0)::bigint AS today,
         ARRAY(
           SELECT coalesce(sum(count), 0)::bigint FROM unnest($3::int[]) WITH ORDINALITY AS period (days, place)
           LEFT JOIN scan_counters ON qr_code_id = $1 AND dimension = 'total' AND day > $2::date - days AND day <= $2::date
           GROUP BY place ORDER BY place
         )::text[] AS periods
  FROM qr_codes AS code
  LEFT JOIN scan_counters AS counter ON counter.qr_code_id = code.id AND dimension = 'total'
  WHERE code.id = $1`,
};

export interface ScanTotals {
  /** False once the code is deleted. */
  exists: boolean;
  ever: number;
  today: number;
  /** Scans in the last n UTC days, including today, by n. */
  periods: Record<number, number>;
}

/** Reads a few hundred counters at most, so it is cheap enough to call every second. */
export async function readScanTotals(
  db: Database,
  codeId: string,
  today: string,
  periods: readonly number[],
): Promise<ScanTotals> {
  const [row] = await queryPrepared<Omit<ScanTotals, 'periods'> & { periods: string[] }>(db, statement, [
    codeId,
    today,
    periods,
  ]);
  const { exists = false, ever = 0, today: scansToday = 0 } = row ?? {};
  return {
    exists,
    ever,
    today: scansToday,
    periods: Object.fromEntries(periods.map((days, place) => [days, Number(row?.periods[place] ?? 0)])),
  };
}
