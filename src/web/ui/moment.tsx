import { dayInWords, momentInWords } from './day.ts';
import { useLocale } from './layout.tsx';

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
