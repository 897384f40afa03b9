import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE users (
      id uuid PRIMARY KEY,
      email text NOT NULL,
      plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro')),
      -- Null: no sign-in until a password is set.
      password_hash text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE UNIQUE INDEX users_email ON users (lower(email));

    CREATE TABLE api_keys (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      name text NOT NULL,
      prefix text NOT NULL UNIQUE,
      secret_hash bytea NOT NULL,
      created_at timestamptz(3) NOT NULL,
      revoked_at timestamptz(3)
    );
    CREATE INDEX api_keys_user ON api_keys (user_id, id);

    -- Rate limits. One row per key or (hashed) client address: its requests of the last hour, oldest first.
    -- admitted and checked_at describe the latest request, so that one statement can check it and return the result.
    CREATE TABLE request_windows (
      subject text PRIMARY KEY,
      recent timestamptz[] NOT NULL,
      admitted boolean NOT NULL,
      checked_at timestamptz NOT NULL
    ) WITH (fillfactor = 60);

    CREATE TABLE service_secrets (
      name text PRIMARY KEY,
      value bytea NOT NULL
    );
    INSERT INTO service_secrets (name, value)
    VALUES ('root', sha256((gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE service_secrets, request_windows, api_keys, users');
}
