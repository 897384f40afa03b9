import type { Knex } from 'knex';

/**
 * The order of the list of codes, without which each page sorts all codes of the account, and the codes that open a file, which
 * the list can be filtered by. Safe to repeat.
 */
export const config = { transaction: false };

const columns = '(user_id, is_favorite, id)';
const indexes = {
  qr_codes_list: columns,
  // As in src/codes/search-codes.ts.
  qr_codes_files: `${columns} WHERE type = 'url' AND strpos(content, '/f/' || share_token || '/') > 0`,
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(indexes)) await buildIndex(knex, name, definition);
}

/** Without blocking writers. An interrupted build leaves an invalid index behind, which is built again. */
async function buildIndex(knex: Knex, name: string, definition: string): Promise<void> {
  const client = knex.client as Knex.Client;
  const connection: unknown = await client.acquireConnection();
  try {
    const run = (sql: string) => knex.raw(sql).connection(connection);
    const { rows } = (await run(
      `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${name}')`,
    )) as { rows: { valid: boolean }[] };
    if (rows[0]?.valid) return;
    // The build waits for every older transaction, and blocks nobody meanwhile.
    await run('SET lock_timeout = 0');
    await run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await run(`CREATE INDEX CONCURRENTLY ${name} ON qr_codes ${definition}`);
    await run('RESET lock_timeout');
  } finally {
    await client.releaseConnection(connection);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP INDEX IF EXISTS ${Object.keys(indexes).join(', ')}`);
}
