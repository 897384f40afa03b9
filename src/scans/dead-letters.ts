import type { Database } from '../store/database.ts';

const pageSize = 500;

/** A scan that can never be recorded, as it was in the queue, and why. */
export interface DeadLetter {
  id: number;
  job: string;
  reason: string;
  diedAt: Date;
}

async function listDeadLetters(db: Database, after: number, limit: number): Promise<DeadLetter[]> {
  return db('dead_scans')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'job', 'reason', 'died_at as diedAt') as Promise<DeadLetter[]>;
}

/** Those that were there at the start: one that is rejected again meanwhile does not come twice. */
export async function* deadScans(db: Database): AsyncGenerator<DeadLetter> {
  const last = (await db('dead_scans').max('id as id').first()) as { id: number | null };
  let page = await listDeadLetters(db, 0, pageSize);
  while (page.length > 0) {
    for (const scan of page) if (scan.id <= (last.id ?? 0)) yield scan;
    page = await listDeadLetters(db, page.at(-1)?.id ?? 0, pageSize);
  }
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
