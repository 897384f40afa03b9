import { dayMs } from '../runtime/units.ts';

/** The last day, by UTC, on which a code that ends at this moment still works. */
export function lastDayOf(expiresAt: Date): string {
  return new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
}

/** The moment after that day. Undefined for what is no day. */
export function endOfDay(day: string): string | undefined {
  const start = new Date(`${day}T00:00:00.000Z`);
  // Not the 31st of February, of which a parser makes the 3rd of March.
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day) return undefined;
  const end = new Date(start.getTime() + dayMs).toISOString();
  return end.startsWith('+') ? `${day}T23:59:59.999Z` : end;
}

/** Forms set the end of a day, the API any moment. */
export function isEndOfDay(expiresAt: Date): boolean {
  return expiresAt.toISOString() === endOfDay(lastDayOf(expiresAt));
}
