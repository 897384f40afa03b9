import type { Database } from '../store/database.ts';

const entriesPerStep = 1_000;

/** Whether the entry is of a code that was deleted for good, as SQL. Reads hide its contents until they are erased. */
export const isToEraseSql =
  'EXISTS (SELECT FROM histories_to_erase AS listed WHERE listed.code_id = changes.code_id) AS is_to_erase';

/**
 * Erases the contents of the entries of codes that were deleted for good, where they were too many for the trigger, which has
 * listed the codes. Safe to repeat and to interrupt.
 */
export async function eraseDeletedCodes(db: Database, isOver: () => boolean): Promise<void> {
  const codes = (await db('histories_to_erase')
    .orderBy('deleted_at')
    .limit(1_000)
    .pluck('code_id')) as string[];
  for (const codeId of codes) {
    let after: number | null = 0;
    while (after !== null) {
      if (isOver()) return;
      after = await eraseStep(db, codeId, after);
    }
    await db('histories_to_erase').where({ code_id: codeId }).delete();
  }
}

/** Returns the last version of the step, or null where there is none left. */
async function eraseStep(db: Database, codeId: string, after: number): Promise<number | null> {
  const { rows } = (await db.raw(
    `WITH step AS (
       SELECT max(version) AS last FROM (
         SELECT version FROM changes WHERE code_id = :codeId AND version > :after ORDER BY version LIMIT ${entriesPerStep}
       ) AS next
     ), erased AS (
       UPDATE changes SET before = NULL, after = NULL, subject_name = NULL
       WHERE code_id = :codeId AND version > :after AND version <= (SELECT last FROM step)
         AND (before IS NOT NULL OR after IS NOT NULL OR subject_name IS NOT NULL)
     )
     SELECT last FROM step`,
    { codeId, after },
  )) as { rows: [{ last: number | null }] };
  return rows[0].last;
}
