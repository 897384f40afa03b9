/** A day as the rest of the pages writes it: `2026-11-01` as "Nov 1, 2026", whatever the reader's time zone. */
export function dayInWords(day: string): string {
  return new Date(`${day}T00:00:00.000Z`).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });
}
