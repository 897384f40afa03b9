import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../store/database.ts';

interface Dating {
  codeId: string;
  /** When the invented change was made. */
  at: Date;
  person: { id: string; email: string };
  /** Entries of this version and later ones. */
  fromVersion?: number;
}

/** The history has the time at which the demo was created, and nobody's name: entries get an invented time and person. */
export async function dateChanges(
  db: Database,
  { codeId, at, person, fromVersion = 1 }: Dating,
): Promise<void> {
  const entries = (await db('changes')
    .where({ code_id: codeId })
    .where('version', '>=', fromVersion)
    .orderBy('version')
    .pluck('id')) as string[];
  for (const [index, id] of entries.entries()) {
    const time = new Date(at.getTime() + index * 1_000);
    await db('changes')
      .where({ id })
      .update({
        // Ids sort by time.
        id: uuidv7({ msecs: time.getTime() }),
        at: time,
        actor_kind: 'person',
        actor_id: person.id,
        actor_name: person.email,
      });
  }
}

/** The number of the next entry of a code. */
export async function nextVersion(db: Database, codeId: string): Promise<number> {
  const latest = (await db('changes').where({ code_id: codeId }).max('version as version').first()) as {
    version: number | null;
  };
  return (latest.version ?? 0) + 1;
}
