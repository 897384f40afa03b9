import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes
      -- The hosts that the content leads to, so that a list of codes need not parse each content.
      ADD COLUMN hosts text[],
      -- Names the content and the rules that they were read by. Where it does not fit, the hosts are not used.
      ADD COLUMN hosts_key text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE qr_codes DROP COLUMN hosts, DROP COLUMN hosts_key');
}
