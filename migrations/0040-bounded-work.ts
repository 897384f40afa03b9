import type { Knex } from 'knex';

/** Mails are repeated a bounded number of times, and deleting an account does not wait for its exports. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- How often the mail was sent again because nobody knew whether the server had accepted it.
    ALTER TABLE notices ADD COLUMN repeats smallint NOT NULL DEFAULT 0;
    -- Of the address that the link was mailed to. Null: an operator has made it, or an earlier version.
    ALTER TABLE sign_in_links ADD COLUMN email_digest bytea;
    -- They are purged in steps: by a foreign key, an export of 2 GiB would be one statement.
    ALTER TABLE account_export_chunks DROP CONSTRAINT account_export_chunks_user_id_fkey;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM account_export_chunks AS chunk WHERE NOT EXISTS (SELECT FROM users WHERE users.id = chunk.user_id);
    ALTER TABLE account_export_chunks ADD CONSTRAINT account_export_chunks_user_id_fkey
      FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
    ALTER TABLE sign_in_links DROP COLUMN email_digest;
    ALTER TABLE notices DROP COLUMN repeats;
  `);
}
