import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

/** In all worker processes together. */
const maxBuilds = 2;
/** Renewed while it is built. A killed worker leaves no more than this. */
const leaseMs = 60_000;
/** Of all archives. Beyond it, the oldest end early. */
const maxStoredBytes = 20 * 1024 ** 3;
/** No archive ends before this age. */
const keptMs = dayMs;
/** For `pg_advisory_xact_lock`: one worker at a time counts the leases and takes one. */
const lockKey = 47_001;

interface ExportTurn {
  userId: string;
  requestId: string;
}

interface Limits {
  builds?: number;
  storedBytes?: number;
}

/**
 * Leases the export whose turn it is: first those of accounts that got none in the last day, then those that no worker has
 * begun, then the oldest. `later` while enough are being built, or there is no room; undefined if none waits.
 */
export async function takeExportTurn(
  db: Database,
  now: Date,
  { builds = maxBuilds, storedBytes = maxStoredBytes }: Limits = {},
): Promise<ExportTurn | 'later' | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?)', [lockKey]);
    const pending = () => transaction('account_exports').where({ build_id: null, failed_at: null });
    const waiting = (await pending()
      .where('expires_at', '>', now)
      .whereRaw('(leased_until IS NULL OR leased_until <= ?)', [now])
      .orderByRaw('(built_at IS NOT NULL AND built_at > ?), begun_at NULLS FIRST, requested_at, user_id', [
        new Date(now.getTime() - dayMs),
      ])
      .first({ userId: 'user_id', requestId: 'request_id' })) as ExportTurn | undefined;
    const { count: leased } = (await pending()
      .where('leased_until', '>', now)
      .count({ count: '*' })
      .first()) as { count: number };
    if (!waiting) return leased > 0 ? 'later' : undefined;
    if (leased >= builds || !(await makeRoom(transaction, now, storedBytes))) return 'later';
    await pending()
      .where({ user_id: waiting.userId })
      .update({ leased_until: leaseEnd(now), begun_at: now });
    return waiting;
  });
}

/** Ends the oldest archives early where there are too many bytes. Their owners can ask for another one. */
async function makeRoom(transaction: Database, now: Date, storedBytes: number): Promise<boolean> {
  const ready = (await transaction('account_exports')
    .whereNotNull('build_id')
    .orderBy('requested_at')
    .select({ userId: 'user_id', bytes: 'bytes', requestedAt: 'requested_at', expiresAt: 'expires_at' })) as {
    userId: string;
    bytes: number | null;
    requestedAt: Date;
    expiresAt: Date;
  }[];
  let stored = ready.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const ended: string[] = [];
  for (const { userId, bytes, requestedAt, expiresAt } of ready) {
    if (stored < storedBytes) break;
    const isEnding = expiresAt <= now;
    if (!isEnding && requestedAt.getTime() > now.getTime() - keptMs) continue;
    stored -= bytes ?? 0;
    if (!isEnding) ended.push(userId);
  }
  if (ended.length > 0)
    await transaction('account_exports').whereIn('user_id', ended).update({ expires_at: now });
  return stored < storedBytes;
}

/** Keeps others from building the same. */
export async function renewExportLease(db: Database, turn: ExportTurn, now: Date): Promise<void> {
  await leasedBy(db, turn).update({ leased_until: leaseEnd(now) });
}

/** After a failure: the turn of the next one comes at once, and this one is tried again after it. */
export async function releaseExportLease(db: Database, turn: ExportTurn): Promise<void> {
  await leasedBy(db, turn).update({ leased_until: null });
}

function leasedBy(db: Database, { userId, requestId }: ExportTurn) {
  return db('account_exports')
    .where({ user_id: userId, request_id: requestId, build_id: null })
    .whereNotNull('leased_until');
}

const leaseEnd = (now: Date) => new Date(now.getTime() + leaseMs);

/** How often a lease is renewed. */
export const renewEveryMs = leaseMs / 4;

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
