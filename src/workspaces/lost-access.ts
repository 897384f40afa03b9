import type { Database } from '../store/database.ts';
import type { WorkspaceId } from './workspace.ts';

/** Somebody who looks at a workspace for longer than a request takes. */
export interface Watching {
  userId: string;
  workspaceId: WorkspaceId;
  /** The hash of the session's token. Undefined: it may end. */
  session?: Buffer | undefined;
}

/** The indexes of those who are no members any more, whose session has ended, or who are blocked. One statement for all. */
export async function findLostAccess(db: Database, watching: readonly Watching[]): Promise<number[]> {
  const { rows } = (await db.raw(
    `SELECT (position - 1)::int AS index
     FROM unnest(CAST(:users AS uuid[]), CAST(:workspaces AS uuid[]), CAST(:sessions AS bytea[]))
       WITH ORDINALITY AS watching (user_id, workspace_id, session, position)
     WHERE NOT EXISTS (SELECT FROM workspace_members AS m
                       WHERE m.workspace_id = watching.workspace_id AND m.user_id = watching.user_id)
        OR (session IS NOT NULL AND NOT EXISTS (SELECT FROM sessions WHERE token_hash = session))
        OR EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = watching.user_id::text)`,
    {
      users: watching.map(({ userId }) => userId),
      workspaces: watching.map(({ workspaceId }) => workspaceId),
      sessions: watching.map(({ session }) => session ?? null),
    } as never,
  )) as { rows: { index: number }[] };
  return rows.map(({ index }) => index);
}
