import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { keptDays } from './events.ts';

const rowsPerStep = 2_000;
/** How long the log has `code.deleted`, with what the code contained, after it was delivered. */
const deletedCodeDays = 1;

/** A transaction that began before may still add an event. None lasts this long. */
const settledMs = 10 * 60_000;

/** Purges deliveries that are older than the log, and what deleted and disabled endpoints left behind, in steps, until `isOver`. */
export async function purgeDeliveries(db: Database, now: Date, isOver: () => boolean): Promise<number> {
  const oldestId = firstIdAt(new Date(now.getTime() - keptDays * dayMs));
  const deleted =
    (await inSteps(db, 'webhook_deliveries', 'id < :oldestId', { oldestId }, isOver)) +
    (await inSteps(
      db,
      'webhook_deliveries',
      `event = 'code.deleted' AND status = 'delivered' AND finished_at < :deliveredBefore`,
      { deliveredBefore: new Date(now.getTime() - deletedCodeDays * dayMs).toISOString() },
      isOver,
    ));
  await purgeDeletedEndpoints(db, now, isOver);
  await purgeDisabledEndpoints(db, isOver);
  await inSteps(
    db,
    'webhook_scans',
    'NOT EXISTS (SELECT FROM webhook_endpoints WHERE is_enabled AND webhook_endpoints.id = endpoint_id)',
    {},
    isOver,
  );
  return deleted;
}

/** Deliveries still pending for endpoints that were disabled. */
async function purgeDisabledEndpoints(db: Database, isOver: () => boolean): Promise<void> {
  const disabled = (await db('webhook_endpoints AS endpoint')
    .where({ is_enabled: false })
    .whereRaw(
      `EXISTS (SELECT FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND status = 'pending')`,
    )
    .limit(1_000)
    .select('id')) as { id: string }[];
  for (const { id } of disabled) await dropPendingUntil(db, id, isOver);
}

/** The log of endpoints that were deleted. */
async function purgeDeletedEndpoints(db: Database, now: Date, isOver: () => boolean): Promise<void> {
  const gone = (await db('deleted_endpoints').orderBy('deleted_at').limit(1_000)) as {
    id: string;
    deleted_at: Date;
  }[];
  for (const { id, deleted_at } of gone) {
    await inSteps(db, 'webhook_deliveries', 'endpoint_id = :id', { id }, isOver);
    if (isOver()) return;
    if (now.getTime() - deleted_at.getTime() > settledMs)
      await db('deleted_endpoints').where({ id }).delete();
  }
}

/**
 * Purges a step of what the log has of a deleted code. Events that still wait are deleted when they are finished, see
 * `recordAttempt`; `code.deleted` stays, for a day after it was delivered.
 */
export async function purgeCodeDeliveries(db: Database, codeId: string): Promise<number> {
  const { rowCount } = (await db.raw(
    `DELETE FROM webhook_deliveries WHERE id IN (
       SELECT id FROM webhook_deliveries
       WHERE qr_code_id = :codeId AND status <> 'pending' AND event <> 'code.deleted'
       LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED
     )`,
    { codeId },
  )) as { rowCount: number };
  return rowCount;
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

/** For a delivery that is finished. */
export async function deleteIfCodeIsGone(db: Database, deliveryId: string): Promise<void> {
  await db('webhook_deliveries').where({ id: deliveryId }).whereRaw(isOfGoneCode).delete();
}
