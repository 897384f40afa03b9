import { dayMs } from '../runtime/units.ts';
import { endOfDay, lastDayOf } from './last-day.ts';
import type { QrCode } from './qr-code.ts';

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
