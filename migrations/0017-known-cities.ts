import type { Knex } from 'knex';

/**
 * Fills the table for the counters that were there before its trigger. In steps that are committed one by one: a worker
 * that records a scan in the same city waits for the step. Safe to repeat.
 */
export const config = { transaction: false };

const citiesPerStep = 500;

interface City {
  code: string;
  city: string;
}

export async function up(knex: Knex): Promise<void> {
  let last: City | undefined = { code: '00000000-0000-0000-0000-000000000000', city: '' };
  while (last) last = await addCities(knex, last);
  await dropReplacedIndex(knex);
}

/** Adds the cities after the given one, and returns the last of them. */
async function addCities(knex: Knex, after: City): Promise<City | undefined> {
  // The index scan_counters_city has this order, so the first row of a city is its last day.
  const { rows } = (await knex.raw(
    `WITH step AS MATERIALIZED (
       SELECT DISTINCT ON (qr_code_id, value COLLATE "C") qr_code_id, value, day FROM scan_counters
       WHERE dimension = 'city' AND (qr_code_id, value COLLATE "C") > (CAST(:code AS uuid), CAST(:city AS text) COLLATE "C")
       ORDER BY qr_code_id, value COLLATE "C", day DESC
       LIMIT ${citiesPerStep}
     ), added AS (
       INSERT INTO scan_cities AS known (qr_code_id, city, last_day) SELECT * FROM step ORDER BY 1, 2
       ON CONFLICT (qr_code_id, city) DO UPDATE SET last_day = excluded.last_day WHERE known.last_day < excluded.last_day
     )
     SELECT qr_code_id AS code, value AS city FROM step ORDER BY qr_code_id DESC, value COLLATE "C" DESC LIMIT 1`,
    { ...after },
  )) as { rows: City[] };
  return rows[0];
}

/** Processes of the previous release read it. A new installation has none; `qrelay migrate --finish` drops it elsewhere. */
async function dropReplacedIndex(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw('SELECT EXISTS (SELECT FROM users) AS used')) as {
    rows: [{ used: boolean }];
  };
  if (!rows[0].used) await knex.raw('DROP INDEX IF EXISTS scan_counters_city');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX IF NOT EXISTS scan_counters_city
      ON scan_counters (qr_code_id, value COLLATE "C", day DESC) WHERE dimension = 'city'
  `);
}
