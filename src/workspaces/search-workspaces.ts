import { validate as isUuid } from 'uuid';
import type { Plan } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { isWorkspaceBlockedSql, type WorkspaceId } from './workspace.ts';

interface WorkspaceSearch {
  /** A part of the name, the slug now or before, or the email of a member, in either case. Empty: all. */
  text: string;
  limit: number;
  /** Only those after the workspace with this id. */
  after: string;
}

export interface FoundWorkspace {
  id: WorkspaceId;
  slug: string;
  name: string;
  plan: Plan;
  createdAt: Date;
  members: number;
  isBlocked: boolean;
}

/** For operators, newest first. */
export async function searchWorkspaces(
  db: Database,
  { text, limit, after }: WorkspaceSearch,
): Promise<{ workspaces: FoundWorkspace[]; hasNext: boolean }> {
  const { rows } = (await db.raw(
    `SELECT id, slug, name, plan, created_at AS "createdAt", ${isWorkspaceBlockedSql('workspaces.id')} AS "isBlocked",
            (SELECT count(*)::int FROM workspace_members WHERE workspace_id = workspaces.id) AS members
     FROM workspaces
     WHERE (:sought = '' OR strpos(lower(name), lower(:sought)) > 0 OR strpos(slug, lower(:sought)) > 0
            OR id IN (SELECT workspace_id FROM former_slugs WHERE strpos(slug, lower(:sought)) > 0)
            OR id IN (SELECT workspace_id FROM workspace_members JOIN users ON users.id = user_id
                      WHERE strpos(lower(email), lower(:sought)) > 0))
       AND (CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid))
     ORDER BY id DESC LIMIT :most`,
    { sought: text, after: isUuid(after) ? after : null, most: limit + 1 } as never,
  )) as { rows: FoundWorkspace[] };
  return { workspaces: rows.slice(0, limit), hasNext: rows.length > limit };
}
