import type { Database } from '../store/database.ts';
import { type ExpiringWithin, whereExpiring } from './lifetime.ts';
import type { QueryBuilder } from 'objection';
import { validate as isUuid } from 'uuid';
import { isSecretType } from './content/content-fields.ts';
import { type CodeType, codeTypes } from './content/content-types.ts';
import { QrCode } from './qr-code.ts';
import { parseCodeInput } from './share-token.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

const maxCategories = 200;
/** A row takes some 50 µs to parse, and redirects wait meanwhile. */
export const codesPerQuery = 100;

export interface CodeSearch {
  /** Any part of the name or the content, case-insensitive, or the share token, the share link or the id. */
  text?: string | undefined;
  /** `file`: codes of type `url` that open an uploaded file. */
  type?: CodeType | 'file' | undefined;
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
  workspaceId: WorkspaceId,
  search: CodeSearch,
  { limit, after, before }: PagePlace & { limit: number },
): Promise<CodesPage> {
  const order = before ? 'asc' : 'desc';
  const query = matching(db, workspaceId, search)
    .orderBy([
      { column: 'is_favorite', order },
      { column: 'id', order },
    ])
    // The extra row shows whether there is another page.
    .limit(limit + 1);
  if (before) {
    const found = await query.whereRaw('(is_favorite, id) > (?, ?)', [before.isFavorite, before.id]);
    // Codes were deleted or marked in the meantime: show a full first page instead.
    if (found.length <= limit) return searchCodes(db, workspaceId, search, { limit });
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
  workspaceId: WorkspaceId,
  search: CodeSearch,
  max: number,
): Promise<QrCode[]> {
  const found: QrCode[] = [];
  for (;;) {
    const limit = Math.min(codesPerQuery, max - found.length);
    const { codes, hasNext } = await searchCodes(db, workspaceId, search, { limit, after: found.at(-1) });
    found.push(...codes);
    if (!hasNext || found.length >= max) return found;
  }
}

export function countCodes(db: Database, workspaceId: WorkspaceId, search: CodeSearch): Promise<number> {
  return matching(db, workspaceId, search).resultSize();
}

function matching(db: Database, workspaceId: WorkspaceId, { text, type, category, expiring }: CodeSearch) {
  const query = QrCode.query(db).where({ user_id: workspaceId });
  if (text) whereText(query, text);
  if (type === 'file') query.whereRaw(opensFileSql);
  else if (type) query.where({ type });
  if (type === 'url') query.whereRaw(`NOT (${opensFileSql})`);
  if (category) query.where({ category });
  whereExpiring(query, expiring);
  return query;
}

/** As `opensFile`, and as the index of these codes has it. */
const opensFileSql = `type = 'url' AND strpos(content, '/f/' || share_token || '/') > 0`;

/** Their content has a password, which must not be found out by searching. */
const secretTypes = codeTypes.filter(isSecretType);

function whereText(query: QueryBuilder<QrCode>, text: string): void {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const named = parseCodeInput(text);
  query.where((any) => {
    any.where('name', 'ilike', pattern);
    any.orWhere((content) => {
      content.whereNotIn('type', secretTypes).where('content', 'ilike', pattern);
    });
    if (named !== undefined) any.orWhere(isUuid(named) ? { id: named } : { share_token: named });
  });
}

export async function listCategories(db: Database, workspaceId: WorkspaceId): Promise<string[]> {
  const rows = (await db('qr_codes')
    .distinct('category')
    .where({ user_id: workspaceId })
    .whereNotNull('category')
    .orderBy('category')
    .limit(maxCategories)) as { category: string }[];
  return rows.map(({ category }) => category);
}
