import { SetupError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { type DaySpan, dayStart, scansPerStep } from './counted-days.ts';
import { dimensionValuesSql } from './dimensions.ts';
import { forbidSorting } from './in-index-order.ts';

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
