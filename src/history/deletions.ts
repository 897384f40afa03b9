import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { Change } from './changes.ts';

/** Who moved these codes to the trash, by their ids. Without those whose entries are not kept any more. */
export async function findDeletions(
  db: Database,
  workspaceId: WorkspaceId,
  codeIds: string[],
): Promise<Map<string, Change>> {
  if (codeIds.length === 0) return new Map();
  const entries = await Change.query(db)
    .distinctOn('code_id')
    .where({ workspace_id: workspaceId, action: 'trashed' })
    .whereIn('code_id', codeIds)
    .orderBy([{ column: 'code_id' }, { column: 'version', order: 'desc' }]);
  return new Map(entries.map((entry) => [entry.subjectId, entry]));
}
