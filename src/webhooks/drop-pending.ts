import type { Database } from '../store/database.ts';

const rowsPerStep = 2_000;

/** Deliveries about a code that was deleted, except for the event that says so. */
const isOfGoneCode = `qr_code_id IS NOT NULL AND event <> 'code.deleted'
  AND NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = webhook_deliveries.qr_code_id)`;

/**
 * Removes what waits for a disabled endpoint, in steps: of a busy one, it is more than a statement can delete. The log keeps
 * the deliveries, except of deleted codes, and they can be sent again. False where some are left after `maxMs`.
 */
export async function dropPending(db: Database, endpointId: string, maxMs: number): Promise<boolean> {
  const until = performance.now() + maxMs;
  return dropPendingUntil(db, endpointId, () => performance.now() > until);
}

/** The same, until `isOver`. */
export async function dropPendingUntil(
  db: Database,
  endpointId: string,
  isOver: () => boolean,
): Promise<boolean> {
  // Nothing is dropped of one that was enabled again meanwhile.
  const some = (table: string, condition: string) =>
    `SELECT id FROM ${table} WHERE endpoint_id = :endpointId AND ${condition}
       AND EXISTS (SELECT FROM webhook_endpoints WHERE id = :endpointId AND NOT is_enabled)
     LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED`;
  const steps = [
    `DELETE FROM webhook_scans WHERE id IN (${some('webhook_scans', 'true')})`,
    `DELETE FROM webhook_deliveries WHERE id IN (
       ${some('webhook_deliveries', `status = 'pending' AND ${isOfGoneCode}`)}
     )`,
    `UPDATE webhook_deliveries SET status = 'failed', finished_at = now() WHERE id IN (
       ${some('webhook_deliveries', `status = 'pending'`)}
     )`,
  ];
  for (const step of steps)
    for (let count = rowsPerStep; count === rowsPerStep; ) {
      if (isOver()) return false;
      ({ rowCount: count } = (await db.raw(step, { endpointId })) as { rowCount: number });
    }
  return true;
}

/** Of a delivery that is finished. */
export async function deleteIfCodeIsGone(db: Database, deliveryId: string): Promise<void> {
  await db('webhook_deliveries').where({ id: deliveryId }).whereRaw(isOfGoneCode).delete();
}
