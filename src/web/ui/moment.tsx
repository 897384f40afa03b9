import { dayInWords, momentInWords } from './day.ts';
import { useLocale } from './layout.tsx';

interface MomentProps {
  at: Date | string;
  /** Without the time zone, where the page says it once for many. */
  bare?: boolean;
}

/** In UTC, exact to the minute; the script shows it in the reader's own time zone. */
export function Moment({ at: moment, bare = false }: MomentProps) {
  const locale = useLocale();
  const at = new Date(moment);
  return (
    <time dateTime={at.toISOString()} lang={langFor(locale)} data-moment={bare ? 'bare' : ''}>
      {momentInWords(at, locale, bare)}
    </time>
  );
}

/** A day of UTC, as `2026-11-01`. The script leaves it alone: in another time zone it would be another day. */
export function Day({ date }: { date: string }) {
  const locale = useLocale();
  return (
    <time dateTime={date} lang={langFor(locale)}>
      {dayInWords(date, locale)}
    </time>
  );
}

/** Absent where it is that of the page. */
function langFor(locale: string): string | undefined {
  return /^en\b/.test(locale) ? undefined : locale;
}
