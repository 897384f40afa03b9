import { LRUCache } from 'lru-cache';
import { useLocale } from './visitor.ts';

const dayFormat = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const timeFormat = { hour: 'numeric', minute: '2-digit' } as const;
const zoneFormat = { timeZoneName: 'short' } as const;

/** The layout passes it on to app.browser.js, which writes moments in the reader's own time zone. */
export const momentFormat = { ...dayFormat, ...timeFormat } as const;

// Creating a format takes longer than using it.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 300 });

function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = [locale, ...Object.keys(options)].join(' ');
  const cached = formats.get(key);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  formats.set(key, format);
  return format;
}

/** `2026-11-01` as "Nov 1, 2026" or "1. Nov. 2026", whatever the reader's time zone: days are days in UTC. */
export function dayInWords(day: string, locale: string): string {
  const date = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(date.getTime()) ? day : formatFor(locale, dayFormat).format(date);
}

/** "Nov 1, 2026, 2:05 PM UTC". `bare` leaves out the time zone, for pages that name it once for many. */
export function momentInWords(at: Date, locale: string, bare = false): string {
  return formatFor(locale, { ...momentFormat, ...(bare ? {} : zoneFormat) }).format(at);
}

/** "2:05 PM UTC" */
export function timeInWords(at: Date, locale: string): string {
  return formatFor(locale, { ...timeFormat, ...zoneFormat }).format(at);
}

interface MomentProps {
  at: Date | string;
  /** Without the time zone, where the page names it once for many. */
  bare?: boolean;
}

/** A time in UTC, to the minute. app.browser.js shows it in the reader's time zone. */
export function Moment({ at: moment, bare = false }: MomentProps) {
  const locale = useLocale();
  const at = new Date(moment);
  return (
    <time dateTime={at.toISOString()} lang={langFor(locale)} data-moment={bare ? 'bare' : ''}>
      {momentInWords(at, locale, bare)}
    </time>
  );
}

/** A day in UTC, given as `2026-11-01`. It is not converted: in another time zone it would be another day. */
export function Day({ date }: { date: string }) {
  const locale = useLocale();
  return (
    <time dateTime={date} lang={langFor(locale)}>
      {dayInWords(date, locale)}
    </time>
  );
}

/** Undefined for English, the language of the page. */
function langFor(locale: string): string | undefined {
  return /^en\b/.test(locale) ? undefined : locale;
}
