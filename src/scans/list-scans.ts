import type { Database } from '../store/database.ts';
import { inIndexOrder } from './in-index-order.ts';
import { Scan, type ScanRow } from './scan.ts';

/** Newest first, because a scan's id begins with its time. Returns up to `limit + 1` scans: one more means that there is a next page. */
export async function listScans(
  db: Database,
  codeId: string,
  page: { limit: number; cursor?: string | undefined },
): Promise<ScanRow[]> {
  return inIndexOrder(db, async (transaction) => {
    const query = Scan.query(transaction)
      .where({ qr_code_id: codeId })
      .orderBy('id', 'desc')
      .limit(page.limit + 1);
    if (page.cursor !== undefined) query.where('id', '<', page.cursor);
    return (await query) as unknown as ScanRow[];
  });
}
