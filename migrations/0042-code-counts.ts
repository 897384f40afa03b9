import type { Knex } from 'knex';

/**
 * Counts the codes that were there before the triggers. A step is one statement, which adds the difference between the codes
 * and the count in the same snapshot: exact while codes are created and deleted, without a lock, and safe to repeat.
 */
export const config = { transaction: false };

const accountsPerStep = 200;

export async function up(knex: Knex): Promise<void> {
  let last: string | undefined = '00000000-0000-0000-0000-000000000000';
  while (last) last = await countCodes(knex, last);
}

/** Counts for the accounts after the given one, and returns the last of them. */
async function countCodes(knex: Knex, after: string): Promise<string | undefined> {
  const { rows } = (await knex.raw(
    `WITH step AS MATERIALIZED (
       SELECT id FROM users WHERE id > CAST(:after AS uuid) ORDER BY id LIMIT ${accountsPerStep}
     ), counted AS (
       SELECT id, (SELECT count(*) FROM qr_codes WHERE user_id = step.id)
              - (SELECT coalesce(sum(codes), 0) FROM code_counts WHERE user_id = step.id) AS missing
       FROM step
     ), added AS (
       INSERT INTO code_counts (user_id, codes) SELECT id, missing FROM counted WHERE missing <> 0
     )
     SELECT id FROM step ORDER BY id DESC LIMIT 1`,
    { after },
  )) as { rows: { id: string }[] };
  return rows[0]?.id;
}

/** The table is dropped with its triggers. */
export async function down(): Promise<void> {}
