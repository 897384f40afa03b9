import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Secrets that the next page shows once, such as a new API key. Encrypted with the session token, which is only in a cookie.
    CREATE TABLE one_time_secrets (
      session_token_hash bytea PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
      sealed bytea NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX one_time_secrets_expiry ON one_time_secrets (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE one_time_secrets');
}
