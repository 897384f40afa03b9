import { LRUCache } from 'lru-cache';

/** The one way in which pages write a day. app.browser.js has the same, for moments in the reader's own time zone. */
const dayParts = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const timeParts = { hour: 'numeric', minute: '2-digit' } as const;
const zoneParts = { timeZoneName: 'short' } as const;

// Making a format takes longer than using it.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 300 });

function formatOf(locale: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = [locale, ...Object.keys(parts)].join(' ');
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' });
  formats.set(key, made);
  return made;
}

/** `2026-11-01` as "Nov 1, 2026" or "1. Nov. 2026", whatever the reader's time zone: days are days of UTC. */
export function dayInWords(day: string, locale: string): string {
  const date = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(date.getTime()) ? day : formatOf(locale, dayParts).format(date);
}

/** "Nov 1, 2026, 2:05 PM UTC"; `bare`: where the page says the time zone once for many. */
export function momentInWords(at: Date, locale: string, bare = false): string {
  const parts = { ...dayParts, ...timeParts, ...(bare ? {} : zoneParts) };
  return formatOf(locale, parts).format(at);
}

/** "2:05 PM UTC" */
export function timeInWords(at: Date, locale: string): string {
  return formatOf(locale, { ...timeParts, ...zoneParts }).format(at);
}
