import type { QueryBuilder } from 'objection';
import { dayMs } from '../runtime/units.ts';
import { QrCode } from './qr-code.ts';
import type { Database } from '../store/database.ts';

/** Stored as the default end of a code whose owner chose this one. It must differ: an owner may choose 1970, too. */
const otherThan = (chosen: Date) => new Date(chosen.getTime() === 0 ? 1 : 0);

type Ends = Pick<QrCode, 'expiresAt' | 'defaultExpiresAt'>;

/** The end of a code that is created or renewed now. */
export function defaultExpiry(lifetimeDays: number, now: Date): Date {
  return new Date(now.getTime() + lifetimeDays * dayMs);
}

/** What to store for an end that the owner chose, or for null, the default lifetime from now on. */
export function endColumns(chosen: Date | null, lifetimeDays: number, now: Date): Ends {
  if (chosen) return { expiresAt: chosen, defaultExpiresAt: otherThan(chosen) };
  const expiresAt = defaultExpiry(lifetimeDays, now);
  return { expiresAt, defaultExpiresAt: expiresAt };
}

/**
 * Whether scans renew the code. Compared with the stored end, because a process of the previous release changes only
 * `expiresAt`. A code of that release has the default lifetime if it ends when the API, or on the day that the form,
 * would have chosen.
 */
export function hasDefaultEnd(
  { createdAt, expiresAt, defaultExpiresAt }: Ends & Pick<QrCode, 'createdAt'>,
  lifetimeDays: number,
): boolean {
  const end = expiresAt.getTime();
  if (defaultExpiresAt) return end === defaultExpiresAt.getTime();
  const created = defaultExpiry(lifetimeDays, createdAt);
  return end === created.getTime() || expiresAt.toISOString() === endOfDay(lastDayOf(created));
}

/** With the default end that `hasDefaultEnd` finds for a code of an older release. */
export function withDefaultEnd(code: QrCode, lifetimeDays: number): QrCode {
  code.defaultExpiresAt ??= hasDefaultEnd(code, lifetimeDays) ? code.expiresAt : otherThan(code.expiresAt);
  return code;
}

/**
 * The end after a scan in the second half of a default lifetime; undefined where the scan does not renew the code. It depends
 * on the time of the scan only, so a scan that is delivered again changes nothing.
 */
export function expiryAfterScan(
  code: Ends & Pick<QrCode, 'createdAt'>,
  scannedAt: Date,
  lifetimeDays: number,
): Date | undefined {
  const isInSecondHalf =
    scannedAt >= secondHalfOf(code.expiresAt, lifetimeDays) && scannedAt < code.expiresAt;
  return isInSecondHalf && hasDefaultEnd(code, lifetimeDays)
    ? defaultExpiry(lifetimeDays, scannedAt)
    : undefined;
}

/** When the second half of a default lifetime begins. */
export function secondHalfOf(expiresAt: Date, lifetimeDays: number): Date {
  return new Date(expiresAt.getTime() - (lifetimeDays * dayMs) / 2);
}

/** The last UTC day on which a code with this expiry still works. */
export function lastDayOf(expiresAt: Date): string {
  return new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
}

/** The start of the next day, in UTC. Undefined for an invalid date. */
export function endOfDay(day: string): string | undefined {
  const start = new Date(`${day}T00:00:00.000Z`);
  // Date.parse turns February 31 into March 3.
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day) return undefined;
  const end = new Date(start.getTime() + dayMs).toISOString();
  return end.startsWith('+') ? `${day}T23:59:59.999Z` : end;
}

/** Forms set the end of a day, the API any time. */
export function isEndOfDay(expiresAt: Date): boolean {
  return expiresAt.toISOString() === endOfDay(lastDayOf(expiresAt));
}

/** When the end of a code is. Without `after`, also long ago. */
export interface ExpiringWithin {
  after?: Date;
  until: Date;
}

/** Codes that work now and end within this time. */
export function expiringWithin(days: number | undefined, now: Date): ExpiringWithin | undefined {
  return days === undefined ? undefined : { after: now, until: defaultExpiry(days, now) };
}

export const ended = (now: Date): ExpiringWithin => ({ until: now });

export function whereExpiring(query: QueryBuilder<QrCode>, expiring: ExpiringWithin | undefined): void {
  if (!expiring) return;
  query.where('expires_at', '<=', expiring.until);
  if (expiring.after) query.where('expires_at', '>', expiring.after);
}

/**
 * Renews the codes that were scanned in the second half of their default lifetime; `scans` has the latest scan of each. Skips
 * codes that another transaction has locked, and returns their ids. Does not change `updatedAt`.
 */
export async function renewCodes(
  db: Database,
  scans: ReadonlyMap<string, Date>,
  lifetimeDays: number,
): Promise<string[]> {
  const ids = [...scans.keys()];
  return db.transaction(async (transaction) => {
    const codes = await QrCode.query(transaction)
      .select('id', 'created_at', 'expires_at', 'default_expires_at')
      .whereRaw('id = ANY(?::uuid[])', [ids])
      .orderBy('id')
      .forNoKeyUpdate()
      .skipLocked();
    const changes = codes.flatMap((code) => {
      const expiresAt = expiryAfterScan(code, scans.get(code.id) ?? new Date(0), lifetimeDays);
      if (expiresAt) return [{ id: code.id, expiresAt, defaultExpiresAt: expiresAt }];
      // Stored, so that the chosen end of a code of an older release is not looked at with every scan.
      const isUndecided = code.defaultExpiresAt === null && !hasDefaultEnd(code, lifetimeDays);
      return isUndecided ? [{ id: code.id, ...endColumns(code.expiresAt, lifetimeDays, new Date()) }] : [];
    });
    if (changes.length > 0) await storeEnds(transaction, changes);
    if (codes.length === ids.length) return [];
    return findLocked(transaction, ids, new Set(codes.map(({ id }) => id)));
  });
}

async function storeEnds(
  db: Database,
  changes: Pick<QrCode, 'id' | 'expiresAt' | 'defaultExpiresAt'>[],
): Promise<void> {
  await db.raw(
    `UPDATE qr_codes SET expires_at = change.expires_at, default_expires_at = change.default_expires_at
     FROM unnest(CAST(:ids AS uuid[]), CAST(:ends AS timestamptz[]), CAST(:defaults AS timestamptz[]))
       AS change (id, expires_at, default_expires_at)
     WHERE qr_codes.id = change.id`,
    {
      ids: changes.map(({ id }) => id),
      ends: changes.map(({ expiresAt }) => expiresAt),
      defaults: changes.map(({ defaultExpiresAt }) => defaultExpiresAt),
    },
  );
}

/** The others were deleted. */
async function findLocked(db: Database, ids: string[], held: Set<string>): Promise<string[]> {
  const rows = await QrCode.query(db).select('id').whereRaw('id = ANY(?::uuid[])', [ids]);
  return rows.flatMap(({ id }) => (held.has(id) ? [] : id));
}
