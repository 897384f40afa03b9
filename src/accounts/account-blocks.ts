import { addBlock, findBlock, removeBlock } from '../codes/blocks.ts';
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
  const isAdded = await addBlock(db, { kind: 'account', value: userId, reason, createdAt: now });
  await endSessionsOf(db, userId);
  return isAdded;
}

/** False if it was not blocked. */
export const unblockAccount = (db: Database, userId: string) => removeBlock(db, 'account', userId);

export const findAccountBlock = (db: Database, userId: string) => findBlock(db, 'account', userId);
