import { dayMs } from '../runtime/units.ts';
import { type Database, queryPrepared } from '../store/database.ts';
import {
  type ColumnName,
  columnNames,
  type DimensionName,
  dimensionNames,
  rankingName,
  type RankingName,
} from './dimensions.ts';
import { unknownCountry } from './scan.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

/** The counts of a dimension's values, the largest first. */
type Ranking<Name extends ColumnName> = (Record<Name, string> & { count: number })[];
/** `byBrowser` and so on, for each dimension that is a column. */
type Rankings = { [Name in ColumnName as RankingName<Name>]: Ranking<Name> };

export interface Analytics extends Rankings {
  totalScans: number;
  uniqueCountries: number;
  uniqueCities: number;
  timeline: { date: string; scans: number }[];
}

interface CounterRow {
  dimension: DimensionName;
  value: string;
  count: number;
}

/** The last `days` UTC days, today included. */
export function readAnalytics(db: Database, codeId: string, days: number, now: Date): Promise<Analytics> {
  return readAnalyticsOn(db, codeId, lastDates(days, now));
}

/** Consecutive UTC days, from the daily counters: the cost does not grow with the scans. */
export async function readAnalyticsOn(db: Database, codeId: string, dates: string[]): Promise<Analytics> {
  // One statement, so that the totals, the timeline and the rankings are from one snapshot and agree.
  const { rows } = (await db.raw(
    `WITH counted AS (
       SELECT dimension, CASE dimension WHEN 'total' THEN day::text ELSE value END AS value, sum(count)::bigint AS count
       FROM scan_counters
       WHERE qr_code_id = :codeId AND dimension = ANY(:ranked) AND day BETWEEN :from AND :to
       GROUP BY 1, 2
     )
     SELECT * FROM (
       SELECT 'city' AS dimension, '' AS value, count(*) AS count
       FROM scan_cities AS known WHERE qr_code_id = :codeId AND last_day >= :from
         -- After the period, which may have ended long ago.
         AND (last_day <= :to OR EXISTS (
           SELECT FROM scan_counters AS counter
           WHERE counter.qr_code_id = :codeId AND dimension = 'city' AND day BETWEEN :from AND :to AND value = known.city
         ))
       UNION ALL
       SELECT * FROM counted
     ) AS figures
     ORDER BY count DESC, value COLLATE "C"`,
    {
      codeId,
      ranked: dimensionNames.filter((name) => name !== 'city'),
      from: dates[0],
      to: dates.at(-1),
    } as never,
  )) as { rows: CounterRow[] };

  const rowsOf = (dimension: DimensionName) => rows.filter((row) => row.dimension === dimension);
  const rankings = Object.fromEntries(
    columnNames.map((name) => [
      rankingName(name),
      rowsOf(name).map(({ value, count }) => ({ [name]: value, count })),
    ]),
  ) as unknown as Rankings;
  const scansOn = new Map(rowsOf('total').map(({ value, count }) => [value, count]));
  const timeline = dates.map((date) => ({ date, scans: scansOn.get(date) ?? 0 }));
  return {
    totalScans: timeline.reduce((sum, { scans }) => sum + scans, 0),
    uniqueCountries: rankings.byCountry.filter(({ country }) => country !== unknownCountry).length,
    uniqueCities: rowsOf('city')[0]?.count ?? 0,
    ...rankings,
    timeline,
  };
}

/** All scans ever counted, by code. The map has no entry for a code without scans. */
export async function readScanCounts(db: Database, codeIds: string[]): Promise<Map<string, number>> {
  const rows = (await db('scan_counters')
    .where({ dimension: 'total' })
    .whereIn('qr_code_id', codeIds)
    .groupBy('qr_code_id')
    .select('qr_code_id as id', db.raw('sum(count)::bigint as count'))) as { id: string; count: number }[];
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** UTC days, oldest first, today last. */
export function lastDates(days: number, now: Date): string[] {
  return Array.from({ length: days }, (_, index) =>
    new Date(now.getTime() - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

/** Scans per day of the last `days` UTC days, today last, by code. The map has no entry for a code without scans. */
export async function readDailyScans(
  db: Database,
  codeIds: string[],
  days: number,
  now: Date,
): Promise<Map<string, number[]>> {
  const dates = lastDates(days, now);
  const rows = (await db('scan_counters')
    .where({ dimension: 'total' })
    .whereIn('qr_code_id', codeIds)
    .whereBetween('day', [dates[0] ?? '', dates.at(-1) ?? ''])
    .groupBy('qr_code_id', 'day')
    .select('qr_code_id as id', db.raw('day::text as day'), db.raw('sum(count)::bigint as count'))) as {
    id: string;
    day: string;
    count: number;
  }[];
  const scans = new Map<string, number[]>();
  for (const { id, day, count } of rows) {
    const ofCode = scans.get(id) ?? dates.map(() => 0);
    ofCode[dates.indexOf(day)] = count;
    scans.set(id, ofCode);
  }
  return scans;
}

/** Scans of all codes of an account, per day of the last `days` UTC days, today last. */
export async function readAccountScans(
  db: Database,
  workspaceId: WorkspaceId,
  days: number,
  now: Date,
): Promise<{ date: string; scans: number }[]> {
  const dates = lastDates(days, now);
  const { rows } = (await db.raw(
    `SELECT day::text AS day, sum(count)::bigint AS count FROM scan_counters
     WHERE qr_code_id IN (SELECT id FROM qr_codes WHERE user_id = :workspaceId) AND dimension = 'total'
       AND day BETWEEN :from AND :to
     GROUP BY 1`,
    { workspaceId, from: dates[0], to: dates.at(-1) } as never,
  )) as { rows: { day: string; count: number }[] };
  const scansOn = new Map(rows.map(({ day, count }) => [day, count]));
  return dates.map((date) => ({ date, scans: scansOn.get(date) ?? 0 }));
}

const statement = {
  name: 'scan totals',
  text: `
  SELECT count(code.id) > 0 AS exists,
         coalesce(sum(count), 0)::bigint AS ever,
         coalesce(sum(count) FILTER (WHERE day = $2::date), 0)::bigint AS today,
         ARRAY(
           SELECT coalesce(sum(count), 0)::bigint FROM unnest($3::int[]) WITH ORDINALITY AS period (days, number)
           LEFT JOIN scan_counters ON qr_code_id = $1 AND dimension = 'total' AND day > $2::date - days AND day <= $2::date
           GROUP BY number ORDER BY number
         )::text[] AS periods
  FROM qr_codes AS code
  LEFT JOIN scan_counters AS counter ON counter.qr_code_id = code.id AND dimension = 'total'
  WHERE code.id = $1 AND code.user_id IS NOT NULL`,
};

export interface ScanTotals {
  /** False once the code is deleted or in the trash. */
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
    periods: Object.fromEntries(periods.map((days, index) => [days, Number(row?.periods[index] ?? 0)])),
  };
}

export interface CityCount {
  country: string;
  region: string;
  city: string;
  count: number;
}

/** The cities with the most scans in a period of UTC days. */
export async function readTopCities(
  db: Database,
  codeId: string,
  period: { from: string; to: string },
  limit: number,
): Promise<CityCount[]> {
  const { rows } = (await db.raw(
    `SELECT value, sum(count)::bigint AS count
     FROM scan_counters
     WHERE qr_code_id = :codeId AND dimension = 'city' AND day BETWEEN :from AND :to
     GROUP BY value
     ORDER BY count DESC, value COLLATE "C"
     LIMIT :limit`,
    { codeId, ...period, limit },
  )) as { rows: { value: string; count: number }[] };
  return rows.map(({ value, count }) => {
    const [country = '', region = '', ...city] = value.split('|');
    return { country, region, city: city.join('|'), count };
  });
}
