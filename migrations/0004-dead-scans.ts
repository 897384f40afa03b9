import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Scans that the database refused because of what they hold. No reference to the code: that may be what is wrong.
    CREATE TABLE dead_scans (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      -- The scan as it was in the queue, its address sealed. Text, because jsonb refuses some of what may be wrong with it.
      job text NOT NULL,
      reason text NOT NULL,
      died_at timestamptz(3) NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE dead_scans');
}
