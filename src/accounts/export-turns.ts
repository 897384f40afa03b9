import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { leaseOn } from '../store/lease.ts';

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
