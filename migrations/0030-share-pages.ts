import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes
      -- What the share page shows instead of the name, below it, and in which color. Null: nothing chosen.
      ADD COLUMN page_title text,
      ADD COLUMN page_text text,
      ADD COLUMN page_color text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE qr_codes DROP COLUMN page_title, DROP COLUMN page_text, DROP COLUMN page_color',
  );
}
