import { Model, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';

const pageSize = 500;

/** A scan that can never be recorded, as it was in the queue, and why. */
export class DeadLetter extends Model {
  static override tableName = 'dead_scans';
  static override columnNameMappers = snakeCaseMappers();

  declare id: number;
  declare scanId: string | null;
  declare job: string;
  declare reason: string;
  declare diedAt: Date;
}

/** Lists the dead letters that exist at the start: one that is rejected again meanwhile is not listed twice. */
export async function* deadScans(db: Database): AsyncGenerator<DeadLetter> {
  const [last] = await DeadLetter.query(db).orderBy('id', 'desc').limit(1);
  for (let after = 0; ; ) {
    const page = await DeadLetter.query(db).where('id', '>', after).orderBy('id').limit(pageSize);
    for (const scan of page) if (scan.id <= (last?.id ?? 0)) yield scan;
    if (page.length === 0) return;
    after = page.at(-1)?.id ?? after;
  }
}

export async function countDeadLetters(db: Database): Promise<number> {
  return DeadLetter.query(db).resultSize();
}

/** Saves a scan once, however often its job is delivered: a later rejection replaces the reason. */
export async function saveDeadLetter(
  db: Database,
  { scanId, job, reason }: { scanId: string; job: string; reason: string },
): Promise<void> {
  await db.raw(
    `INSERT INTO dead_scans AS dead (scan_id, job, reason) VALUES (:scanId, :job, :reason)
     ON CONFLICT (scan_id) DO UPDATE SET reason = excluded.reason, job = excluded.job,
       died_at = greatest(excluded.died_at, dead.died_at + interval '1 ms')`,
    { scanId, job, reason },
  );
}

/** Unless it was rejected again since it was listed. */
export async function purgeDeadLetter(
  db: Database,
  { id, diedAt }: Pick<DeadLetter, 'id' | 'diedAt'>,
): Promise<void> {
  await DeadLetter.query(db).delete().where({ id, died_at: diedAt });
}
