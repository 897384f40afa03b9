import type { Knex } from 'knex';

/** One table at a time, each in a transaction of its own: nobody waits for more than one of them. Safe to repeat. */
export const config = { transaction: false };

/** What a workspace owns. Everything else that refers to an account belongs to the person. */
export const ownedTables = [
  'api_keys',
  'qr_codes',
  'trashed_codes',
  'idempotent_responses',
  'webhook_endpoints',
  'account_exports',
  'notice_checks',
  'notices',
  'logos',
  'styles',
  'style_applications',
  'code_files',
  'removed_files',
  'removed_designs',
  'brands',
];

/** Shorter than the timeout of a redirect's lookup. The migration is tried again where it does not get its lock. */
const lockWaitMs = 400;

export async function up(knex: Knex): Promise<void> {
  for (const table of ownedTables) await moveTo(knex, 'workspaces', table);
}

export async function down(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw(
    'SELECT count(*)::int AS count FROM workspaces WHERE NOT EXISTS (SELECT FROM users WHERE users.id = workspaces.id)',
  )) as { rows: [{ count: number }] };
  if (rows[0].count > 0)
    throw new Error(
      `The previous release has no place for ${rows[0].count} workspaces that are not the first one of an account. Delete them first.`,
    );
  for (const table of ownedTables) await moveTo(knex, 'users', table);
}

/** Not validated here: that would keep the table locked while it is read. */
async function moveTo(knex: Knex, target: 'users' | 'workspaces', table: string): Promise<void> {
  const { rows } = (await knex.raw(
    'SELECT FROM pg_constraint WHERE conname = :name AND confrelid = CAST(:target AS regclass)',
    { name: `${table}_user_id_fkey`, target },
  )) as { rows: unknown[] };
  if (rows.length > 0) return;
  await knex.transaction(async (transaction) => {
    await transaction.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
    await transaction.raw(
      `ALTER TABLE ${table} DROP CONSTRAINT ${table}_user_id_fkey,
         ADD CONSTRAINT ${table}_user_id_fkey FOREIGN KEY (user_id) REFERENCES ${target} ON DELETE CASCADE NOT VALID`,
    );
  });
}
