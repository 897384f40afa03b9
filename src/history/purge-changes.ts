import { hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';

const entriesPerStep = 1_000;
/**
 * The oldest go first. Bounds what programs that change a code every second can store. For each kind, so that nobody can
 * flush the entries about members and keys by changing codes.
 */
const maxEntries = 200_000;

interface PurgeOptions {
  retentionMonths: number;
  now: Date;
  isOver: () => boolean;
  /** Less in tests. */
  maxPerKind?: number;
}

/** Deletes entries past their retention, and those beyond what a workspace may have. Safe to repeat and to interrupt. */
export async function purgeChanges(
  db: Database,
  { retentionMonths, now, isOver, maxPerKind = maxEntries }: PurgeOptions,
): Promise<void> {
  const keptSince = new Date(now);
  keptSince.setUTCMonth(keptSince.getUTCMonth() - retentionMonths);
  await deleteInSteps(db, isOver, 'id < :end', { end: firstIdAt(keptSince) });
  // Only a workspace with new entries can have become too large.
  const { rows } = (await db.raw('SELECT DISTINCT workspace_id AS id, kind FROM changes WHERE id >= :since', {
    since: firstIdAt(new Date(now.getTime() - 2 * hourMs)),
  })) as { rows: { id: string; kind: string }[] };
  for (const { id, kind } of rows) {
    if (isOver()) return;
    const newestToDelete = (await db('changes')
      .where({ workspace_id: id, kind })
      .orderBy('id', 'desc')
      .offset(maxPerKind)
      .first('id')) as { id: string } | undefined;
    if (newestToDelete)
      await deleteInSteps(db, isOver, 'workspace_id = :id AND kind = :kind AND id <= :end', {
        id,
        kind,
        end: newestToDelete.id,
      });
  }
}

/** A code that loses its latest entry goes on with the next number. */
async function deleteInSteps(
  db: Database,
  isOver: () => boolean,
  condition: string,
  values: Record<string, string>,
): Promise<void> {
  for (let deleted = entriesPerStep; deleted === entriesPerStep && !isOver(); ) {
    const { rows } = (await db.raw(
      `WITH deleted AS (
         DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE ${condition} ORDER BY id LIMIT ${entriesPerStep})
         RETURNING code_id, workspace_id, version
       ), noted AS (
         INSERT INTO purged_versions AS known (code_id, workspace_id, version)
         SELECT code_id, workspace_id, max(version) FROM deleted
         WHERE EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = code_id) GROUP BY code_id, workspace_id
         ON CONFLICT (code_id) DO UPDATE SET version = greatest(known.version, excluded.version)
       )
       SELECT count(*)::int AS count FROM deleted`,
      values,
    )) as { rows: [{ count: number }] };
    deleted = rows[0].count;
  }
}

/** Erases the addresses of people whose account was deleted. A trigger has listed them. Safe to repeat and to interrupt. */
export async function erasePeople(db: Database, isOver: () => boolean): Promise<void> {
  const people = (await db('deleted_people').orderBy('deleted_at').limit(1_000)) as DeletedPerson[];
  for (const person of people) {
    await erasePerson(db, person);
    for (const step of [eraseActor, eraseMember])
      for (let erased = entriesPerStep; erased === entriesPerStep; ) {
        if (isOver()) return;
        erased = await step(db, person.id);
      }
    await db('deleted_people').where({ id: person.id }).delete();
  }
}

interface DeletedPerson {
  id: string;
  email: string;
  deleted_at: Date;
}

/** In what they have made in the workspaces of others, and invitations to them: a trigger erases the entries about these. */
async function erasePerson(db: Database, { id, email, deleted_at: deletedAt }: DeletedPerson): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction('api_keys').where({ created_by: id }).update({ created_by_email: null });
    for (const by of ['created_by', 'changed_by'])
      await transaction('webhook_endpoints')
        .where({ [by]: id })
        .update({ [`${by}_email`]: null });
    await transaction.raw(`UPDATE style_applications SET actor = actor - 'name' WHERE actor ->> 'id' = :id`, {
      id,
    });
    await transaction('invitations')
      .whereRaw('lower(email) = lower(?)', [email])
      .where('created_at', '<=', deletedAt)
      .delete();
  });
}

async function eraseActor(db: Database, id: string): Promise<number> {
  const { rowCount } = (await db.raw(
    `UPDATE changes SET actor_name = NULL WHERE id IN (
       SELECT id FROM changes WHERE actor_id = :id AND actor_name IS NOT NULL LIMIT ${entriesPerStep}
     )`,
    { id },
  )) as { rowCount: number };
  return rowCount;
}

async function eraseMember(db: Database, id: string): Promise<number> {
  const { rowCount } = (await db.raw(
    `UPDATE changes SET subject_name = NULL WHERE id IN (
       SELECT id FROM changes WHERE kind = 'member' AND subject_id = :id AND subject_name IS NOT NULL
       LIMIT ${entriesPerStep}
     )`,
    { id },
  )) as { rowCount: number };
  return rowCount;
}
