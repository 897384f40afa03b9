import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Secrets of authenticator apps, encrypted with the root secret.
    CREATE TABLE totp_secrets (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      sealed text NOT NULL,
      -- Null until its owner has entered a code: until then it is not asked for.
      confirmed_at timestamptz(3),
      -- The 30 seconds of the code that was used last. Earlier codes and the same one are refused.
      last_step bigint NOT NULL DEFAULT 0
    );

    -- Each works once, instead of another second factor.
    CREATE TABLE recovery_codes (
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      code_hash bytea NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    );

    CREATE TABLE passkeys (
      credential_id text PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      public_key bytea NOT NULL,
      counter bigint NOT NULL,
      transports text NOT NULL,
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      used_at timestamptz(3)
    );
    CREATE INDEX passkeys_user ON passkeys (user_id);

    -- Sign-ins that wait for a second factor or a passkey. The token is only in a cookie.
    CREATE TABLE sign_in_challenges (
      token_hash bytea PRIMARY KEY,
      -- Whose password was right. Null: a passkey is to tell who it is.
      user_id uuid REFERENCES users ON DELETE CASCADE,
      -- What a passkey has to sign.
      challenge text,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX sign_in_challenges_expiry ON sign_in_challenges (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sign_in_challenges, passkeys, recovery_codes, totp_secrets');
}
