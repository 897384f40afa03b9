import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- At most one row. Raw scans before this time were dropped; their counters were kept, and cannot be verified.
    CREATE TABLE scan_horizon (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      kept_from timestamptz NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE scan_horizon');
}
