import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Only where there are replicas: lists of an owner who has just changed a code are read on the primary.
    ALTER TABLE users ADD COLUMN codes_changed_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE users DROP COLUMN codes_changed_at');
}
