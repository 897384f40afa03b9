import type { Database } from '../store/database.ts';
import { roles, type Role } from './members.ts';
import { Workspace, type WorkspaceId } from './workspace.ts';

/** Mails about a workspace go to that many of its owners at most: those who joined first. */
export const maxToldOwners = 20;

export interface Person {
  userId: string;
  email: string;
  role: Role;
  joinedAt: Date;
}

/** The members of a workspace: owners first, then in the order in which they joined. */
export async function listPeople(
  db: Database,
  workspaceId: WorkspaceId,
  { limit = 1_000, only }: { limit?: number; only?: Role } = {},
): Promise<Person[]> {
  const query = db('workspace_members AS member')
    .join('users', 'users.id', 'member.user_id')
    .where('member.workspace_id', workspaceId)
    .orderByRaw('array_position(?::text[], member.role), member.joined_at, member.user_id', [[...roles]])
    .limit(limit)
    .select('member.user_id AS userId', 'users.email', 'member.role', 'member.joined_at AS joinedAt');
  if (only) query.where('member.role', only);
  return query as Promise<Person[]>;
}

export const listToldOwners = (db: Database, workspaceId: WorkspaceId) =>
  listPeople(db, workspaceId, { only: 'owner', limit: maxToldOwners });

export async function isOwner(db: Database, workspaceId: WorkspaceId, userId: string): Promise<boolean> {
  const found: unknown = await db('workspace_members')
    .where({ workspace_id: workspaceId, user_id: userId, role: 'owner' })
    .first('user_id');
  return found !== undefined;
}

export interface WorkspaceOfPerson extends Pick<Workspace, 'id' | 'slug' | 'name' | 'plan'> {
  role: Role;
  /** All members, the person included. */
  members: number;
  owners: number;
}

/** Workspaces that the person is a member of, in the order joined. */
export async function listWorkspacesOf(db: Database, userId: string): Promise<WorkspaceOfPerson[]> {
  const { rows } = (await db.raw(
    `SELECT workspace.id, slug, name, plan, own.role, people.members, people.owners
     FROM workspace_members AS own JOIN workspaces AS workspace ON workspace.id = own.workspace_id
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS members, (count(*) FILTER (WHERE role = 'owner'))::int AS owners
       FROM workspace_members AS member WHERE member.workspace_id = own.workspace_id
     ) AS people
     WHERE own.user_id = :userId ORDER BY own.joined_at, workspace.id`,
    { userId },
  )) as { rows: WorkspaceOfPerson[] };
  return rows;
}
