import type { Database } from '../store/database.ts';
import { type CodeType, QrCode } from './qr-code.ts';

const mostCategories = 200;

export interface CodeSearch {
  /** Any part of the name, in capitals or not. */
  name?: string | undefined;
  type?: CodeType | undefined;
  category?: string | undefined;
}

/** The last code of the page before. */
export type PageKey = Pick<QrCode, 'isFavorite' | 'id'>;

/** Favourites first, then the newest. One more than asked for may come: it tells that there is a next page. */
export async function searchCodes(
  db: Database,
  ownerId: string,
  { name, type, category }: CodeSearch,
  { limit, after }: { limit: number; after?: PageKey | undefined },
): Promise<QrCode[]> {
  const query = QrCode.query(db)
    .where({ user_id: ownerId })
    .orderBy([
      { column: 'is_favorite', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit + 1);
  if (name) query.where('name', 'ilike', `%${name.replace(/[\\%_]/g, '\\$&')}%`);
  if (type) query.where({ type });
  if (category) query.where({ category });
  if (after) query.whereRaw('(is_favorite, id) < (?, ?)', [after.isFavorite, after.id]);
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
