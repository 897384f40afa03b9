import type { QueryBuilder } from 'objection';
import { defaultExpiry } from './lifetime.ts';
import type { QrCode } from './qr-code.ts';

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
