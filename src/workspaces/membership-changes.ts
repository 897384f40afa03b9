import { defaultLimits, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { countMembers, findRole, type Role } from './members.ts';
import { exceededOwnership, lockOwner } from './owned-workspaces.ts';
import { findWorkspace, lockWorkspace, type WorkspaceId } from './workspace.ts';

/** `actorId` changes the membership of `userId`, who may be the same person. */
interface Change {
  workspaceId: WorkspaceId;
  actorId: string;
  userId: string;
}

/** `unchanged`: it is so already. */
export type ChangeOutcome =
  | 'changed'
  | 'unchanged'
  | 'not-owner'
  | 'not-member'
  | 'last-owner'
  | 'owns-too-many';

export async function changeRole(
  db: Database,
  { role, ...change }: Change & { role: Role },
  ofPlans: PlanLimits = defaultLimits,
): Promise<ChangeOutcome> {
  return underLock(db, change, async (transaction, current) => {
    if (current === role) return 'unchanged';
    if (role === 'owner' && (await ownsTooMany(transaction, change, ofPlans))) return 'owns-too-many';
    if (current === 'owner' && (await isLastOwner(transaction, change))) return 'last-owner';
    await rowOf(transaction, change).update({ role });
    return 'changed';
  });
}

export async function removeMember(db: Database, change: Change): Promise<ChangeOutcome> {
  return underLock(db, change, (transaction, current) => remove(transaction, change, current));
}

/** Everybody may leave, whatever their role. */
export async function leaveWorkspace(
  db: Database,
  { workspaceId, userId }: Omit<Change, 'actorId'>,
): Promise<ChangeOutcome> {
  const change = { workspaceId, userId, actorId: userId };
  return db.transaction(async (transaction) => {
    await lockWorkspace(transaction, workspaceId);
    const current = await findRole(transaction, workspaceId, userId);
    return current === undefined ? 'not-member' : remove(transaction, change, current);
  });
}

async function remove(transaction: Database, change: Change, current: Role): Promise<ChangeOutcome> {
  if (current === 'owner' && (await isLastOwner(transaction, change))) return 'last-owner';
  await rowOf(transaction, change).delete();
  return 'changed';
}

/** Makes another member an owner and the owner who does it an editor. */
export async function handOver(
  db: Database,
  change: Change,
  ofPlans: PlanLimits = defaultLimits,
): Promise<ChangeOutcome> {
  const { actorId, userId } = change;
  if (actorId === userId) return 'unchanged';
  return underLock(db, change, async (transaction, current) => {
    if (current !== 'owner' && (await ownsTooMany(transaction, change, ofPlans))) return 'owns-too-many';
    await rowOf(transaction, change).update({ role: 'owner' });
    await rowOf(transaction, { ...change, userId: actorId }).update({ role: 'editor' });
    return 'changed';
  });
}

/**
 * The lock of the workspace lets parallel changes see each other: of two owners who demote each other, the second is no owner
 * any more. The guard of the route has looked before, so the role of the actor is read again.
 */
async function underLock(
  db: Database,
  { workspaceId, actorId, userId }: Change,
  work: (transaction: Database, current: Role) => Promise<ChangeOutcome>,
): Promise<ChangeOutcome> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, userId);
    await lockWorkspace(transaction, workspaceId);
    if ((await findRole(transaction, workspaceId, actorId)) !== 'owner') return 'not-owner';
    const current = await findRole(transaction, workspaceId, userId);
    return current === undefined ? 'not-member' : work(transaction, current);
  });
}

async function isLastOwner(transaction: Database, { workspaceId }: Change): Promise<boolean> {
  return (await countMembers(transaction, workspaceId, 'owner')) === 1;
}

async function ownsTooMany(
  transaction: Database,
  { workspaceId, userId }: Change,
  ofPlans: PlanLimits,
): Promise<boolean> {
  const workspace = await findWorkspace(transaction, workspaceId);
  return (await exceededOwnership(transaction, userId, workspace, ofPlans)) !== undefined;
}

const rowOf = (transaction: Database, { workspaceId, userId }: Change) =>
  transaction('workspace_members').where({ workspace_id: workspaceId, user_id: userId });
