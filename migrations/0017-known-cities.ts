import type { Knex } from 'knex';

/** Fills the table for the counters that were there before its trigger. Blocks nobody. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    INSERT INTO scan_cities AS known (qr_code_id, city, last_day)
    SELECT qr_code_id, value, max(day) FROM scan_counters WHERE dimension = 'city' GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (qr_code_id, city) DO UPDATE SET last_day = excluded.last_day WHERE known.last_day < excluded.last_day;
  `);
  // Processes of the previous release read it. A new installation has none; `qrelay migrate --finish` drops it elsewhere.
  const { rows } = (await knex.raw('SELECT EXISTS (SELECT FROM users) AS used')) as {
    rows: [{ used: boolean }];
  };
  if (!rows[0].used) await knex.raw('DROP INDEX scan_counters_city');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX IF NOT EXISTS scan_counters_city
      ON scan_counters (qr_code_id, value COLLATE "C", day DESC) WHERE dimension = 'city'
  `);
}
