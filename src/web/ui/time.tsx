import { LRUCache } from 'lru-cache';
import { useLocale, useTimeZone } from './visitor.ts';

const dayFormat = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const timeFormat = { hour: 'numeric', minute: '2-digit' } as const;
const zoneFormat = { timeZoneName: 'short' } as const;

/**
 * The layout passes it on to app.browser.js. Every time on a page is in one zone: that of the account if it has one, else that of
 * the browser, or UTC without scripts. Days of statistics are days in UTC, and say so.
 */
export const momentFormat = { ...dayFormat, ...timeFormat } as const;

// Creating a format takes longer than using it.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 300 });

function formatFor(
  locale: string,
  options: Intl.DateTimeFormatOptions,
  timeZone = 'UTC',
): Intl.DateTimeFormat {
  const key = [locale, timeZone, ...Object.keys(options)].join(' ');
  const cached = formats.get(key);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formats.set(key, format);
  return format;
}

/** `2026-11-01` as "Nov 1, 2026" or "1. Nov. 2026", whatever the reader's time zone: days are days in UTC. */
export function dayInWords(day: string, locale: string): string {
  const date = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(date.getTime()) ? day : formatFor(locale, dayFormat).format(date);
}

/** "Nov 1" beside days with their year. */
export function ShortDay({ date }: { date: string }) {
  const locale = useLocale();
  const { year: _year, ...format } = dayFormat;
  return (
    <time dateTime={date} lang={langFor(locale)}>
      {formatFor(locale, format).format(new Date(`${date}T00:00:00.000Z`))}
    </time>
  );
}

/** The day for `day`; without the time zone for `bare`. */
const momentFormats = {
  zoned: { ...momentFormat, ...zoneFormat },
  bare: momentFormat,
  day: dayFormat,
};

/** "2:05 PM UTC" */
export function timeInWords(at: Date, locale: string): string {
  return formatFor(locale, { ...timeFormat, ...zoneFormat }).format(at);
}

interface MomentProps {
  at: Date | string;
  /** "Nov 1, 2026, 2:05 PM UTC", without the time zone where the page names it once for many, or only the day. */
  show?: keyof typeof momentFormats;
}

/** In the zone of the account, or in UTC: app.browser.js then shows it in that of the browser. */
export function Moment({ at: moment, show = 'zoned' }: MomentProps) {
  const locale = useLocale();
  const timeZone = useTimeZone();
  const at = new Date(moment);
  return (
    <time dateTime={at.toISOString()} lang={langFor(locale)} data-moment={show}>
      {formatFor(locale, momentFormats[show], timeZone).format(at)}
    </time>
  );
}

/** Names the zone of times that have none. app.browser.js replaces UTC by the zone of the browser. */
export function ZoneNote() {
  const timeZone = useTimeZone();
  return (
    <p class="hint" data-zone>
      {timeZone === undefined ? 'Times in UTC' : `Times in your time zone, ${timeZone}`}
    </p>
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
