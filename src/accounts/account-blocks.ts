import type { Database } from '../store/database.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * Nobody can sign in to a blocked account, its keys are refused, and its codes answer 410. Nothing is deleted. False if it
 * is already blocked; the existing block is not changed.
 */
export async function blockAccount(
  db: Database,
  userId: string,
  reason: string | null,
  now: Date,
): Promise<boolean> {
  const added = await db('blocks')
    .insert({ kind: 'account', value: userId, reason, created_at: now })
    .onConflict()
    .ignore()
    .returning('value');
  await endSessionsOf(db, userId);
  return added.length > 0;
}

/** False if it was not blocked. */
export async function unblockAccount(db: Database, userId: string): Promise<boolean> {
  return (await db('blocks').where({ kind: 'account', value: userId }).delete()) > 0;
}

export async function findAccountBlock(
  db: Database,
  userId: string,
): Promise<{ reason: string | null; createdAt: Date } | undefined> {
  return db('blocks').where({ kind: 'account', value: userId }).first('reason', 'created_at as createdAt');
}
