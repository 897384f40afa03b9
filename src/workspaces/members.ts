import { raw } from 'objection';
import type { Database } from '../store/database.ts';
import { isWorkspaceBlockedSql, Workspace, type WorkspaceId } from './workspace.ts';

/** From the one who may do most to the one who may do least. Stored. */
export const roles = ['owner', 'editor', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Whether somebody with this role may do what needs at least the other one. */
export const hasRole = (role: Role, needed: Role) => roles.indexOf(role) <= roles.indexOf(needed);

export const roleNames: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' };

/** What each role may do, for people who choose one. The access that routes declare decides. */
export const roleTexts: Record<Role, string> = {
  owner: 'Everything, including members, API keys and the plan.',
  editor: 'Creates, changes and deletes codes, templates and webhooks.',
  viewer: 'Looks at codes and scans, and downloads pictures and numbers.',
};

export function isRole(text: unknown): text is Role {
  return roles.some((role) => role === text);
}

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

/** Undefined if the person is not a member. */
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

export async function findRole(
  db: Database,
  workspaceId: WorkspaceId,
  userId: string,
): Promise<Role | undefined> {
  const row = (await db('workspace_members')
    .where({ workspace_id: workspaceId, user_id: userId })
    .first('role')) as { role: Role } | undefined;
  return row?.role;
}

export interface Member {
  userId: string;
  email: string;
  role: Role;
  joinedAt: Date;
}

/** Owners first, then editors and viewers, each in the order in which they joined. */
export async function listMembers(db: Database, workspaceId: WorkspaceId): Promise<Member[]> {
  const { rows } = (await db.raw(
    `SELECT member.user_id AS "userId", email, role, joined_at AS "joinedAt"
     FROM workspace_members AS member JOIN users ON users.id = member.user_id
     WHERE workspace_id = :workspaceId
     ORDER BY array_position(CAST(:roles AS text[]), role), joined_at, member.user_id`,
    { workspaceId, roles: [...roles] },
  )) as { rows: Member[] };
  return rows;
}

export async function countMembers(db: Database, workspaceId: WorkspaceId, role?: Role): Promise<number> {
  const query = db('workspace_members').where({ workspace_id: workspaceId });
  if (role !== undefined) void query.where({ role });
  const row = (await query.count({ count: '*' }).first()) as { count: number | string };
  return Number(row.count);
}

/** Under the lock of the workspace. */
export async function addMember(
  transaction: Database,
  { workspaceId, userId, role }: { workspaceId: WorkspaceId; userId: string; role: Role },
  now: Date,
): Promise<void> {
  await transaction('workspace_members').insert({
    workspace_id: workspaceId,
    user_id: userId,
    role,
    joined_at: now,
  });
}
