import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      url text NOT NULL,
      name text NOT NULL,
      events text[] NOT NULL,
      -- Both null: all codes. Otherwise codes that are in either list.
      code_ids uuid[],
      categories text[],
      -- Encrypted with a key that is derived from a root secret; secret_key tells which.
      sealed_secret bytea NOT NULL,
      sealed_previous_secret bytea,
      previous_secret_until timestamptz(3),
      secret_key text NOT NULL,
      is_enabled boolean NOT NULL DEFAULT true,
      disabled_at timestamptz(3),
      disabled_reason text,
      -- Failures since the last success. The next call is made at retry_at.
      failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz(3),
      retry_at timestamptz(3) NOT NULL DEFAULT now(),
      -- The next call with scans is not made before.
      scans_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Until then, one worker calls it.
      leased_until timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE INDEX webhook_endpoints_user ON webhook_endpoints (user_id, id);

    -- Recorded scans that wait for a call. Without foreign keys: recording must not wait for a lock of an endpoint.
    CREATE TABLE webhook_scans (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      endpoint_id uuid NOT NULL,
      qr_code_id uuid NOT NULL,
      scan_ids uuid[] NOT NULL
    );
    CREATE INDEX webhook_scans_endpoint ON webhook_scans (endpoint_id, id);

    -- A version 7 UUID: sorts by time.
    CREATE FUNCTION new_delivery_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
      SELECT encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid()) PLACING
        substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6
      ), 52, 1), 53, 1), 'hex')::uuid
    $$;

    -- Calls that wait, and the log of those that were made.
    CREATE TABLE webhook_deliveries (
      id uuid PRIMARY KEY DEFAULT new_delivery_id(),
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
      event text NOT NULL,
      -- A code as it was at that time, except for calls with scans.
      qr_code_id uuid,
      data jsonb,
      -- Scans, by their code and id. Their data stays in the table of scans.
      scan_codes uuid[],
      scan_ids uuid[],
      happened_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      status text NOT NULL DEFAULT 'pending',
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
      give_up_at timestamptz(3) NOT NULL DEFAULT now() + interval '3 days',
      finished_at timestamptz(3),
      -- Set for events that a job finds again and again.
      once_key text,
      UNIQUE (endpoint_id, once_key)
    );
    CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id);
    CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_code ON webhook_deliveries (qr_code_id) WHERE qr_code_id IS NOT NULL;

    CREATE TABLE webhook_attempts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
      attempted_at timestamptz(3) NOT NULL,
      duration_ms integer NOT NULL,
      status_code integer,
      -- The start of the response's body.
      response text,
      error text
    );
    CREATE INDEX webhook_attempts_delivery ON webhook_attempts (delivery_id, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE webhook_attempts, webhook_deliveries, webhook_scans, webhook_endpoints;
    DROP FUNCTION new_delivery_id;
  `);
}
