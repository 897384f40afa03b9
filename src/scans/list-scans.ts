import type { Database } from '../store/database.ts';
import { Scan } from './scan.ts';

/** Newest first: a scan's id begins with its millisecond. One more than asked for may come, to tell of a next page. */
export async function listScans(
  db: Database,
  codeId: string,
  page: { limit: number; cursor?: string | undefined },
): Promise<Scan[]> {
  const query = Scan.query(db)
    .where({ qr_code_id: codeId })
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.cursor !== undefined) query.where('id', '<', page.cursor);
  return query;
}
