import type { Database } from '../store/database.ts';

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
