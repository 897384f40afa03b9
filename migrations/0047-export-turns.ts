import type { Knex } from 'knex';

/** Few exports are built at the same time by all workers together, and accounts take turns. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE account_exports
      -- Until then, one worker builds it.
      ADD COLUMN leased_until timestamptz(3),
      -- When a worker last began to build it. Others that wait go first.
      ADD COLUMN begun_at timestamptz(3),
      -- When the account last got one, of this or an earlier request.
      ADD COLUMN built_at timestamptz(3);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE account_exports DROP COLUMN built_at, DROP COLUMN begun_at, DROP COLUMN leased_until',
  );
}
