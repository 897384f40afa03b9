import type { Knex } from 'knex';

/**
 * Partitions the scans by month: ids begin with their time. The table as it was becomes the first partition, unchanged, for
 * everything before the bound that the previous migration checked. Scans no longer refer to their code by a foreign key:
 * checking it for each scan cost more than storing it, and it let a deleted code lock its recorders out.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw(
    `SELECT conname AS name, to_regclass('scans_id') IS NOT NULL AS "inUse" FROM pg_constraint
     WHERE conrelid = 'scans'::regclass AND conname LIKE 'scans\\_before\\_%'`,
  )) as { rows: [{ name: string; inUse: boolean }] };
  const { name, inUse } = rows[0];
  const bound = Date.parse(`${name.slice(-7).replace('_', '-')}-01T00:00:00Z`);
  const firstId = `${bound.toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
  await knex.raw(`
    ALTER TABLE scans RENAME TO ${name};
    ALTER TABLE ${name}
      DROP CONSTRAINT scans_qr_code_id_fkey,
      DROP CONSTRAINT scans_pkey,
      ADD CONSTRAINT ${name}_pkey PRIMARY KEY USING INDEX scans_code_scan;
    DROP INDEX scans_code;

    CREATE TABLE scans (LIKE ${name}, PRIMARY KEY (qr_code_id, id)) PARTITION BY RANGE (id);
    ALTER TABLE scans ATTACH PARTITION ${name} FOR VALUES FROM (MINVALUE) TO ('${firstId}');
    ALTER TABLE ${name} DROP CONSTRAINT ${name};
  `);
  if (!inUse) return;
  // Workers of the previous release insert with ON CONFLICT (id). `qrelay migrate --finish` drops the index.
  await knex.raw(`
    ALTER INDEX scans_id RENAME TO ${name}_id;
    CREATE UNIQUE INDEX scans_id ON scans (id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE plain_scans (LIKE scans);
    INSERT INTO plain_scans SELECT * FROM scans WHERE qr_code_id IN (SELECT id FROM qr_codes);
    DROP TABLE scans;
    ALTER TABLE plain_scans RENAME TO scans;
    ALTER TABLE scans ADD PRIMARY KEY (id);
    ALTER TABLE scans ADD FOREIGN KEY (qr_code_id) REFERENCES qr_codes ON DELETE CASCADE;
    CREATE INDEX scans_code ON scans (qr_code_id, id DESC);
  `);
}
