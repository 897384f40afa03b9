import type { Database } from '../store/database.ts';

/** A scan that the database refused, as it was in the queue, and why. */
export interface DeadScan {
  id: number;
  job: string;
  reason: string;
  diedAt: Date;
}

export async function listDeadScans(db: Database, after: number, limit: number): Promise<DeadScan[]> {
  return db('dead_scans')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'job', 'reason', 'died_at as diedAt') as Promise<DeadScan[]>;
}

export async function countDeadScans(db: Database): Promise<number> {
  const row = (await db('dead_scans').count('* as count').first()) as { count: number };
  return row.count;
}

/** Keeps a scan once, however often it is refused: a later refusal replaces the reason. */
export async function keepDeadScan(
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

/** Unless it was refused again since it was listed. */
export async function purgeDeadScan(db: Database, { id, diedAt }: DeadScan): Promise<void> {
  await db('dead_scans').where({ id, died_at: diedAt }).delete();
}
