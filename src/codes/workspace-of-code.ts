import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

/** For an address without a workspace, also of a code in the trash. Does not say whether somebody may see the code. */
export async function findWorkspaceOfCode(db: Database, codeId: string): Promise<WorkspaceId | undefined> {
  const { rows } = (await db.raw(
    `SELECT coalesce(qr_codes.user_id, trashed_codes.user_id) AS "workspaceId"
     FROM qr_codes LEFT JOIN trashed_codes ON code_id = id WHERE id = :codeId`,
    { codeId },
  )) as { rows: { workspaceId: WorkspaceId }[] };
  return rows[0]?.workspaceId;
}
