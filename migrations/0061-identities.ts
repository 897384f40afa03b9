import type { Knex } from 'knex';

/** Sign-in with OpenID Connect. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Accounts of an OpenID provider that sign in to one of ours.
    CREATE TABLE identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      -- The verified address when it was linked.
      email text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      last_used_at timestamptz(3) NOT NULL,
      PRIMARY KEY (issuer, subject),
      UNIQUE (user_id, issuer)
    );

    -- Browsers that were sent to the provider. The state is only in the address that they come back to.
    CREATE TABLE openid_requests (
      state_hash bytea PRIMARY KEY,
      browser_hash bytea NOT NULL,
      -- Encrypted with the state.
      sealed bytea NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX openid_requests_expiry ON openid_requests (expires_at);

    -- When the provider last confirmed that it is the owner: instead of the password, for accounts without one.
    ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz(3);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE sessions DROP COLUMN confirmed_at; DROP TABLE openid_requests, identities');
}
