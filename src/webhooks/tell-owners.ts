import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { Endpoint } from './endpoints.ts';

const maxOwners = 100;

/**
 * Calls `tell` for each endpoint that was disabled because it failed or is gone, once for each time. If `tell` fails, a later
 * run calls it again, also if the process dies in between.
 */
export async function tellOwners(
  db: Database,
  tell: (endpoint: Endpoint) => Promise<void>,
  now: Date,
): Promise<void> {
  for (let told = 0; told < maxOwners; told += 1) {
    const isDone = await db.transaction(async (transaction) => {
      const endpoint = await Endpoint.query(transaction)
        .where({ is_enabled: false })
        .whereNot({ disabled_reason: 'owner' })
        // Not those from a time when mails were not sent.
        .where('disabled_at', '>', new Date(now.getTime() - dayMs))
        .whereRaw('(owner_told_at IS NULL OR owner_told_at < disabled_at)')
        .forNoKeyUpdate()
        .skipLocked()
        .first();
      if (!endpoint) return true;
      await tell(endpoint);
      await transaction('webhook_endpoints').where({ id: endpoint.id }).update({ owner_told_at: now });
      return false;
    });
    if (isDone) return;
  }
}
