import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Kinds of notices that the owner has switched off. Null: none.
    ALTER TABLE users ADD COLUMN muted_notices text[];

    -- Owners with a confirmed address, and when their codes were last looked at.
    CREATE TABLE notice_checks (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      -- First scans before are no news.
      since timestamptz(3) NOT NULL,
      checked_at timestamptz(3) NOT NULL
    );
    CREATE INDEX notice_checks_age ON notice_checks (checked_at);

    -- Facts that an owner is told of, once each. Names are looked up when the mail is written.
    CREATE TABLE notices (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      kind text NOT NULL,
      fact text NOT NULL,
      qr_code_id uuid,
      data jsonb NOT NULL,
      found_at timestamptz(3) NOT NULL,
      retry_at timestamptz(3) NOT NULL,
      -- Set before the mail is handed over: a notice that a killed worker had claimed is not sent again.
      claimed_at timestamptz(3),
      mail_id text,
      UNIQUE (user_id, kind, fact)
    );
    CREATE INDEX notices_waiting ON notices (user_id) WHERE claimed_at IS NULL;
    CREATE INDEX notices_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;

    -- The latest answers of the addresses that codes lead to.
    CREATE TABLE destination_checks (
      qr_code_id uuid PRIMARY KEY,
      url text NOT NULL,
      checked_at timestamptz(3) NOT NULL,
      -- 'gone' or 'unreachable', since when and how many times in a row. Null: it answers.
      problem text,
      failing_since timestamptz(3),
      failures integer NOT NULL DEFAULT 0
    );

    -- For all workers: the next request to a host is not made before.
    CREATE TABLE destination_hosts (
      host text PRIMARY KEY,
      next_at timestamptz(3) NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE destination_hosts, destination_checks, notices, notice_checks;
    ALTER TABLE users DROP COLUMN muted_notices;
  `);
}
