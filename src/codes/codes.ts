import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { hostColumns } from './code-hosts.ts';
import { type CodeType, QrCode } from './qr-code.ts';
import { generateShareToken } from './share-token.ts';

const dayMs = 86_400_000;

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

export async function createCode(
  db: Database,
  ownerId: string,
  input: NewCode & Partial<Pick<QrCode, 'expiresAt' | 'isPublic'>>,
  lifetimeDays: number,
  now: Date,
): Promise<QrCode> {
  const created = {
    expiresAt: defaultExpiry(lifetimeDays, now),
    isPublic: true,
    ...input,
    ...hostColumns(input),
    id: uuidv7({ msecs: now.getTime() }),
    userId: ownerId,
    shareToken: generateShareToken(),
    isFavorite: false,
    createdAt: now,
    updatedAt: now,
  };
  return QrCode.query(db).insert(created).returning('*').first().throwIfNotFound();
}

/** Of a code that is created now, unless its owner chooses another moment. */
export function defaultExpiry(lifetimeDays: number, now: Date): Date {
  return new Date(now.getTime() + lifetimeDays * dayMs);
}

/** Another owner's code is not told apart from one that does not exist, nor from an id that cannot exist. */
export async function findCode(db: Database, ownerId: string, id: string): Promise<QrCode> {
  const code = isUuid(id) ? await QrCode.query(db).findOne({ id, user_id: ownerId }) : undefined;
  if (!code) throw noSuchCode();
  return code;
}

export type CodeChanges = Partial<NewCode & Pick<QrCode, 'isPublic' | 'isFavorite' | 'expiresAt'>>;

/**
 * Changes a code by what `decide` makes of it as it is stored. The row is locked meanwhile, so that of two changes at a
 * time the later one is checked against what the earlier one has stored. Scans go on: they take FOR KEY SHARE.
 */
export async function changeCode(
  db: Database,
  ownerId: string,
  id: string,
  decide: (code: QrCode, transaction: Database) => Promise<CodeChanges>,
  now: Date,
): Promise<QrCode> {
  if (!isUuid(id)) throw noSuchCode();
  return db.transaction(async (transaction) => {
    const code = await QrCode.query(transaction).findOne({ id, user_id: ownerId }).forNoKeyUpdate();
    if (!code) throw noSuchCode();
    return updateCode(transaction, code, await decide(code, transaction), now);
  });
}

/** For changes that need no look at what is stored; `changeCode` for all others. */
export async function updateCode(
  db: Database,
  code: QrCode,
  changes: CodeChanges,
  now: Date,
): Promise<QrCode> {
  if (Object.keys(changes).length === 0) return code;
  const hosts =
    changes.content === undefined
      ? {}
      : hostColumns({ type: changes.type ?? code.type, content: changes.content });
  const changed = await QrCode.query(db)
    .findById(code.id)
    .patch({ ...changes, ...hosts, updatedAt: now })
    .returning('*')
    .first();
  if (!changed) throw noSuchCode();
  return changed;
}

/** The scans and counters go with it. */
export async function deleteCode(db: Database, ownerId: string, id: string): Promise<QrCode> {
  const deleted = isUuid(id)
    ? await QrCode.query(db).delete().where({ id, user_id: ownerId }).returning('*').first()
    : undefined;
  if (!deleted) throw noSuchCode();
  return deleted;
}

export interface CodeFilter {
  category?: string | undefined;
  type?: CodeType | undefined;
  favorite?: boolean | undefined;
}

/** One more than asked for may come: it tells that there is a next page. */
export async function listCodes(
  db: Database,
  ownerId: string,
  filter: CodeFilter,
  page: { limit: number; cursor?: string | undefined },
): Promise<QrCode[]> {
  const query = QrCode.query(db)
    .where({ user_id: ownerId })
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.cursor !== undefined) query.where('id', '<', page.cursor);
  if (filter.category !== undefined) query.where('category', filter.category);
  if (filter.type !== undefined) query.where('type', filter.type);
  if (filter.favorite !== undefined) query.where('is_favorite', filter.favorite);
  return query;
}

function noSuchCode(): AppError {
  return new AppError('not_found', 'There is no such QR code.');
}
