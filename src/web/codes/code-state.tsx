import { lastDayOf } from '../../codes/lifetime.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { dayMs } from '../../runtime/units.ts';

/** Only the first that applies is shown: it has to be fixed first. */
export type CodeState = 'blocked' | 'expired' | 'private' | 'public';

const badges: Record<CodeState, [name: string, className: string]> = {
  blocked: ['Blocked', 'badge bad'],
  expired: ['Expired', 'badge bad'],
  private: ['Private', 'badge'],
  public: ['Public', 'badge good'],
};

interface Shown {
  code: QrCode;
  isExpired: boolean;
  isBlocked: boolean;
}

/** The share link works and scans are counted only while it is public. */
export function stateOf({ code, isExpired, isBlocked }: Shown): CodeState {
  if (isBlocked) return 'blocked';
  if (isExpired) return 'expired';
  return code.isPublic ? 'public' : 'private';
}

export function StateBadge({ state }: { state: CodeState }) {
  const [name, className] = badges[state];
  return <span class={className}>{name}</span>;
}

/** From this many days before it expires, the list and the page of a code say so. */
const soonDays = 30;

/** Undefined unless the code expires soon. Days are days in UTC, as in the form. */
export function expiresInWords(expiresAt: Date, now: Date): string | undefined {
  const today = now.toISOString().slice(0, 10);
  const days = (Date.parse(lastDayOf(expiresAt)) - Date.parse(today)) / dayMs;
  if (expiresAt <= now || days > soonDays) return undefined;
  if (days <= 0) return 'Expires today';
  return days === 1 ? 'Expires tomorrow' : `Expires in ${days} days`;
}

export function ExpiryBadge({ expiresIn }: { expiresIn: string | undefined }) {
  return expiresIn === undefined ? null : <span class="badge">{expiresIn}</span>;
}
