import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A redelivered job must not add its refused scans twice. Null in rows of earlier releases.
    ALTER TABLE dead_scans ADD COLUMN scan_id text;
    CREATE UNIQUE INDEX dead_scans_scan ON dead_scans (scan_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE dead_scans DROP COLUMN scan_id');
}
