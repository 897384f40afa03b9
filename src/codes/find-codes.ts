import { validate as isUuid } from 'uuid';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { QrCode } from './qr-code.ts';
import { codesPerQuery } from './search-codes.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

const maxInMessage = 5;

/**
 * The codes with these ids, in their order, and the positions of those that are missing: codes of other owners are, too.
 * `locks`: until the transaction ends.
 */
export async function findCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ids: string[],
  { locks = false }: { locks?: boolean } = {},
): Promise<{ codes: QrCode[]; missing: number[] }> {
  const wanted = [...new Set(ids.filter((id) => isUuid(id)).map((id) => id.toLowerCase()))];
  // In the order of their ids, so that two requests do not wait for each other.
  if (locks) wanted.sort();
  const byId = new Map<string, QrCode>();
  for (let at = 0; at < wanted.length; at += codesPerQuery) {
    const query = QrCode.query(db)
      .where({ user_id: workspaceId })
      .whereRaw('id = ANY(CAST(? AS uuid[]))', [wanted.slice(at, at + codesPerQuery)]);
    if (locks) query.orderBy('id').forNoKeyUpdate();
    for (const code of await query) byId.set(code.id, code);
  }
  const found = ids.map((id) => byId.get(id.toLowerCase()));
  return {
    codes: found.filter((code) => code !== undefined),
    missing: found.flatMap((code, index) => (code ? [] : [index])),
  };
}

/** The same 404 for other owners' codes and missing ones. It names their positions in the field of the ids. */
export async function requireCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ids: string[],
  field: string,
): Promise<QrCode[]> {
  const { codes, missing } = await findCodes(db, workspaceId, ids);
  if (missing.length === 0) return codes;
  const named = missing
    .slice(0, maxInMessage)
    .map((index) => `${field}[${index}]`)
    .join(', ');
  const more = missing.length > maxInMessage ? ` and ${missing.length - maxInMessage} more` : '';
  throw new AppError('not_found', `There are no such QR codes: ${named}${more}.`, {
    code: 'qr_code_not_found',
  });
}
