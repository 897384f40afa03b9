import type { Knex } from 'knex';

/**
 * Prepares the table of scans, while it is in use, to become a partition in the next migration: builds the indexes that a
 * partition has, and checks that no scan lies beyond the partition's upper bound. Safe to repeat.
 */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await buildIndex(knex, 'scans_code_scan', '(qr_code_id, id)');
  // Workers of the previous release need it. A new installation has none.
  if (await isInUse(knex)) await buildIndex(knex, 'scans_id', '(id)');
  await addBound(knex);
}

async function isInUse(knex: Knex): Promise<boolean> {
  const { rows } = (await knex.raw('SELECT EXISTS (SELECT FROM users) AS used')) as {
    rows: [{ used: boolean }];
  };
  return rows[0].used;
}

/** Without blocking writers. An interrupted build leaves an invalid index behind, which is built again. */
async function buildIndex(knex: Knex, name: string, columns: string): Promise<void> {
  const connection: unknown = await (knex.client as Knex.Client).acquireConnection();
  try {
    const run = (sql: string) => knex.raw(sql).connection(connection);
    const { rows } = (await run(
      `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${name}')`,
    )) as { rows: { valid: boolean }[] };
    if (rows[0]?.valid) return;
    // The build waits for every older transaction, and blocks nobody meanwhile.
    await run('SET lock_timeout = 0');
    await run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await run(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON scans ${columns}`);
    await run('RESET lock_timeout');
  } finally {
    await (knex.client as Knex.Client).releaseConnection(connection);
  }
}

/** `scans_before_2027_01`: a valid constraint spares the next migration from reading the whole table under a lock. */
async function addBound(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw('SELECT id FROM scans ORDER BY id DESC LIMIT 1')) as {
    rows: { id: string }[];
  };
  const last = rows[0] ? Number.parseInt(rows[0].id.replaceAll('-', '').slice(0, 12), 16) : 0;
  // The bound must still be ahead when a long validation has finished.
  const end = new Date(Math.max(Date.now() + 3 * 24 * 3_600_000, last));
  const bound = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1));
  const name = `scans_before_${bound.toISOString().slice(0, 7).replace('-', '_')}`;
  const firstId = `${bound.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
  await dropBounds(knex);
  await knex.transaction(async (transaction) => {
    await transaction.raw("SET LOCAL lock_timeout = '400ms'");
    await transaction.raw(`ALTER TABLE scans ADD CONSTRAINT ${name} CHECK (id < '${firstId}') NOT VALID`);
  });
  await knex.raw(`ALTER TABLE scans VALIDATE CONSTRAINT ${name}`);
}

async function dropBounds(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = 'scans'::regclass AND conname LIKE 'scans\\_before\\_%'`,
  )) as { rows: { name: string }[] };
  for (const { name } of rows) {
    await knex.transaction(async (transaction) => {
      await transaction.raw("SET LOCAL lock_timeout = '400ms'");
      await transaction.raw('ALTER TABLE scans DROP CONSTRAINT IF EXISTS ??', [name]);
    });
  }
}

export async function down(knex: Knex): Promise<void> {
  await dropBounds(knex);
  await knex.raw('DROP INDEX IF EXISTS scans_code_scan, scans_id');
}
