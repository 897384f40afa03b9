import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes
      -- The hosts that the content leads to, stored so that a list of codes does not parse every content.
      ADD COLUMN hosts text[],
      -- Identifies the content and the parser version. If it does not match, the stored hosts are ignored.
      ADD COLUMN hosts_key text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE qr_codes DROP COLUMN hosts, DROP COLUMN hosts_key');
}
