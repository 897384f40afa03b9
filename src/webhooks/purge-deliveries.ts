import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { idAt, logDays } from './deliveries.ts';

const rowsPerStep = 2_000;

/** Purges deliveries that are older than the log, and what deleted endpoints left behind, in steps, until `isOver`. */
export async function purgeDeliveries(db: Database, now: Date, isOver: () => boolean): Promise<number> {
  const oldestId = idAt(new Date(now.getTime() - logDays * dayMs), '0');
  const deleted =
    (await inSteps(db, 'webhook_deliveries', 'id < :oldestId', { oldestId }, isOver)) +
    // Those of a code that was deleted: its events that wait, and the last one, are kept.
    (await inSteps(
      db,
      'webhook_deliveries',
      `qr_code_id IN (SELECT id FROM deleted_codes) AND status <> 'pending' AND event <> 'code.deleted'`,
      {},
      isOver,
    ));
  await inSteps(
    db,
    'webhook_scans',
    'NOT EXISTS (SELECT FROM webhook_endpoints WHERE is_enabled AND webhook_endpoints.id = endpoint_id)',
    {},
    isOver,
  );
  return deleted;
}

async function inSteps(
  db: Database,
  table: string,
  condition: string,
  values: Record<string, string>,
  isOver: () => boolean,
): Promise<number> {
  let total = 0;
  while (!isOver()) {
    const { rowCount } = (await db.raw(
      `DELETE FROM ${table} WHERE id IN (
         SELECT id FROM ${table} WHERE ${condition} ORDER BY id LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED
       )`,
      values,
    )) as { rowCount: number };
    total += rowCount;
    if (rowCount < rowsPerStep) break;
  }
  return total;
}
