import { raw } from 'objection';
import type { Database } from '../store/database.ts';
import { isWorkspaceBlockedSql, Workspace, type WorkspaceId } from './workspace.ts';

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

/** A page offers no more of them to switch to. */
const maxMemberships = 100;

/** The workspaces of a person: the preferred one first, then their own, then those that they joined, oldest first. */
export async function findMemberships(
  db: Database,
  userId: string,
  preferredSlug: string | undefined,
): Promise<Membership[]> {
  const found = (await Workspace.query(db)
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .where('member.user_id', userId)
    .select('workspaces.*', 'member.role', raw(`${isWorkspaceBlockedSql('workspaces.id')} AS is_blocked`))
    .orderByRaw('(workspaces.slug = ?) DESC, (workspaces.id = ?) DESC, member.joined_at, workspaces.id', [
      preferredSlug ?? '',
      userId,
    ])
    .limit(maxMemberships)) as (Workspace & { role: Role; isBlocked: boolean })[];
  return found.map((workspace) => ({ workspace, role: workspace.role, isBlocked: workspace.isBlocked }));
}

/** Undefined where the person is not a member. */
export async function findMembership(
  db: Database,
  userId: string,
  id: WorkspaceId,
): Promise<Membership | undefined> {
  const found = (await Workspace.query(db)
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .where({ 'member.user_id': userId, 'workspaces.id': id })
    .select('workspaces.*', 'member.role')
    .first()) as (Workspace & { role: Role }) | undefined;
  return found && { workspace: found, role: found.role };
}
