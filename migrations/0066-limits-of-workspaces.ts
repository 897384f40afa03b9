import type { Knex } from 'knex';

/** Limits are those of a workspace. No release has known them as those of an account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE workspaces SET limits = users.limits FROM users WHERE users.id = workspaces.id AND users.limits IS NOT NULL;
    ALTER TABLE users DROP COLUMN limits;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users ADD COLUMN limits jsonb;
    UPDATE users SET limits = workspaces.limits FROM workspaces
      WHERE users.id = workspaces.id AND workspaces.limits IS NOT NULL;
  `);
}
