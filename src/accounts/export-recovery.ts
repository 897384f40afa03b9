import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

/** A build stores a chunk far more often. Without one, its job was lost: it failed, or the queue has lost it. */
const silentMs = 15 * 60_000;
const giveUpMs = dayMs;
const maxTold = 100;

interface ExportRequest {
  userId: string;
  requestId: string;
}

/** The requests whose job is to be added again. Each is returned at most once in 15 minutes. After a day, an export has failed. */
export async function takeLostExports(db: Database, now: Date): Promise<ExportRequest[]> {
  await db('account_exports')
    .where({ build_id: null, failed_at: null })
    .where('requested_at', '<=', new Date(now.getTime() - giveUpMs))
    .update({ failed_at: now, failure: 'error' });
  const { rows } = (await db.raw(
    `UPDATE account_exports AS export SET queued_at = :now
     WHERE build_id IS NULL AND failed_at IS NULL AND greatest(requested_at, queued_at) <= :silentSince
       AND NOT EXISTS (
         SELECT FROM account_export_chunks AS chunk
         WHERE chunk.user_id = export.user_id AND chunk.created_at > :silentSince
       )
     RETURNING user_id AS "userId", request_id AS "requestId"`,
    { now, silentSince: new Date(now.getTime() - silentMs) },
  )) as { rows: ExportRequest[] };
  return rows;
}

/** Calls `tell` once for each export that is ready or has failed. If that rejects, or the process dies, a later run calls it again. */
export async function tellOfExports(
  db: Database,
  tell: (request: ExportRequest) => Promise<void>,
  now: Date,
): Promise<void> {
  for (let told = 0; told < maxTold; told += 1) {
    const isDone = await db.transaction(async (transaction) => {
      const request = (await transaction('account_exports')
        .where({ owner_told_at: null })
        .whereRaw('(build_id IS NOT NULL OR failed_at IS NOT NULL)')
        // Not those from a time when mails were not sent.
        .where('requested_at', '>', new Date(now.getTime() - giveUpMs - dayMs))
        .forNoKeyUpdate()
        .skipLocked()
        .first({ userId: 'user_id', requestId: 'request_id' })) as ExportRequest | undefined;
      if (!request) return true;
      await tell(request);
      await transaction('account_exports')
        .where({ user_id: request.userId, request_id: request.requestId })
        .update({ owner_told_at: now });
      return false;
    });
    if (isDone) return;
  }
}
