import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Scans that the database refused because of their data. No foreign key to the code, which may be the reason.
    CREATE TABLE dead_scans (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      -- The scan as it was in the queue, with its address encrypted. Text, because jsonb rejects some invalid data.
      job text NOT NULL,
      reason text NOT NULL,
      died_at timestamptz(3) NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE dead_scans');
}
