import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { type DimensionName, dimensionNames } from './dimensions.ts';
import { unknownCountry } from './scan.ts';

export interface Analytics {
  totalScans: number;
  uniqueCountries: number;
  uniqueCities: number;
  byDevice: { device: string; count: number }[];
  byBrowser: { browser: string; count: number }[];
  byOs: { os: string; count: number }[];
  byCountry: { country: string; count: number }[];
  timeline: { date: string; scans: number }[];
}

interface CounterRow {
  dimension: DimensionName;
  value: string;
  count: number;
}

/** The last `days` UTC days, today included, from the daily counters: the cost does not grow with the scans. */
export async function readAnalytics(
  db: Database,
  codeId: string,
  days: number,
  now: Date,
): Promise<Analytics> {
  const dates = lastDates(days, now);
  // One statement, so that the totals, the timeline and the rankings are of one moment and agree. Cities are most of a
  // code's counters: instead of all their days only the last of each is read, from one city to the next.
  const { rows } = (await db.raw(
    `WITH RECURSIVE city AS (
       (SELECT value, day FROM scan_counters
        WHERE qr_code_id = :codeId AND dimension = 'city' AND day <= :to
        ORDER BY value COLLATE "C", day DESC LIMIT 1)
       UNION ALL
       SELECT next.value, next.day FROM city CROSS JOIN LATERAL (
         SELECT value, day FROM scan_counters
         WHERE qr_code_id = :codeId AND dimension = 'city' AND value COLLATE "C" > city.value AND day <= :to
         ORDER BY value COLLATE "C", day DESC LIMIT 1
       ) AS next
     ), counted AS (
       SELECT dimension, CASE dimension WHEN 'total' THEN day::text ELSE value END AS value, sum(count)::bigint AS count
       FROM scan_counters
       WHERE qr_code_id = :codeId AND dimension = ANY(:ranked) AND day BETWEEN :from AND :to
       GROUP BY 1, 2
     )
     SELECT * FROM (
       SELECT 'city' AS dimension, '' AS value, count(*) AS count FROM city WHERE day >= :from
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

  const of = (dimension: DimensionName) => rows.filter((row) => row.dimension === dimension);
  const ranking = <Name extends DimensionName>(name: Name) =>
    of(name).map(
      ({ value, count }) => ({ [name]: value, count }) as Record<Name, string> & { count: number },
    );
  const scansOn = new Map(of('total').map(({ value, count }) => [value, count]));
  const timeline = dates.map((date) => ({ date, scans: scansOn.get(date) ?? 0 }));
  const byCountry = ranking('country');
  return {
    totalScans: timeline.reduce((sum, { scans }) => sum + scans, 0),
    uniqueCountries: byCountry.filter(({ country }) => country !== unknownCountry).length,
    uniqueCities: of('city')[0]?.count ?? 0,
    byDevice: ranking('device'),
    byBrowser: ranking('browser'),
    byOs: ranking('os'),
    byCountry,
    timeline,
  };
}

/** All scans that were ever counted, by code. A code without any is not in the map. */
export async function readScanCounts(db: Database, codeIds: string[]): Promise<Map<string, number>> {
  const rows = (await db('scan_counters')
    .where({ dimension: 'total' })
    .whereIn('qr_code_id', codeIds)
    .groupBy('qr_code_id')
    .select('qr_code_id as id', db.raw('sum(count)::bigint as count'))) as { id: string; count: number }[];
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** UTC days, the oldest first, today last. */
export function lastDates(days: number, now: Date): string[] {
  return Array.from({ length: days }, (_, index) =>
    new Date(now.getTime() - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}
