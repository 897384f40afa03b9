import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AppError, invalid } from '../../errors.ts';
import { dayMs } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';
import { lockOwner } from '../logo/stored-logo.ts';

/** Of one request. */
export const maxAppliedCodes = 500;
/** Codes of an account that wait for a style: minutes of work. */
export const maxWaitingCodes = 1_000;
/** How long the outcome can be read. */
export const applicationLifetimeMs = 7 * dayMs;

/** A style that the worker applies to codes, and how far it is. Codes that were deleted meanwhile do not count. */
export interface StyleApplication {
  id: string;
  styleId: string;
  createdAt: Date;
  total: number;
  waiting: number;
  applied: number;
  /** Codes that stay as they were. */
  refused: { codeId: string; reason: string }[];
}

interface Wanted {
  styleId: string;
  codeIds: string[];
  /** Whether a code that has a design keeps it. */
  keepsDesigns: boolean;
}

/** Undefined where too many codes of the account wait. */
export async function addApplication(
  db: Database,
  ownerId: string,
  { styleId, codeIds, keepsDesigns }: Wanted,
  now: Date,
): Promise<string | undefined> {
  const id = uuidv7({ msecs: now.getTime() });
  return db.transaction(async (transaction) => {
    // The number of codes holds for parallel requests.
    await lockOwner(transaction, ownerId);
    const { rows } = (await transaction.raw(
      'SELECT count(*)::int AS waiting FROM style_application_codes WHERE user_id = ? AND is_applied IS NULL',
      [ownerId],
    )) as { rows: [{ waiting: number }] };
    if (rows[0].waiting + codeIds.length > maxWaitingCodes) return undefined;
    // The style may have been deleted meanwhile.
    const added = (await transaction.raw(
      `INSERT INTO style_applications (id, user_id, style_id, keeps_designs, created_at)
       SELECT CAST(:id AS uuid), user_id, id, CAST(:keepsDesigns AS boolean), CAST(:now AS timestamptz) FROM styles
       WHERE id = :styleId AND user_id = :ownerId FOR KEY SHARE`,
      { id, ownerId, styleId, keepsDesigns, now },
    )) as { rowCount: number };
    if (added.rowCount === 0) throw new AppError('not_found', 'There is no such style.');
    await transaction.raw(
      `INSERT INTO style_application_codes (application_id, code_id, user_id)
       SELECT CAST(:id AS uuid), id, user_id FROM qr_codes WHERE id = ANY(CAST(:codeIds AS uuid[])) AND user_id = :ownerId
       ORDER BY id FOR KEY SHARE`,
      { id, ownerId, codeIds },
    );
    return id;
  });
}

/** For requests of their own: the error says when to try again. */
export async function requireApplication(
  db: Database,
  ownerId: string,
  wanted: Omit<Wanted, 'keepsDesigns'>,
  now: Date,
): Promise<StyleApplication> {
  const id = await addApplication(db, ownerId, { ...wanted, keepsDesigns: false }, now);
  if (id !== undefined) return findApplication(db, ownerId, id);
  const message = `are too many for now: at most ${maxWaitingCodes} codes of an account wait for a style. Try again when the others are done`;
  throw invalid([{ field: 'qrCodeIds', message }], { code: 'too_many_waiting' });
}

interface CodeRow {
  code_id: string;
  is_applied: boolean | null;
  reason: string | null;
}

/** The same 404 for another owner's, a missing one and a malformed id. */
export async function findApplication(db: Database, ownerId: string, id: string): Promise<StyleApplication> {
  const row = isUuid(id)
    ? ((await db('style_applications').where({ id, user_id: ownerId }).first()) as
        | { id: string; style_id: string; created_at: Date }
        | undefined)
    : undefined;
  if (!row) throw new AppError('not_found', 'There is no such application of a style.');
  const codes = (await db('style_application_codes')
    .where({ application_id: id })
    .orderBy('code_id')
    .select('code_id', 'is_applied', 'reason')) as CodeRow[];
  const refused = codes.filter(({ is_applied: isApplied }) => isApplied === false);
  return {
    id: row.id,
    styleId: row.style_id,
    createdAt: row.created_at,
    total: codes.length,
    waiting: codes.filter(({ is_applied: isApplied }) => isApplied === null).length,
    applied: codes.filter(({ is_applied: isApplied }) => isApplied === true).length,
    refused: refused.map(({ code_id: codeId, reason }) => ({ codeId, reason: reason ?? '' })),
  };
}

/** The latest of the account that is not done, for its pages. */
export async function findRunningApplication(db: Database, ownerId: string): Promise<string | undefined> {
  const row = (await db('style_application_codes')
    .where({ user_id: ownerId })
    .whereNull('is_applied')
    .orderBy('application_id', 'desc')
    .first('application_id')) as { application_id: string } | undefined;
  return row?.application_id;
}

export async function purgeApplications(db: Database, now: Date): Promise<number> {
  return db('style_applications')
    .where('created_at', '<=', new Date(now.getTime() - applicationLifetimeMs))
    .delete();
}
