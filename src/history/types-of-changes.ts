import type { CodeType } from '../codes/content/content-types.ts';
import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import type { Change } from './changes.ts';

/** The types that codes had after changes of their content, by the id of the entry. They say how to read the content. */
export async function typesAfter(
  db: Database,
  workspaceId: WorkspaceId,
  changes: Change[],
): Promise<Map<string, CodeType>> {
  const ids = changes.filter(({ after }) => after !== null && 'content' in after).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = (await db.raw(
    `SELECT changes.id, coalesce(
       (SELECT later.before ->> 'type' FROM changes AS later
        WHERE later.code_id = changes.code_id AND later.version > changes.version AND later.action = 'changed'
          AND jsonb_exists(later.before, 'type') ORDER BY later.version LIMIT 1),
       qr_codes.type) AS type
     FROM changes JOIN qr_codes ON qr_codes.id = changes.code_id
     WHERE changes.workspace_id = :workspaceId AND changes.id = ANY(CAST(:ids AS uuid[]))`,
    { workspaceId, ids },
  )) as { rows: { id: string; type: CodeType }[] };
  return new Map(rows.map(({ id, type }) => [id, type]));
}
