import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { type QueryBuilder, raw } from 'objection';
import { AppError } from '../errors.ts';
import type { PlanLimits } from '../limits.ts';
import { type Database, inTransaction, queryPrepared } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { hostColumns } from './blocks.ts';
import { lockRoomForCodes } from './code-limit.ts';
import { type ExpiringWithin, endColumns, whereExpiring } from './lifetime.ts';
import type { CodeType } from './content/content-types.ts';
import { QrCode } from './qr-code.ts';
import { generateShareToken } from './share-token.ts';
import type { Design } from './design/design.ts';
import type { PageLogo } from './share-page.ts';
import type { RecentChanges } from '../store/reads.ts';
import { maxLagMs } from '../store/replicas.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

export type NewCode = Pick<
  QrCode,
  | 'name'
  | 'type'
  | 'content'
  | 'foregroundColor'
  | 'backgroundColor'
  | 'size'
  | 'errorCorrection'
  | 'category'
>;

type PageColumns = Pick<QrCode, 'pageTitle' | 'pageText' | 'pageColor' | 'pageShowsName'>;

export type CodeInput = NewCode &
  // `shareToken` is given if the content contains it.
  Partial<Pick<QrCode, 'expiresAt' | 'isPublic' | 'afterExpiryUrl' | 'shareToken'> & PageColumns>;

export async function createCode(
  db: Database,
  workspaceId: WorkspaceId,
  input: CodeInput,
  { lifetimeDays, limits, now }: { lifetimeDays: number; limits: PlanLimits; now: Date },
): Promise<QrCode> {
  return insertCode(db, newCode(workspaceId, input, lifetimeDays, now), limits);
}

/** Throws at the account's limit, which also holds for parallel requests. */
export async function insertCode(db: Database, created: QrCodeColumns, limits: PlanLimits): Promise<QrCode> {
  return inTransaction(db, async (transaction) => {
    await lockRoomForCodes(transaction, created.workspaceId, 1, limits);
    return QrCode.query(transaction).insert(created).returning('*').first().throwIfNotFound();
  });
}

/** The columns of a code that is not stored yet. `sequence` orders codes that are created at the same time. */
export function newCode(
  workspaceId: WorkspaceId,
  { expiresAt, ...input }: CodeInput,
  lifetimeDays: number,
  now: Date,
  sequence?: number,
) {
  return {
    isPublic: true,
    ...input,
    ...endColumns(expiresAt ?? null, lifetimeDays, now),
    ...hostColumns(input),
    id: uuidv7({ msecs: now.getTime(), ...(sequence !== undefined && { seq: sequence }) }),
    workspaceId,
    shareToken: input.shareToken ?? generateShareToken(),
    isFavorite: false,
    createdAt: now,
    updatedAt: now,
  };
}

export type QrCodeColumns = ReturnType<typeof newCode>;

/** Building a larger statement would block the event loop for longer. */
const codesPerInsert = 25;

/** All or none. */
export async function insertCodes(
  db: Database,
  workspaceId: WorkspaceId,
  codes: QrCodeColumns[],
  limits: PlanLimits,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockRoomForCodes(transaction, workspaceId, codes.length, limits);
    for (let at = 0; at < codes.length; at += codesPerInsert)
      await QrCode.query(transaction).insert(codes.slice(at, at + codesPerInsert));
  });
}

/** The same 404 for another owner's code, a missing one and a malformed id. */
export async function findCode(db: Database, workspaceId: WorkspaceId, id: string): Promise<QrCode> {
  const code = isUuid(id) ? await QrCode.query(db).findOne({ id, user_id: workspaceId }) : undefined;
  if (!code) throw noSuchCode();
  return code;
}

export type CodeChanges = Partial<
  NewCode &
    Pick<QrCode, 'isPublic' | 'isFavorite' | 'expiresAt' | 'defaultExpiresAt' | 'afterExpiryUrl'> &
    PageColumns
>;

/**
 * Applies the changes that `decide` returns for the locked code, so that parallel changes see each other's result.
 * Recording scans does not wait for the lock.
 */
export async function changeCode(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  decide: (code: QrCode, transaction: Database) => Promise<CodeChanges>,
  now: Date,
): Promise<QrCode> {
  if (!isUuid(id)) throw noSuchCode();
  return db.transaction(async (transaction) => {
    const code = await QrCode.query(transaction).findOne({ id, user_id: workspaceId }).forNoKeyUpdate();
    if (!code) throw noSuchCode();
    return updateCode(transaction, code, await decide(code, transaction), now);
  });
}

/** For changes that do not depend on stored values; use `changeCode` for all others. */
export async function updateCode(
  db: Database,
  code: QrCode,
  changes: CodeChanges,
  now: Date,
): Promise<QrCode> {
  if (Object.keys(changes).length === 0) return code;
  const isLinkChanged = changes.content !== undefined || changes.afterExpiryUrl !== undefined;
  const hosts = isLinkChanged ? hostColumns({ ...code, ...changes }) : {};
  const changed = await inTransaction(db, async (transaction) =>
    QrCode.query(transaction)
      .findById(code.id)
      .patch({ ...changes, ...hosts, updatedAt: now })
      .returning('*')
      .first(),
  );
  if (!changed) throw noSuchCode();
  return changed;
}

export interface CodeFilter {
  category?: string | undefined;
  type?: CodeType | undefined;
  favorite?: boolean | undefined;
  expiring?: ExpiringWithin | undefined;
  /** Inclusive, by creation time. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

interface ListPage {
  limit: number;
  cursor?: string | undefined;
}

export async function listCodes(
  db: Database,
  workspaceId: WorkspaceId,
  filter: CodeFilter,
  page: ListPage,
): Promise<QrCode[]> {
  return listPage(QrCode.query(db).where({ user_id: workspaceId }), filter, page);
}

/** Up to `limit` + 1 of the codes, newest first: the extra one shows that there is a next page. */
export function listPage<Code extends QrCode>(
  query: QueryBuilder<Code>,
  filter: CodeFilter,
  page: ListPage,
): QueryBuilder<Code> {
  query.orderBy('id', 'desc').limit(page.limit + 1);
  if (page.cursor !== undefined) query.where('id', '<', page.cursor);
  if (filter.category !== undefined) query.where('category', filter.category);
  if (filter.type !== undefined) query.where('type', filter.type);
  if (filter.favorite !== undefined) query.where('is_favorite', filter.favorite);
  // Ids start with the creation time.
  if (filter.from) query.where('id', '>=', firstIdAt(filter.from));
  if (filter.to) query.where('id', '<', firstIdAt(filter.to));
  whereExpiring(query, filter.expiring);
  return query;
}

export function noSuchCode(): AppError {
  return new AppError('not_found', 'There is no such QR code.');
}

/** `hasAnyBlocks` is false if nothing is blocked at all, which saves a query per code. */
export type SharedCode = QrCode & {
  hasAnyBlocks: boolean;
  design: Partial<Design> | null;
  /** The id of the contact's photo. */
  photo: string | null;
  pageLogo: PageLogo | null;
};

export async function findSharedCode(db: Database, token: string): Promise<SharedCode | undefined> {
  const code = await QrCode.query(db).findOne({ share_token: token }).select(
    'qr_codes.*',
    raw('EXISTS (SELECT FROM blocks)').as('has_any_blocks'),
    raw('(SELECT design FROM designs WHERE code_id = qr_codes.id)').as('design'),
    // Only contacts have photos.
    raw(
      `CASE WHEN type = 'vcard' THEN (SELECT file.id FROM code_files AS file WHERE code_id = qr_codes.id AND kind = 'photo') END`,
    ).as('photo'),
    raw(
      `(SELECT jsonb_build_object('logo', logo, 'alt', alt) FROM page_logos WHERE code_id = qr_codes.id)`,
    ).as('page_logo'),
  );
  return code as SharedCode | undefined;
}

/** For operators: any owner's code, by id or share token. */
export async function findAnyCode(db: Database, idOrToken: string): Promise<QrCode | undefined> {
  return QrCode.query(db).findOne(isUuid(idOrToken) ? { id: idOrToken } : { share_token: idOrToken });
}

const codesPerRead = 200;

/** All codes of an account in batches, oldest first. */
export async function* ownedCodes(db: Database, workspaceId: WorkspaceId): AsyncGenerator<QrCode[]> {
  for (let after: string | undefined; ; ) {
    const query = QrCode.query(db).where({ user_id: workspaceId }).orderBy('id').limit(codesPerRead);
    if (after !== undefined) query.where('id', '>', after);
    const codes = await query;
    if (codes.length > 0) yield codes;
    if (codes.length < codesPerRead) return;
    after = codes.at(-1)?.id;
  }
}

/** The given ids whose codes neither exist nor were deleted recently. */
export async function findMissingCodes(db: Database, ids: string[]): Promise<Set<string>> {
  const { rows } = (await db.raw(
    `SELECT id FROM unnest(CAST(:ids AS uuid[])) AS given (id)
     WHERE NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = given.id)
       AND NOT EXISTS (SELECT FROM deleted_codes WHERE deleted_codes.id = given.id)`,
    { ids: ids.filter((id) => isUuid(id)) },
  )) as { rows: { id: string }[] };
  return new Set(rows.map(({ id }) => id));
}

/** A younger mark is not written again: importing a thousand codes writes a few marks. */
const markEveryMs = 250;
/** Covers the lag of a usable replica and the rounding of marks. */
const recentMs = maxLagMs + 2 * markEveryMs;

const markStatement = {
  name: 'mark codes changed',
  text: `UPDATE workspaces SET codes_changed_at = clock_timestamp()
         WHERE id = $1
           AND (codes_changed_at IS NULL OR codes_changed_at < clock_timestamp() - interval '${markEveryMs} ms')`,
};
const recentStatement = {
  name: 'codes changed recently',
  text: `SELECT 1 FROM workspaces WHERE id = $1 AND codes_changed_at > clock_timestamp() - interval '${recentMs} ms'`,
};

/** Read-your-writes: kept on the primary, by its clock, because different web processes may serve the change and the list. */
export function createRecentChanges(db: Database): RecentChanges {
  return {
    mark: async (workspaceId) => void (await queryPrepared(db, markStatement, [workspaceId])),
    has: async (workspaceId) => (await queryPrepared(db, recentStatement, [workspaceId])).length > 0,
  };
}
