import { lastDayOf } from '../../codes/lifetime.ts';
import { dayMs } from '../../runtime/units.ts';

/** From this many days before the end, the list and the page of a code say so. */
const soonDays = 30;

/** Undefined unless the code ends soon. Days are days in UTC, as in the form. */
export function endsInWords(expiresAt: Date, now: Date): string | undefined {
  const today = now.toISOString().slice(0, 10);
  const days = (Date.parse(lastDayOf(expiresAt)) - Date.parse(today)) / dayMs;
  if (expiresAt <= now || days > soonDays) return undefined;
  if (days <= 0) return 'Ends today';
  return days === 1 ? 'Ends tomorrow' : `Ends in ${days} days`;
}

export function EndBadge({ endsIn }: { endsIn: string | undefined }) {
  return endsIn === undefined ? null : <span class="badge">{endsIn}</span>;
}
