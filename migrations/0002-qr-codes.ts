import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE qr_codes (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      share_token text NOT NULL UNIQUE,
      name text NOT NULL,
      type text NOT NULL,
      content text NOT NULL,
      foreground_color text NOT NULL,
      background_color text NOT NULL,
      size integer NOT NULL,
      error_correction text NOT NULL,
      category text,
      is_public boolean NOT NULL,
      is_favorite boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX qr_codes_user ON qr_codes (user_id, id DESC);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE qr_codes');
}
