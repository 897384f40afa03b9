import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Codes and hosts that an operator took down because of abuse. No foreign key: a block outlives its code.
    CREATE TABLE blocks (
      kind text NOT NULL CHECK (kind IN ('code', 'host')),
      -- The id of a code, or a host in lowercase ASCII, which includes its subdomains.
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
