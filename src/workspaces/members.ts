import { raw } from 'objection';
import { isWorkspaceBlockedSql } from '../accounts/users.ts';
import type { Database } from '../store/database.ts';
import { Workspace, type WorkspaceId } from './workspace.ts';

/** From the one who may do most to the one who may do least. Stored. */
export const roles = ['owner', 'editor', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Whether somebody with this role may do what needs at least the other one. */
export const hasRole = (role: Role, needed: Role) => roles.indexOf(role) <= roles.indexOf(needed);

/** A workspace as one of its members sees it. */
export interface Membership {
  workspace: Workspace;
  role: Role;
  /** An operator has blocked the workspace: its keys are refused, and its codes answer 410. */
  isBlocked?: boolean;
}

/** Undefined where the person is not a member. Without an id: the workspace of their own, or else the one that they joined first. */
export async function findMembership(
  db: Database,
  userId: string,
  id?: WorkspaceId,
): Promise<Membership | undefined> {
  const query = Workspace.query(db)
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .where('member.user_id', userId)
    .select('workspaces.*', 'member.role', raw(`${isWorkspaceBlockedSql('workspaces.id')} AS is_blocked`))
    .orderByRaw('(workspaces.id = ?) DESC, member.joined_at, workspaces.id', [userId])
    .first();
  if (id !== undefined) query.where('workspaces.id', id);
  const found = (await query) as (Workspace & { role: Role; isBlocked: boolean }) | undefined;
  return found && { workspace: found, role: found.role, isBlocked: found.isBlocked };
}
