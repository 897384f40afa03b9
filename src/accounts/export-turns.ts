import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { ExportRequest } from './account-exports.ts';
import { leaseOn } from '../store/lease.ts';

/** In all worker processes together. */
const maxBuilds = 2;
/** Renewed while it is built. A killed worker leaves no more than this. */
const leaseMs = 60_000;
/** Total size of all archives. Above it, the oldest expire early. */
const maxStoredBytes = 20 * 1024 ** 3;
/** No archive ends before this age. */
const keptMs = dayMs;
/** For `pg_advisory_xact_lock`: one worker at a time counts the leases and takes one. */
const lockKey = 47_001;

type ExportTurn = Pick<ExportRequest, 'userId' | 'requestId'>;

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
    const waiting = await ExportRequest.pending(transaction)
      .where('expires_at', '>', now)
      .whereRaw('(leased_until IS NULL OR leased_until <= ?)', [now])
      .orderByRaw('(built_at IS NOT NULL AND built_at > ?), begun_at NULLS FIRST, requested_at, user_id', [
        new Date(now.getTime() - dayMs),
      ])
      .first();
    const leased = await ExportRequest.pending(transaction).where('leased_until', '>', now).resultSize();
    if (!waiting) return leased > 0 ? 'later' : undefined;
    if (leased >= builds || !(await makeRoom(transaction, now, storedBytes))) return 'later';
    await waiting.$query(transaction).patch({ leasedUntil: leaseEnd(now), begunAt: now });
    return { userId: waiting.userId, requestId: waiting.requestId };
  });
}

/** Ends the oldest archives early where there are too many bytes. Their owners can ask for another one. */
async function makeRoom(transaction: Database, now: Date, storedBytes: number): Promise<boolean> {
  const ready = await ExportRequest.query(transaction).whereNotNull('build_id').orderBy('requested_at');
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
    await ExportRequest.query(transaction).whereIn('user_id', ended).patch({ expiresAt: now });
  return stored < storedBytes;
}

/** Keeps others from building the same. */
export async function renewExportLease(db: Database, turn: ExportTurn, now: Date): Promise<void> {
  await lease.renew(db, held(turn), leaseEnd(now));
}

/** After a failure: the turn of the next one comes at once, and this one is tried again after it. */
export async function releaseExportLease(db: Database, turn: ExportTurn): Promise<void> {
  await lease.end(db, held(turn));
}

const lease = leaseOn('account_exports');
const held = ({ userId, requestId }: ExportTurn) => ({
  user_id: userId,
  request_id: requestId,
  build_id: null,
});

const leaseEnd = (now: Date) => new Date(now.getTime() + leaseMs);

/** How often a lease is renewed. */
export const renewEveryMs = leaseMs / 4;

/** A build stores a chunk far more often. Without one, its job was lost: it failed, or the queue has lost it. */
const silentMs = 15 * 60_000;
const giveUpMs = dayMs;
const maxTold = 100;

/** The requests whose job is to be added again. Each is returned at most once in 15 minutes. After a day, an export has failed. */
export async function takeLostExports(db: Database, now: Date): Promise<ExportTurn[]> {
  await ExportRequest.pending(db)
    .where('requested_at', '<=', new Date(now.getTime() - giveUpMs))
    .patch({ failedAt: now, failure: 'error' });
  return ExportRequest.takeLost(db, { now, silentSince: new Date(now.getTime() - silentMs) });
}

/** Calls `tell` once for each export that is ready or has failed. If that rejects, or the process dies, a later run calls it again. */
export async function tellOfExports(
  db: Database,
  tell: (request: ExportTurn, transaction: Database) => Promise<void>,
  now: Date,
): Promise<void> {
  for (let told = 0; told < maxTold; told += 1) {
    const isDone = await db.transaction(async (transaction) => {
      const request = await ExportRequest.query(transaction)
        .whereNull('owner_told_at')
        .whereRaw('(build_id IS NOT NULL OR failed_at IS NOT NULL)')
        // Not those from a time when mails were not sent.
        .where('requested_at', '>', new Date(now.getTime() - giveUpMs - dayMs))
        .forNoKeyUpdate()
        .skipLocked()
        .first();
      if (!request) return true;
      await tell({ userId: request.userId, requestId: request.requestId }, transaction);
      await request.$query(transaction).patch({ ownerToldAt: now });
      return false;
    });
    if (isDone) return;
  }
}
