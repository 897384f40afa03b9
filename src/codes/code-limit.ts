import { AppError } from '../errors.ts';
import { limitsOf, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { Workspace, type WorkspaceId } from '../workspaces/workspace.ts';

/** Above this, creating a code sums the rows up into one. */
const maxRows = 50;

/** Reads the counters that triggers maintain. */
export async function countOwnCodes(db: Database, workspaceId: WorkspaceId): Promise<number> {
  return (await readCount(db, workspaceId)).codes;
}

/** Throws if the codes would exceed the account's limit. A cheap check before expensive work; `lockRoomForCodes` decides. */
export async function requireRoomForCodes(
  db: Database,
  workspaceId: WorkspaceId,
  added: number,
  limits: PlanLimits,
): Promise<void> {
  const workspace = await Workspace.query(db).findById(workspaceId);
  if (workspace) requireRoom(await countOwnCodes(db, workspaceId), added, limitsOf(workspace, limits).codes);
}

/** Throws if the codes would exceed the account's limit. Holds off other creations until the transaction ends. */
export async function lockRoomForCodes(
  transaction: Database,
  workspaceId: WorkspaceId,
  added: number,
  limits: PlanLimits,
): Promise<void> {
  const workspace = await Workspace.query(transaction).findById(workspaceId).forNoKeyUpdate();
  if (!workspace) throw new AppError('not_found', 'The account was deleted.');
  // A separate statement, so that its snapshot includes what the previous holder of the lock committed.
  const { codes, rows } = await readCount(transaction, workspaceId);
  requireRoom(codes, added, limitsOf(workspace, limits).codes);
  if (rows > maxRows) await addUp(transaction, workspaceId);
}

function requireRoom(codes: number, added: number, limit: number): void {
  if (codes + added <= limit) return;
  const rest = added === 1 ? 'another one does' : `${added} more do`;
  throw new AppError(
    'validation_error',
    `This workspace has ${codes} ${codes === 1 ? 'QR code' : 'QR codes'} and may have ${limit}: ${rest} not fit. Delete codes that you no longer need, or ask the operator of this service for a higher limit.`,
    { code: 'quota_exceeded' },
  );
}

async function readCount(db: Database, workspaceId: WorkspaceId): Promise<{ codes: number; rows: number }> {
  const { rows } = (await db.raw(
    'SELECT coalesce(sum(codes), 0)::int AS codes, count(*)::int AS rows FROM code_counts WHERE user_id = ?',
    [workspaceId],
  )) as { rows: [{ codes: number; rows: number }] };
  return rows[0];
}

/** One statement, so that concurrent readers see the same sum. Deletions may add rows meanwhile. */
async function addUp(transaction: Database, workspaceId: WorkspaceId): Promise<void> {
  await transaction.raw(
    `WITH former AS (DELETE FROM code_counts WHERE user_id = :workspaceId RETURNING codes)
     INSERT INTO code_counts (user_id, codes) SELECT :workspaceId, sum(codes) FROM former`,
    { workspaceId },
  );
}
