import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import type { ChangeKind } from './changes.ts';

/** Somebody, or an API key, with entries in the history. */
export interface HistoryActor {
  id: string;
  kind: 'person' | 'key';
  /** As it was in the latest entry. Null after the account was deleted. */
  name: string | null;
}

const recentEntries = 5_000;

/**
 * Who made the latest changes of these kinds in a workspace: API keys only for whoever sees their entries, too. Bounded: naming
 * each actor once would read all entries.
 */
export async function listRecentActors(
  db: Database,
  workspaceId: WorkspaceId,
  kinds: readonly ChangeKind[],
): Promise<HistoryActor[]> {
  const { rows } = (await db.raw(
    `SELECT * FROM (
       SELECT DISTINCT ON (actor_id) actor_id AS id, actor_kind AS kind, actor_name AS name
       FROM (SELECT id, actor_id, actor_kind, actor_name FROM changes WHERE workspace_id = :workspaceId AND kind = ANY(:kinds)
             ORDER BY id DESC LIMIT ${recentEntries}) AS recent
       WHERE actor_id IS NOT NULL AND actor_kind = ANY(:actorKinds)
       ORDER BY actor_id, recent.id DESC
     ) AS actors ORDER BY kind DESC, name`,
    { workspaceId, kinds, actorKinds: kinds.includes('key') ? ['person', 'key'] : ['person'] } as never,
  )) as { rows: HistoryActor[] };
  return rows;
}
