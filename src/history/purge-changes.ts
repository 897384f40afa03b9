import { hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';

const entriesPerStep = 1_000;
/** The oldest go first. Bounds what programs that change a code every second can store. */
const maxEntries = 200_000;

interface PurgeOptions {
  retentionMonths: number;
  now: Date;
  isOver: () => boolean;
  /** Less in tests. */
  maxPerWorkspace?: number;
}

/** Deletes entries past their retention, and those beyond what a workspace may have. Safe to repeat and to interrupt. */
export async function purgeChanges(
  db: Database,
  { retentionMonths, now, isOver, maxPerWorkspace = maxEntries }: PurgeOptions,
): Promise<void> {
  const keptSince = new Date(now);
  keptSince.setUTCMonth(keptSince.getUTCMonth() - retentionMonths);
  await deleteInSteps(db, isOver, 'id < :end', { end: firstIdAt(keptSince) });
  // Only a workspace with new entries can have become too large.
  const { rows } = (await db.raw('SELECT DISTINCT workspace_id AS id FROM changes WHERE id >= :since', {
    since: firstIdAt(new Date(now.getTime() - 2 * hourMs)),
  })) as { rows: { id: string }[] };
  for (const { id } of rows) {
    if (isOver()) return;
    const newestToDelete = (await db('changes')
      .where({ workspace_id: id })
      .orderBy('id', 'desc')
      .offset(maxPerWorkspace)
      .first('id')) as { id: string } | undefined;
    if (newestToDelete)
      await deleteInSteps(db, isOver, 'workspace_id = :id AND id <= :end', { id, end: newestToDelete.id });
  }
}

async function deleteInSteps(
  db: Database,
  isOver: () => boolean,
  condition: string,
  values: Record<string, string>,
): Promise<void> {
  for (let deleted = entriesPerStep; deleted === entriesPerStep && !isOver(); ) {
    const { rowCount } = (await db.raw(
      `DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE ${condition} ORDER BY id LIMIT ${entriesPerStep})`,
      values,
    )) as { rowCount: number };
    deleted = rowCount;
  }
}

/** Erases the addresses of people whose account was deleted. A trigger has listed them. */
export async function erasePeople(db: Database, isOver: () => boolean): Promise<void> {
  const people = (await db('deleted_people').orderBy('deleted_at').limit(1_000).pluck('id')) as string[];
  for (const id of people) {
    for (let erased = entriesPerStep; erased === entriesPerStep; ) {
      if (isOver()) return;
      const { rowCount } = (await db.raw(
        `UPDATE changes SET actor_name = CASE WHEN actor_id = :id THEN NULL ELSE actor_name END,
           subject_name = CASE WHEN kind = 'member' AND subject_id = :id THEN NULL ELSE subject_name END
         WHERE id IN (
           SELECT id FROM changes WHERE actor_id = :id AND actor_name IS NOT NULL
           UNION SELECT id FROM changes WHERE kind = 'member' AND subject_id = :id AND subject_name IS NOT NULL
           LIMIT ${entriesPerStep}
         )`,
        { id },
      )) as { rowCount: number };
      erased = rowCount;
    }
    await db('deleted_people').where({ id }).delete();
  }
}
