import type { Knex } from 'knex';

/** What a killed worker has begun is taken up again, and no owner's webhooks wait behind those of others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Until then, one worker sends the mail. claimed_at is set when that is done.
    ALTER TABLE notices ADD COLUMN leased_until timestamptz(3);

    ALTER TABLE account_exports
      -- When its job was last added to the queue.
      ADD COLUMN queued_at timestamptz(3),
      -- Why it failed. Null: the account is too large.
      ADD COLUMN failure text,
      -- When the mail to its owner was queued.
      ADD COLUMN owner_told_at timestamptz(3);

    ALTER TABLE webhook_endpoints
      -- Of its URL. Null where the URL was set by an earlier version.
      ADD COLUMN host text,
      -- When a worker last claimed it. Who has waited longest is called first.
      ADD COLUMN claimed_at timestamptz(3),
      -- Whether its last call that succeeded took long, or there was none.
      ADD COLUMN is_slow boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints DROP COLUMN is_slow, DROP COLUMN claimed_at, DROP COLUMN host;
    ALTER TABLE account_exports DROP COLUMN owner_told_at, DROP COLUMN failure, DROP COLUMN queued_at;
    ALTER TABLE notices DROP COLUMN leased_until;
  `);
}
