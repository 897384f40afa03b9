import type { Knex } from 'knex';

/**
 * What a killed worker has begun is taken up again, no owner's webhooks wait behind those of others, and deleting an endpoint
 * does not wait for its log.
 */
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

    -- When its owner began to set the app up, with the password. It cannot be finished much later, without it.
    ALTER TABLE totp_secrets ADD COLUMN started_at timestamptz(3);

    -- Endpoints whose log is to be purged, in steps: by a foreign key, a month of calls would be one statement.
    CREATE TABLE deleted_endpoints (
      id uuid PRIMARY KEY,
      deleted_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE FUNCTION note_deleted_endpoints() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deleted_endpoints (id) SELECT id FROM deleted ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_deleted_endpoints AFTER DELETE ON webhook_endpoints
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_endpoints();
    ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_endpoint_id_fkey;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM webhook_deliveries AS delivery
      WHERE NOT EXISTS (SELECT FROM webhook_endpoints WHERE webhook_endpoints.id = delivery.endpoint_id);
    ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey
      FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints ON DELETE CASCADE;
    DROP TRIGGER note_deleted_endpoints ON webhook_endpoints;
    DROP FUNCTION note_deleted_endpoints;
    DROP TABLE deleted_endpoints;
    ALTER TABLE totp_secrets DROP COLUMN started_at;
    ALTER TABLE webhook_endpoints DROP COLUMN is_slow, DROP COLUMN claimed_at, DROP COLUMN host;
    ALTER TABLE account_exports DROP COLUMN owner_told_at, DROP COLUMN failure, DROP COLUMN queued_at;
    ALTER TABLE notices DROP COLUMN leased_until;
  `);
}
