import { SetupError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { dimensionValuesSql } from './dimensions.ts';
import { forbidSorting, inIndexOrder } from './scan.ts';

/** Scans that one statement counts, in a fraction of a second. */
const scansPerStep = 50_000;

/** A counter that differs from the raw scans; a count of 0 stands for a missing row. */
export interface CounterDifference {
  codeId: string;
  dimension: string;
  day: string;
  value: string;
  counted: number;
  actual: number;
}

interface Counter {
  dimension: string;
  day: string;
  value: string;
  count: number;
}

/** The correct counters for the next scans of a span, and the id of the last of these scans. */
const countStep = `
  WITH step AS MATERIALIZED (
    SELECT * FROM scans
    WHERE qr_code_id = :codeId AND id < ${dayStart('CAST(:last AS date) + 1')}
      AND id >= ${dayStart('CAST(:first AS date)')} AND (CAST(:after AS uuid) IS NULL OR id > :after)
    ORDER BY id LIMIT ${scansPerStep}
  )
  SELECT name AS dimension, (scanned_at AT TIME ZONE 'UTC')::date AS day, value, count(*) AS count,
         (SELECT id FROM step ORDER BY id DESC LIMIT 1) AS "lastId"
  FROM step CROSS JOIN LATERAL (${dimensionValuesSql}) AS dimension (name, value)
  WHERE value IS NOT NULL
  GROUP BY 1, 2, 3`;

/**
 * Compares the counters of a span with its raw scans, in steps that share one snapshot: scans and counters are written
 * together, so scans that arrive meanwhile make no difference.
 */
export async function compareSpan(
  db: Database,
  codeId: string,
  { first, last }: DaySpan,
): Promise<CounterDifference[]> {
  return db.transaction(
    async (snapshot) => {
      await forbidSorting(snapshot);
      const differences = new Map<string, CounterDifference>();
      const differenceAt = ({ dimension, day, value }: Counter) => {
        const key = `${dimension} ${day} ${value}`;
        const known = differences.get(key);
        if (known) return known;
        const fresh = { codeId, dimension, day, value, counted: 0, actual: 0 };
        differences.set(key, fresh);
        return fresh;
      };
      for (let after: string | null = null; ; ) {
        const { rows } = (await snapshot.raw(countStep, { codeId, first, last, after })) as {
          rows: (Counter & { lastId: string })[];
        };
        for (const counter of rows) differenceAt(counter).actual += counter.count;
        if (!rows[0]) break;
        after = rows[0].lastId;
      }
      const counted = (await snapshot('scan_counters')
        .where({ qr_code_id: codeId })
        .whereBetween('day', [first, last])
        .select('dimension', 'day', 'value', 'count')) as Counter[];
      for (const counter of counted) differenceAt(counter).counted = counter.count;
      return [...differences.values()].filter((found) => found.counted !== found.actual).toSorted(inOrder);
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

function inOrder(a: CounterDifference, b: CounterDifference): number {
  const key = ({ dimension, day, value }: CounterDifference) => `${dimension} ${day} ${value}`;
  return key(a) < key(b) ? -1 : 1;
}

/**
 * Corrects the counters of a span and returns how many were wrong. Adds the difference instead of setting the count: new
 * scans add the same to the table and to the counters, so the difference stays valid and no worker has to wait.
 */
export async function rebuildSpan(db: Database, codeId: string, span: DaySpan): Promise<number> {
  return db.transaction(async (writer) => {
    await lockRebuild(writer, codeId);
    const differences = await compareSpan(db, codeId, span);
    if (differences.length > 0) await addDifferences(writer, codeId, differences);
    return differences.length;
  });
}

/** Two concurrent rebuilds would add the same difference twice. */
async function lockRebuild(writer: Database, codeId: string): Promise<void> {
  const { rows } = (await writer.raw(
    `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
            pg_try_advisory_xact_lock(hashtextextended('rebuild ' || :codeId, 0)) AS "isLocked"`,
    { codeId },
  )) as { rows: [{ isLocked: boolean }] };
  if (!rows[0].isLocked)
    throw new SetupError(`The counters of ${codeId} are being rebuilt already. Wait for that to finish.`);
}

async function addDifferences(
  writer: Database,
  codeId: string,
  differences: CounterDifference[],
): Promise<void> {
  // Locks the code before its counters, as deleting a code does. A deleted code has no counters to correct.
  const code = (await writer('qr_codes').where({ id: codeId }).forKeyShare().first('id')) as unknown;
  if (!code) return;
  await writer.raw(
    // Sorted so that workers lock counter rows in the same order.
    `WITH wrong AS MATERIALIZED (
       SELECT CAST(:codeId AS uuid) AS qr_code_id, * FROM unnest(
         CAST(:dimensions AS text[]), CAST(:days AS date[]), CAST(:values AS text[]), CAST(:missing AS bigint[])
       ) AS wrong (dimension, day, value, missing)
     )
     INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
     SELECT * FROM wrong ORDER BY 1, 2, 3, 4
     ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count`,
    {
      codeId,
      dimensions: differences.map(({ dimension }) => dimension),
      days: differences.map(({ day }) => day),
      values: differences.map(({ value }) => value),
      missing: differences.map(({ actual, counted }) => actual - counted),
    },
  );
  await writer('scan_counters')
    .where({ qr_code_id: codeId, count: 0 })
    .whereIn('day', [...new Set(differences.map(({ day }) => day))])
    .delete();
  const cities = differences.filter(({ dimension }) => dimension === 'city').map(({ value }) => value);
  if (cities.length > 0) await correctCities(writer, codeId, cities);
}

/** The last day of a city may have lost its counter. New counters are noted by a trigger. */
async function correctCities(writer: Database, codeId: string, cities: string[]): Promise<void> {
  await writer.raw(
    `WITH counted AS MATERIALIZED (
       SELECT value AS city, max(day) AS last_day FROM scan_counters
       WHERE qr_code_id = :codeId AND dimension = 'city' AND value = ANY(:cities) GROUP BY value
     ), gone AS (
       DELETE FROM scan_cities
       WHERE qr_code_id = :codeId AND city = ANY(:cities) AND city NOT IN (SELECT city FROM counted)
     )
     UPDATE scan_cities AS known SET last_day = counted.last_day FROM counted
     WHERE known.qr_code_id = :codeId AND known.city = counted.city AND known.last_day > counted.last_day`,
    { codeId, cities: [...new Set(cities)] },
  );
}

/** The codes that have scans or counters, ordered by id. */
export async function codesWithScans(
  db: Database,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { rows } = (await db.raw(
    `SELECT id FROM qr_codes AS code
     WHERE (CAST(:after AS uuid) IS NULL OR id > :after)
       AND (EXISTS (SELECT FROM scans WHERE qr_code_id = code.id)
         OR EXISTS (SELECT FROM scan_counters WHERE qr_code_id = code.id))
     ORDER BY id LIMIT :limit`,
    { after: after ?? null, limit },
  )) as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}

/** Consecutive UTC days of a code with few enough scans to be compared quickly. */
export interface DaySpan {
  first: string;
  last: string;
  days: number;
}

/** The UTC days on which a code has scans or counters, in spans. Not the days whose raw scans were dropped. */
export async function countedSpans(db: Database, codeId: string): Promise<DaySpan[]> {
  const spans: (DaySpan & { scans: number })[] = [];
  for (const { day, scans } of await countedDays(db, codeId)) {
    const span = spans.at(-1);
    if (span && span.scans + scans <= scansPerStep) {
      span.last = day;
      span.days += 1;
      span.scans += scans;
    } else spans.push({ first: day, last: day, days: 1, scans });
  }
  return spans;
}

const countedDaysSql = `
  WITH RECURSIVE scanned AS (
    (SELECT (scanned_at AT TIME ZONE 'UTC')::date AS day FROM scans WHERE qr_code_id = :codeId ORDER BY id LIMIT 1)
    UNION ALL
    SELECT (SELECT (scanned_at AT TIME ZONE 'UTC')::date FROM scans
            WHERE qr_code_id = :codeId AND id >= ${dayStart('scanned.day + 1')} ORDER BY id LIMIT 1)
    FROM scanned WHERE scanned.day IS NOT NULL
  ), counted AS (
    SELECT day, coalesce(sum(count) FILTER (WHERE dimension = 'total'), 0)::bigint AS scans
    FROM scan_counters WHERE qr_code_id = :codeId GROUP BY day
  )
  SELECT day, coalesce(scans, 0) AS scans
  FROM (SELECT day FROM scanned WHERE day IS NOT NULL) AS scanned FULL JOIN counted USING (day)
  WHERE day >= coalesce((SELECT (kept_from AT TIME ZONE 'UTC')::date FROM scan_horizon), '-infinity')
  ORDER BY day`;

/** The number of scans comes from the counters, and may be wrong. */
async function countedDays(db: Database, codeId: string): Promise<{ day: string; scans: number }[]> {
  const { rows } = (await inIndexOrder(db, (transaction) => transaction.raw(countedDaysSql, { codeId }))) as {
    rows: { day: string; scans: number }[];
  };
  return rows;
}

/** The smallest id that a scan of this day can have, because ids begin with their time. */
export function dayStart(day: string): string {
  return `CAST(lpad(to_hex((extract(epoch FROM ${day}) * 1000)::bigint), 12, '0') || repeat('0', 20) AS uuid)`;
}
