import type { Knex } from 'knex';

/** The account with invented data that strangers may look at. There is at most one, and none until somebody opens it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE demo_account (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      -- The code that the landing page shows.
      code_id uuid NOT NULL REFERENCES qr_codes ON DELETE CASCADE,
      -- Scans were invented until then.
      scans_until timestamptz NOT NULL
    );
    CREATE INDEX demo_account_code_id ON demo_account (code_id);
    CREATE INDEX demo_account_user_id ON demo_account (user_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE demo_account');
}
