import type { Database } from '../store/database.ts';

/** A scan that can never be recorded, as it was in the queue, and why. */
export interface DeadLetter {
  id: number;
  job: string;
  reason: string;
  diedAt: Date;
}

export async function listDeadLetters(db: Database, after: number, limit: number): Promise<DeadLetter[]> {
  return db('dead_scans')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'job', 'reason', 'died_at as diedAt') as Promise<DeadLetter[]>;
}

export async function countDeadLetters(db: Database): Promise<number> {
  const row = (await db('dead_scans').count('* as count').first()) as { count: number };
  return row.count;
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
export async function purgeDeadLetter(db: Database, { id, diedAt }: DeadLetter): Promise<void> {
  await db('dead_scans').where({ id, died_at: diedAt }).delete();
}
