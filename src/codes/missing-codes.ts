import { validate as isUuid } from 'uuid';
import type { Database } from '../store/database.ts';

/** Of these ids, the ones of codes that neither exist nor were deleted a short while ago. */
export async function findMissingCodes(db: Database, ids: string[]): Promise<Set<string>> {
  const { rows } = (await db.raw(
    `SELECT id FROM unnest(CAST(:ids AS uuid[])) AS given (id)
     WHERE NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = given.id)
       AND NOT EXISTS (SELECT FROM deleted_codes WHERE deleted_codes.id = given.id)`,
    { ids: ids.filter((id) => isUuid(id)) },
  )) as { rows: { id: string }[] };
  return new Set(rows.map(({ id }) => id));
}
