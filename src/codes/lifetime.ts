import type { QueryBuilder } from 'objection';
import { dayMs } from '../runtime/units.ts';
import { QrCode } from './qr-code.ts';
import type { Database } from '../store/database.ts';

/** Marks an expiry as chosen: any default expiry that differs from it. */
const otherThan = (chosen: Date) => new Date(chosen.getTime() === 0 ? 1 : 0);

type Ends = Pick<QrCode, 'expiresAt' | 'defaultExpiresAt'>;

function defaultExpiry(lifetimeDays: number, now: Date): Date {
  return new Date(now.getTime() + lifetimeDays * dayMs);
}

/** The columns for an expiry that the owner chose, or null for the default lifetime from now on. */
export function endColumns(chosen: Date | null, lifetimeDays: number, now: Date): Ends {
  if (chosen) return { expiresAt: chosen, defaultExpiresAt: otherThan(chosen) };
  const expiresAt = defaultExpiry(lifetimeDays, now);
  return { expiresAt, defaultExpiresAt: expiresAt };
}

/**
 * Whether scans renew the code. The previous release changes only `expiresAt`, so it is compared with the stored
 * default. Without one, the code has the default lifetime if it expires when the API, or on the day that the form, would
 * have chosen.
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

/** Fills in what a code of an older release lacks. */
export function withDefaultEnd(code: QrCode, lifetimeDays: number): QrCode {
  code.defaultExpiresAt ??= hasDefaultEnd(code, lifetimeDays) ? code.expiresAt : otherThan(code.expiresAt);
  return code;
}

/**
 * The new expiry after a scan in the second half of a default lifetime; undefined if the scan does not renew the code.
 * It depends only on the time of the scan, so a scan that is delivered again changes nothing.
 */
function expiryAfterScan(
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

/** Forms set the end of a day, the API sets any time. */
export function isEndOfDay(expiresAt: Date): boolean {
  return expiresAt.toISOString() === endOfDay(lastDayOf(expiresAt));
}

/** A range of expiry times. Without `after`, it has no start. */
export interface ExpiringWithin {
  after?: Date;
  until: Date;
}

/** Codes that work now and expire within these days. */
export function expiringWithin(days: number | undefined, now: Date): ExpiringWithin | undefined {
  return days === undefined ? undefined : { after: now, until: defaultExpiry(days, now) };
}

export const ended = (now: Date): ExpiringWithin => ({ until: now });

export function whereExpiring<Code extends QrCode>(
  query: QueryBuilder<Code>,
  expiring: ExpiringWithin | undefined,
): void {
  if (!expiring) return;
  query.where('expires_at', '<=', expiring.until);
  if (expiring.after) query.where('expires_at', '>', expiring.after);
}

/**
 * Renews codes that were scanned in the second half of their default lifetime; `scans` has the latest scan of each.
 * Skips codes that are locked, and returns their ids. Does not change `updatedAt`.
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
      // Stored, so that a chosen expiry from an older release is not checked with every scan.
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

/** Ids that are neither held nor locked belong to deleted codes. */
async function findLocked(db: Database, ids: string[], held: Set<string>): Promise<string[]> {
  const rows = await QrCode.query(db).select('id').whereRaw('id = ANY(?::uuid[])', [ids]);
  return rows.flatMap(({ id }) => (held.has(id) ? [] : id));
}
