import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes
      -- The end that the service gave the code. While expires_at is equal to it, the owner has not chosen one.
      -- Null: stored by an older release, see src/codes/lifetime.ts.
      ADD COLUMN default_expires_at timestamptz(3),
      -- Where the share link leads after the end. Null: to a page that says so.
      ADD COLUMN after_expiry_url text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE qr_codes DROP COLUMN default_expires_at, DROP COLUMN after_expiry_url');
}
