import type { Knex } from 'knex';

/** What an API key may do, until when it works, and when it was last used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys
      -- Null, as for every key of the previous release: everything.
      ADD COLUMN scopes text[],
      -- Null: never.
      ADD COLUMN expires_at timestamptz(3),
      -- Written when the window of the key is purged, at most once an hour.
      ADD COLUMN last_used_at timestamptz(3);
  `);
}

/** Revokes keys with limits, which the previous release does not accept: their hashes are others. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE api_keys SET revoked_at = least(expires_at, now())
      WHERE revoked_at IS NULL AND (scopes IS NOT NULL OR expires_at IS NOT NULL);
    ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN expires_at, DROP COLUMN last_used_at;
  `);
}
