import type { Database } from '../store/database.ts';
import { type CodeType, QrCode } from './qr-code.ts';

const mostCategories = 200;

export interface CodeSearch {
  /** Any part of the name, in capitals or not. */
  name?: string | undefined;
  type?: CodeType | undefined;
  category?: string | undefined;
}

/** The code at an end of a page, beside which another page begins. */
export type PageKey = Pick<QrCode, 'isFavorite' | 'id'>;

/** Neither is the first page. */
export interface PagePlace {
  after?: PageKey | undefined;
  before?: PageKey | undefined;
}

interface CodesPage {
  codes: QrCode[];
  hasPrevious: boolean;
  hasNext: boolean;
}

/** Favourites first, then the newest. */
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
    // One more than are shown: it tells whether there is another page.
    .limit(limit + 1);
  if (before) {
    const found = await query.whereRaw('(is_favorite, id) > (?, ?)', [before.isFavorite, before.id]);
    // Codes were deleted or marked meanwhile: the first page is shown whole, not what is left of it.
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

/** Reads each code of the owner once, and no scan. */
export function countCodes(db: Database, ownerId: string, search: CodeSearch): Promise<number> {
  return matching(db, ownerId, search).resultSize();
}

function matching(db: Database, ownerId: string, { name, type, category }: CodeSearch) {
  const query = QrCode.query(db).where({ user_id: ownerId });
  if (name) query.where('name', 'ilike', `%${name.replace(/[\\%_]/g, '\\$&')}%`);
  if (type) query.where({ type });
  if (category) query.where({ category });
  return query;
}

export async function listCategories(db: Database, ownerId: string): Promise<string[]> {
  const rows = (await db('qr_codes')
    .distinct('category')
    .where({ user_id: ownerId })
    .whereNotNull('category')
    .orderBy('category')
    .limit(mostCategories)) as { category: string }[];
  return rows.map(({ category }) => category);
}
