import type { QueryBuilder } from 'objection';
import { defaultExpiry } from './lifetime.ts';
import type { QrCode } from './qr-code.ts';

/** Codes that work now and end within this time. */
export interface ExpiringWithin {
  after: Date;
  until: Date;
}

export function expiringWithin(days: number | undefined, now: Date): ExpiringWithin | undefined {
  return days === undefined ? undefined : { after: now, until: defaultExpiry(days, now) };
}

export function whereExpiring(query: QueryBuilder<QrCode>, expiring: ExpiringWithin | undefined): void {
  if (expiring) query.where('expires_at', '>', expiring.after).where('expires_at', '<=', expiring.until);
}
