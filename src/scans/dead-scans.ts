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

export async function forgetDeadScan(db: Database, id: number): Promise<void> {
  await db('dead_scans').where({ id }).delete();
}
