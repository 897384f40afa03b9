import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * Nobody can sign in to a blocked account. A trigger blocks the workspaces of which it is the only owner: their keys are refused,
 * and their codes answer 410. Nothing is deleted. False if it is already blocked; the existing block is not changed.
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

/** Its keys are refused, its codes answer 410, and members are told on its pages. False if it is already blocked. */
export async function blockWorkspace(
  db: Database,
  workspaceId: WorkspaceId,
  reason: string | null,
  now: Date,
): Promise<boolean> {
  // One that was blocked with its owner stays blocked when the owner is unblocked.
  const { rows } = (await db.raw(
    `INSERT INTO blocks AS known (kind, value, reason, created_at) VALUES ('workspace', :workspaceId, :reason, :now)
     ON CONFLICT (kind, value) DO UPDATE SET account_id = NULL, reason = excluded.reason, created_at = excluded.created_at
     WHERE known.account_id IS NOT NULL RETURNING value`,
    { workspaceId, reason, now } as never,
  )) as { rows: unknown[] };
  return rows.length > 0;
}

/** Also one that was blocked with its owner. False if it was not blocked. */
export async function unblockWorkspace(db: Database, workspaceId: string): Promise<boolean> {
  return (await db('blocks').where({ kind: 'workspace', value: workspaceId }).delete()) > 0;
}

export async function findWorkspaceBlock(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ reason: string | null; createdAt: Date } | undefined> {
  return db('blocks')
    .where({ kind: 'workspace', value: workspaceId })
    .first('reason', 'created_at as createdAt');
}
