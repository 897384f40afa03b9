import { AppError } from '../errors.ts';
import { defaultLimits, type LimitName, limitsOf, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { Workspace } from './workspace.ts';

/** How many workspaces somebody owns, and may own: as many as the most generous of them allows. */
export async function readOwnedWorkspaces(
  db: Database,
  userId: string,
  ofPlans: PlanLimits = defaultLimits,
): Promise<{ owned: number; limit: number }> {
  const workspaces = await findOwned(db, userId);
  return { owned: workspaces.length, limit: highestLimit(workspaces, 'workspaces', ofPlans) };
}

/** How many invitations a person may send by mail in a day, from all their workspaces together. */
export async function readMailLimit(db: Database, userId: string, ofPlans: PlanLimits): Promise<number> {
  return highestLimit(await findOwned(db, userId), 'invitationMailsPerDay', ofPlans);
}

/** The limit, if the person would own too many with this workspace. Under `lockOwner`. */
export async function exceededOwnership(
  transaction: Database,
  userId: string,
  added: Workspace,
  ofPlans: PlanLimits,
): Promise<number | undefined> {
  const owned = await findOwned(transaction, userId);
  const limit = highestLimit([...owned, added], 'workspaces', ofPlans);
  return owned.length >= limit ? limit : undefined;
}

/** Until the end of the transaction, and before the lock of a workspace, as when an account is deleted. */
export async function lockOwner(transaction: Database, userId: string): Promise<void> {
  await transaction('users').where({ id: userId }).forUpdate().select('id');
}

export function tooManyOwned(owned: number, limit: number): AppError {
  const message = `You own ${owned} workspaces and may own ${limit}. Delete one or hand one over first, or ask the operator of this service for a higher limit.`;
  return new AppError('validation_error', message, { code: 'quota_exceeded' });
}

async function findOwned(db: Database, userId: string): Promise<Workspace[]> {
  return Workspace.query(db)
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .where({ 'member.user_id': userId, 'member.role': 'owner' })
    .select('workspaces.plan', 'workspaces.limits');
}

const highestLimit = (
  workspaces: Pick<Workspace, 'plan' | 'limits'>[],
  name: LimitName,
  ofPlans: PlanLimits,
) => Math.max(ofPlans.free[name], ...workspaces.map((each) => limitsOf(each, ofPlans)[name]));
