import type { Knex } from 'knex';

/** Each account of the previous release becomes a workspace of one, in steps that are safe to repeat. */
export const config = { transaction: false };

const accountsPerStep = 200;

export async function up(knex: Knex): Promise<void> {
  let last: string | undefined = '00000000-0000-0000-0000-000000000000';
  while (last) last = await createWorkspaces(knex, last);
}

/** For the accounts after the given one. Returns the last of them. */
async function createWorkspaces(knex: Knex, after: string): Promise<string | undefined> {
  const { rows } = (await knex.raw(
    `WITH step AS MATERIALIZED (
       SELECT users FROM users WHERE id > CAST(:after AS uuid) ORDER BY id LIMIT ${accountsPerStep} FOR KEY SHARE
     )
     SELECT (users).id, CASE WHEN NOT EXISTS (SELECT FROM workspaces WHERE id = (users).id)
                             THEN create_workspace(users) END
     FROM step ORDER BY 1 DESC`,
    { after },
  )) as { rows: { id: string }[] };
  return rows[0]?.id;
}

/** The tables are dropped with the rows. */
export async function down(): Promise<void> {}
