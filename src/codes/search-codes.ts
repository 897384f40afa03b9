import type { Database } from '../store/database.ts';
import { type ExpiringWithin, whereExpiring } from './lifetime.ts';
import type { CodeType } from './content/content-types.ts';
import { QrCode } from './qr-code.ts';

const maxCategories = 200;
/** A row takes some 50 µs to parse, and redirects wait meanwhile. */
export const codesPerQuery = 100;

export interface CodeSearch {
  /** Any part of the name, case-insensitive. */
  name?: string | undefined;
  type?: CodeType | undefined;
  category?: string | undefined;
  expiring?: ExpiringWithin | undefined;
}

/** The first or last code of a page, next to which another page begins. */
export type PageKey = Pick<QrCode, 'isFavorite' | 'id'>;

/** Without either, the first page. */
export interface PagePlace {
  after?: PageKey | undefined;
  before?: PageKey | undefined;
}

interface CodesPage {
  codes: QrCode[];
  hasPrevious: boolean;
  hasNext: boolean;
}

/** Favorites first, then the newest. */
export async function searchCodes(
  db: Database,
  ownerId: string,
  search: CodeSearch,
  { limit, after, before }: PagePlace & { limit: number },
): Promise<CodesPage> {
  const order = before ? 'asc' : 'desc';
  const query = matching(db, ownerId, search)
    .orderBy([
      { column: 'is_favorite', order },
      { column: 'id', order },
    ])
    // The extra row shows whether there is another page.
    .limit(limit + 1);
  if (before) {
    const found = await query.whereRaw('(is_favorite, id) > (?, ?)', [before.isFavorite, before.id]);
    // Codes were deleted or marked in the meantime: show a full first page instead.
    if (found.length <= limit) return searchCodes(db, ownerId, search, { limit });
    return { codes: found.slice(0, limit).toReversed(), hasPrevious: true, hasNext: true };
  }
  if (after) query.whereRaw('(is_favorite, id) < (?, ?)', [after.isFavorite, after.id]);
  const found = await query;
  return {
    codes: found.slice(0, limit),
    hasPrevious: after !== undefined,
    hasNext: found.length > limit,
  };
}

/** All codes that the search finds, or the first `max` of them. In several queries, so that no request waits for all rows. */
export async function searchAllCodes(
  db: Database,
  ownerId: string,
  search: CodeSearch,
  max: number,
): Promise<QrCode[]> {
  const found: QrCode[] = [];
  for (;;) {
    const limit = Math.min(codesPerQuery, max - found.length);
    const { codes, hasNext } = await searchCodes(db, ownerId, search, { limit, after: found.at(-1) });
    found.push(...codes);
    if (!hasNext || found.length >= max) return found;
  }
}

export function countCodes(db: Database, ownerId: string, search: CodeSearch): Promise<number> {
  return matching(db, ownerId, search).resultSize();
}

function matching(db: Database, ownerId: string, { name, type, category, expiring }: CodeSearch) {
  const query = QrCode.query(db).where({ user_id: ownerId });
  if (name) query.where('name', 'ilike', `%${name.replace(/[\\%_]/g, '\\$&')}%`);
  if (type) query.where({ type });
  if (category) query.where({ category });
  whereExpiring(query, expiring);
  return query;
}

export async function listCategories(db: Database, ownerId: string): Promise<string[]> {
  const rows = (await db('qr_codes')
    .distinct('category')
    .where({ user_id: ownerId })
    .whereNotNull('category')
    .orderBy('category')
    .limit(maxCategories)) as { category: string }[];
  return rows.map(({ category }) => category);
}
