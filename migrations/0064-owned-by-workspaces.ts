import type { Knex } from 'knex';

/**
 * What a workspace owns. Everything else that refers to an account belongs to the person. Limits are those of a workspace, too;
 * no release has known them as those of an account.
 */
export const ownedTables = [
  'api_keys',
  'qr_codes',
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

const moveTo = (target: string) =>
  ownedTables
    .map(
      (table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_user_id_fkey,
        ADD CONSTRAINT ${table}_user_id_fkey FOREIGN KEY (user_id) REFERENCES ${target} ON DELETE CASCADE NOT VALID;`,
    )
    .join('\n');

/** Not validated here: that would keep the tables locked while they are read. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${moveTo('workspaces')}
    UPDATE workspaces SET limits = users.limits FROM users WHERE users.id = workspaces.id AND users.limits IS NOT NULL;
    ALTER TABLE users DROP COLUMN limits;
  `);
}

export async function down(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw(
    `SELECT count(*)::int AS count FROM workspaces WHERE NOT EXISTS (SELECT FROM users WHERE users.id = workspaces.id)`,
  )) as { rows: [{ count: number }] };
  if (rows[0].count > 0)
    throw new Error(
      `The previous release has no place for ${rows[0].count} workspaces that are not the first one of an account. Delete them before.`,
    );
  await knex.raw(`
    ALTER TABLE users ADD COLUMN limits jsonb;
    UPDATE users SET limits = workspaces.limits FROM workspaces WHERE users.id = workspaces.id AND workspaces.limits IS NOT NULL;
    ${moveTo('users')}
  `);
}
