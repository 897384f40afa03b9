import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { inIndexOrder } from './in-index-order.ts';
import { Scan, type ScanRow } from './scan.ts';

/** Newest first, because a scan's id begins with its time. `to` is not part of the period. Returns up to `limit + 1` scans: one more means that there is a next page. */
export async function listScans(
  db: Database,
  codeId: string,
  page: { limit: number; cursor?: string | undefined; from?: Date; to?: Date },
): Promise<ScanRow[]> {
  return inIndexOrder(db, async (transaction) => {
    const query = Scan.query(transaction)
      .where({ qr_code_id: codeId })
      .orderBy('id', 'desc')
      .limit(page.limit + 1);
    if (page.cursor !== undefined) query.where('id', '<', page.cursor);
    if (page.from) query.where('id', '>=', firstIdAt(page.from));
    if (page.to) query.where('id', '<', firstIdAt(page.to));
    return (await query) as unknown as ScanRow[];
  });
}
