import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- An account is named by its id. The previous release ignores these blocks.
    ALTER TABLE blocks DROP CONSTRAINT blocks_kind_check,
      ADD CONSTRAINT blocks_kind_check CHECK (kind IN ('code', 'host', 'account'));

    -- What operators changed. No foreign keys: an entry outlives the accounts that it names.
    CREATE TABLE operator_actions (
      id uuid PRIMARY KEY,
      at timestamptz(3) NOT NULL,
      -- Null: the command line.
      operator_id uuid,
      action text NOT NULL,
      -- The id of an account or a code, a host, or the name of a queue.
      target text NOT NULL,
      note text
    );
    CREATE INDEX operator_actions_target ON operator_actions (target, id DESC);

    -- Links with which users who cannot sign in choose a new password. One per account: a new one replaces it.
    CREATE TABLE sign_in_links (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      token_hash bytea NOT NULL UNIQUE,
      -- Of the password hash when the link was created: any new password makes the link invalid.
      password_digest bytea NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );

    -- The last report of each web and worker process. Unlogged: the next report restores what a crash loses.
    CREATE UNLOGGED TABLE processes (
      id uuid PRIMARY KEY,
      kind text NOT NULL,
      host text NOT NULL,
      pid int NOT NULL,
      version text NOT NULL,
      started_at timestamptz(3) NOT NULL,
      reported_at timestamptz(3) NOT NULL,
      is_stopped boolean NOT NULL,
      state jsonb NOT NULL,
      errors jsonb NOT NULL
    );
    -- What each process counted between two reports, for an hour.
    CREATE UNLOGGED TABLE process_samples (
      process_id uuid NOT NULL,
      since timestamptz(3) NOT NULL,
      until timestamptz(3) NOT NULL,
      counts jsonb NOT NULL,
      longest_lag_ms double precision
    );
    CREATE INDEX process_samples_until ON process_samples (until);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE process_samples, processes, sign_in_links, operator_actions;
    DELETE FROM blocks WHERE kind = 'account';
    ALTER TABLE blocks DROP CONSTRAINT blocks_kind_check,
      ADD CONSTRAINT blocks_kind_check CHECK (kind IN ('code', 'host'));
  `);
}
