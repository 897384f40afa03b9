import { Model } from 'objection';
import { validate as isUuid } from 'uuid';
import { AppError } from '../errors.ts';
import { limitsOf, type PlanLimits } from '../limits.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { lockRoomForCodes } from './code-limit.ts';
import { type CodeFilter, listPage, noSuchCode } from './codes.ts';
import { QrCode } from './qr-code.ts';
import { undoDays } from './undo-period.ts';
import { Workspace, type WorkspaceId } from '../workspaces/workspace.ts';

// A code is active, trashed or gone:
//
//   created → active ⇄ trashed → gone
//                └────────────────↗
//
// The row of a trashed code has neither owner nor share token, which are in trashed_codes: whatever looks for codes by owner
// or by token does not find it. Its scans, design and files keep its id. Triggers of the database count the code, write the
// events, and delete the code with its row in trashed_codes; a job then purges its scans, see `purgeDeletedCodes`.

/** Decided by the clock of the database, which also says when a code was trashed. */
const isKept = `trashed_codes.trashed_at > now() - interval '${undoDays} days'`;

/** Deleted in one transaction: each has a dozen rows in other tables, and locks its logos. */
const codesPerStep = 500;

/** With the owner and share token that it had. */
export class TrashedCode extends QrCode {
  static override query = Model.query.bind(TrashedCode) as typeof QrCode.query;

  declare trashedAt: Date;
}

type CheckCode = (code: QrCode) => void;

/** Moves a code to the trash. Throws a 404 unless the owner has it, and leaves it where it is if `check` throws. */
export async function trashCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  limits: PlanLimits,
  check: CheckCode = () => undefined,
): Promise<QrCode> {
  const [trashed] = await trashCodes(db, workspaceId, limits, async (transaction) => {
    const code = await lockCode(transaction, workspaceId, id);
    check(code);
    return [code];
  });
  if (!trashed) throw noSuchCode();
  return trashed;
}

/** Moves the codes that `lock` returns to the trash. It must lock them in the transaction. */
export async function trashCodes(
  db: Database,
  workspaceId: WorkspaceId,
  limits: PlanLimits,
  lock: (transaction: Database) => Promise<QrCode[]>,
): Promise<QrCode[]> {
  return inTransaction(db, async (transaction) => {
    // Before the codes, as in the deletion of a workspace.
    const workspace = await Workspace.query(transaction).findById(workspaceId).forKeyShare();
    if (!workspace) throw noSuchCode();
    const codes = await lock(transaction);
    await transaction.raw(
      `WITH moved AS (
         INSERT INTO trashed_codes (code_id, user_id, share_token)
         SELECT id, user_id, share_token FROM qr_codes WHERE id = ANY(CAST(:ids AS uuid[])) ORDER BY id
         RETURNING code_id
       ), left_alone AS (
         DELETE FROM style_application_codes WHERE code_id = ANY(CAST(:ids AS uuid[]))
       )
       UPDATE qr_codes SET user_id = NULL, share_token = NULL FROM moved WHERE id = code_id`,
      { ids: codes.map(({ id }) => id) },
    );
    await purgeStep(transaction, workspaceId, { keeps: limitsOf(workspace, limits).codes });
    return codes;
  });
}

async function lockCode(transaction: Database, workspaceId: WorkspaceId, id: string): Promise<QrCode> {
  const code = isUuid(id)
    ? await QrCode.query(transaction).findOne({ id, user_id: workspaceId }).forUpdate()
    : undefined;
  if (!code) throw noSuchCode();
  return code;
}

/** Throws a 404 unless the code is in the workspace's trash, and a validation error at its limit of codes. */
export async function restoreCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  limits: PlanLimits,
  check: CheckCode = () => undefined,
): Promise<QrCode> {
  return inTransaction(db, async (transaction) => {
    check(await requireTrashedCode(transaction, workspaceId, id));
    await lockRoomForCodes(transaction, workspaceId, 1, limits);
    const { rowCount } = (await transaction.raw(
      `WITH restored AS (
         DELETE FROM trashed_codes WHERE code_id = :id AND user_id = :workspaceId AND ${isKept} RETURNING *
       )
       UPDATE qr_codes SET user_id = restored.user_id, share_token = restored.share_token
       FROM restored WHERE id = code_id`,
      { id, workspaceId },
    )) as { rowCount: number };
    const code = rowCount > 0 ? await QrCode.query(transaction).findById(id) : undefined;
    if (!code) throw notInTrash();
    return code;
  });
}

/** Restores the given codes that are still in the trash, all or none: see `restoreCode`. */
export async function restoreCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ids: string[],
  limits: PlanLimits,
): Promise<QrCode[]> {
  return inTransaction(db, async (transaction) => {
    const kept = await lockTrashed(transaction, workspaceId, ids);
    if (kept.length === 0) return [];
    await lockRoomForCodes(transaction, workspaceId, kept.length, limits);
    await transaction.raw(
      `WITH restored AS (DELETE FROM trashed_codes WHERE code_id = ANY(CAST(:kept AS uuid[])) RETURNING *)
       UPDATE qr_codes SET user_id = restored.user_id, share_token = restored.share_token
       FROM restored WHERE id = code_id`,
      { kept },
    );
    return QrCode.query(transaction).findByIds(kept);
  });
}

/** Deletes the given codes that are still in the trash for good, and returns how many. */
export async function deleteTrashedCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ids: string[],
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    // As in `purgeStep`.
    await transaction('logos').where({ user_id: workspaceId }).orderBy('id').forUpdate().select('id');
    const kept = await lockTrashed(transaction, workspaceId, ids);
    return transaction('trashed_codes').whereIn('code_id', kept).delete();
  });
}

/** Ordered, so that two who select the same codes wait for each other. */
async function lockTrashed(
  transaction: Database,
  workspaceId: WorkspaceId,
  ids: string[],
): Promise<string[]> {
  return transaction('trashed_codes')
    .where({ user_id: workspaceId })
    .whereIn('code_id', ids.filter(isUuid))
    .whereRaw(isKept)
    .orderBy('code_id')
    .forUpdate()
    .pluck('code_id') as Promise<string[]>;
}

export async function findTrashedCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<TrashedCode | undefined> {
  return isUuid(id) ? trashOf(db, workspaceId).findById(id) : undefined;
}

/** The given codes that are in the trash, by name. */
export async function findTrashedCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ids: string[],
): Promise<TrashedCode[]> {
  return trashOf(db, workspaceId).whereIn('qr_codes.id', ids.filter(isUuid)).orderBy('qr_codes.name');
}

export async function requireTrashedCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<TrashedCode> {
  const code = await findTrashedCode(db, workspaceId, id);
  if (!code) throw notInTrash();
  return code;
}

const notInTrash = () => new AppError('not_found', 'There is no such QR code in the trash.');

function trashOf(db: Database, workspaceId: WorkspaceId) {
  return (
    TrashedCode.query(db)
      .join('trashed_codes', 'trashed_codes.code_id', 'qr_codes.id')
      .where('trashed_codes.user_id', workspaceId)
      .whereRaw(isKept)
      // The last of two columns with the same name is the one that is read.
      .select('qr_codes.*', 'trashed_codes.user_id', 'trashed_codes.share_token', 'trashed_codes.trashed_at')
  );
}

/** As `listCodes`, of the trash. */
export async function listTrashedCodes(
  db: Database,
  workspaceId: WorkspaceId,
  ...[filter, page]: [CodeFilter, { limit: number; cursor?: string | undefined }]
): Promise<TrashedCode[]> {
  return listPage(trashOf(db, workspaceId), filter, page);
}

/** The first or last code of a page of the trash, next to which another page begins. */
export type TrashKey = Pick<TrashedCode, 'trashedAt' | 'id'>;

interface TrashPage {
  codes: TrashedCode[];
  hasPrevious: boolean;
  hasNext: boolean;
}

/** What was deleted last comes first. */
export async function readTrash(
  db: Database,
  workspaceId: WorkspaceId,
  { limit, after, before }: { limit: number; after?: TrashKey | undefined; before?: TrashKey | undefined },
): Promise<TrashPage> {
  const order = before ? 'asc' : 'desc';
  const query = trashOf(db, workspaceId)
    .orderBy([
      { column: 'trashed_codes.trashed_at', order },
      { column: 'trashed_codes.code_id', order },
    ])
    .limit(limit + 1);
  const key = '(trashed_codes.trashed_at, trashed_codes.code_id)';
  if (before) {
    const found = await query.whereRaw(`${key} > (?, ?)`, [before.trashedAt, before.id]);
    // Codes were restored in the meantime: show a full first page instead.
    if (found.length <= limit) return readTrash(db, workspaceId, { limit });
    return { codes: found.slice(0, limit).toReversed(), hasPrevious: true, hasNext: true };
  }
  if (after) void query.whereRaw(`${key} < (?, ?)`, [after.trashedAt, after.id]);
  const found = await query;
  return { codes: found.slice(0, limit), hasPrevious: after !== undefined, hasNext: found.length > limit };
}

export async function countTrashedCodes(db: Database, workspaceId: WorkspaceId): Promise<number> {
  return trashOf(db, workspaceId).resultSize();
}

/** Deletes a code for good, from the trash or without it. A 404 unless the owner has it. */
export async function deleteCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  check: CheckCode = () => undefined,
): Promise<QrCode> {
  return inTransaction(db, async (transaction) => {
    const trashed = isUuid(id) ? await trashOf(transaction, workspaceId).findById(id).forUpdate() : undefined;
    const code = trashed ?? (await lockCode(transaction, workspaceId, id));
    check(code);
    if (trashed) await transaction('trashed_codes').where({ code_id: id }).delete();
    else await QrCode.query(transaction).deleteById(id);
    return code;
  });
}

/** As `deleteCode`, only from the trash. */
export async function deleteTrashedCode(db: Database, workspaceId: WorkspaceId, id: string): Promise<void> {
  if (!isUuid(id)) throw notInTrash();
  const deleted = await db.transaction((transaction) =>
    transaction('trashed_codes').where({ code_id: id, user_id: workspaceId }).whereRaw(isKept).delete(),
  );
  if (deleted === 0) throw notInTrash();
}

/** Deletes all codes in the trash for good. */
export async function emptyTrash(db: Database, workspaceId: WorkspaceId): Promise<void> {
  for (let count = codesPerStep; count === codesPerStep; )
    count = await db.transaction((transaction) => purgeStep(transaction, workspaceId, { keeps: 0 }));
}

/** Deletes the codes that have been in the trash for longer than the `keeps` latest, up to `codesPerStep` of them. */
async function purgeStep(
  transaction: Database,
  workspaceId: WorkspaceId,
  { keeps }: { keeps: number },
): Promise<number> {
  const surplus = (await transaction('trashed_codes')
    .where({ user_id: workspaceId })
    .orderBy([
      { column: 'trashed_at', order: 'desc' },
      { column: 'code_id', order: 'desc' },
    ])
    .offset(keeps)
    .limit(codesPerStep)
    .pluck('code_id')) as string[];
  if (surplus.length === 0) return 0;
  // All of them in one order: each code locks only its own.
  await transaction('logos').where({ user_id: workspaceId }).orderBy('id').forUpdate().select('id');
  await transaction('trashed_codes').whereIn('code_id', surplus).delete();
  return surplus.length;
}

const codesPerRun = 1_000;

/** Deletes the codes whose time in the trash is over, one by one: each locks its logos. Safe to repeat and to interrupt. */
export async function purgeTrash(db: Database, isOver: () => boolean): Promise<number> {
  const ids = (await db('trashed_codes')
    .whereRaw(`NOT (${isKept})`)
    .orderBy('trashed_at')
    .limit(codesPerRun)
    .pluck('code_id')) as string[];
  let purged = 0;
  for (const id of ids) {
    if (isOver()) break;
    purged += await db.transaction((transaction) =>
      transaction('trashed_codes').where({ code_id: id }).whereRaw(`NOT (${isKept})`).delete(),
    );
  }
  return purged;
}
