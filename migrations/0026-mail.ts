import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users
      -- Of mails. Null: English.
      ADD COLUMN language text,
      ADD COLUMN time_zone text,
      -- The e-mail that its owner has confirmed. Another one than users.email confirms nothing.
      ADD COLUMN confirmed_email text;

    -- Browser and system, such as "Firefox on Windows", for the owner's list of sessions. The address is not stored.
    ALTER TABLE sessions ADD COLUMN device text;

    -- Addresses that wait to be confirmed: of a new account, or a new address of an account, which changes then.
    CREATE TABLE email_confirmations (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      email text NOT NULL,
      -- Null until the mail with the link is sent.
      token_hash bytea UNIQUE,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX email_confirmations_expiry ON email_confirmations (expires_at);

    -- Ids of mails that were sent, so that a job that is delivered twice sends one.
    CREATE TABLE sent_mails (
      id text PRIMARY KEY,
      sent_at timestamptz(3) NOT NULL
    );
    CREATE INDEX sent_mails_age ON sent_mails (sent_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE sent_mails, email_confirmations;
    ALTER TABLE sessions DROP COLUMN device;
    ALTER TABLE users DROP COLUMN confirmed_email, DROP COLUMN time_zone, DROP COLUMN language;
  `);
}
