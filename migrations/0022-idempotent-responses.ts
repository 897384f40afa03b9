import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Responses of API requests with an Idempotency-Key, for a day. The previous release ignores them.
    CREATE TABLE idempotent_responses (
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      -- Of the Idempotency-Key, which is not stored itself.
      key_hash bytea NOT NULL,
      -- Of method, path, query and body: the same key with another request is an error.
      request_hash bytea NOT NULL,
      -- Status, headers and body, encrypted with the Idempotency-Key. Null only in the transaction that is to set it.
      sealed bytea,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (user_id, key_hash)
    );
    CREATE INDEX idempotent_responses_age ON idempotent_responses (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE idempotent_responses');
}
