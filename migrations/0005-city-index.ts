import type { Knex } from 'knex';

/** Finds the last day of each city, so that the cities of a period are counted without reading every day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX scan_counters_city ON scan_counters (qr_code_id, value COLLATE "C", day DESC) WHERE dimension = 'city'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX scan_counters_city');
}
