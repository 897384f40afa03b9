import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Codes without a row have the default design. The previous release draws every code like that.
    CREATE TABLE designs (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      design jsonb NOT NULL,
      -- The smallest width at which it was proven to be read, and what was drawn for that.
      reads_at_mm int NOT NULL,
      proven text NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE designs');
}
