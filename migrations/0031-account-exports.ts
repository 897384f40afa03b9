import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The latest export of an account's data: requested, then ready or failed.
    CREATE TABLE account_exports (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      -- Jobs of an earlier request find another one, and end.
      request_id uuid NOT NULL,
      requested_at timestamptz(3) NOT NULL,
      -- The build whose chunks are the archive. Null until it is complete.
      build_id uuid,
      bytes bigint,
      failed_at timestamptz(3),
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX account_exports_expiry ON account_exports (expires_at);

    -- A killed worker leaves a build unfinished; the next one makes a build of its own.
    CREATE TABLE account_export_chunks (
      build_id uuid NOT NULL,
      position integer NOT NULL,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      data bytea NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (build_id, position)
    );
    CREATE INDEX account_export_chunks_user ON account_export_chunks (user_id);
    -- They are compressed already.
    ALTER TABLE account_export_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE account_export_chunks, account_exports');
}
