import type { Knex } from 'knex';
import { noteFunctions } from './0029-code-events.ts';

export const deliveryColumns = {
  status: `CASE WHEN endpoint.is_enabled THEN 'pending' ELSE 'failed' END`,
  finished_at: 'CASE WHEN endpoint.is_enabled THEN NULL ELSE clock_timestamp() END',
};

/** Events of codes are logged for a disabled endpoint, too: as failed, without a call, so that a replay can send them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${noteFunctions(deliveryColumns)}
    -- When the mail to the owner of a disabled endpoint was queued.
    ALTER TABLE webhook_endpoints ADD COLUMN owner_told_at timestamptz(3);
    -- To purge them a day after they were delivered: they contain a code that is gone.
    CREATE INDEX webhook_deliveries_deleted_code ON webhook_deliveries (finished_at)
      WHERE event = 'code.deleted' AND status = 'delivered';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${noteFunctions()}
    ALTER TABLE webhook_endpoints DROP COLUMN owner_told_at;
    DROP INDEX webhook_deliveries_deleted_code;
  `);
}
