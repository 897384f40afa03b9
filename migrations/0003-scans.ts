import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE scans (
      id uuid PRIMARY KEY,
      qr_code_id uuid NOT NULL REFERENCES qr_codes ON DELETE CASCADE,
      scanned_at timestamptz(3) NOT NULL,
      country text NOT NULL,
      region text,
      city text,
      latitude double precision,
      longitude double precision,
      device text NOT NULL,
      browser text NOT NULL,
      os text NOT NULL
    );
    CREATE INDEX scans_code ON scans (qr_code_id, id DESC);

    -- One row per code, dimension, UTC day and value. The dimension 'total' has a single value, ''.
    CREATE TABLE scan_counters (
      qr_code_id uuid NOT NULL REFERENCES qr_codes ON DELETE CASCADE,
      dimension text NOT NULL,
      day date NOT NULL,
      value text NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (qr_code_id, dimension, day, value)
    ) WITH (fillfactor = 70);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE scan_counters, scans');
}
