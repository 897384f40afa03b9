import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the operator took down because of abuse. No reference to the code: a block outlives what it was made for.
    CREATE TABLE blocks (
      kind text NOT NULL CHECK (kind IN ('code', 'host')),
      -- The id of a code; or a host in ASCII and small letters, which stands for everything below it too.
      value text NOT NULL,
      reason text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (kind, value)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE blocks');
}
