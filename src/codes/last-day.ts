import { dayMs } from '../runtime/units.ts';

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
