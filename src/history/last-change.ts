import type { QrCode } from '../codes/qr-code.ts';
import type { Database } from '../store/database.ts';
import { Change, type Version } from './changes.ts';
import type { StateField } from './code-state.ts';

/** The last entry, up to a version, that has set one of the fields. Undefined: they are older than the history. */
export async function findLastChange(
  db: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
  fields: StateField[],
  version?: number,
): Promise<Version | undefined> {
  const columns = fields.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const query = Change.query(db)
    .where({ code_id: id, workspace_id: workspaceId })
    // An entry of a new code has only the fields that are not empty.
    .whereRaw(`(action = 'created' OR jsonb_exists_any(after, CAST(? AS text[])))`, [columns])
    .orderBy('version', 'desc')
    .first();
  if (version !== undefined) query.where('version', '<=', version);
  return query as unknown as Promise<Version | undefined>;
}
