import { lastDates } from '../../../scans/analytics.ts';
import { dayMs } from '../../../runtime/units.ts';

/** A period of the charts, in UTC days. */
export interface Period {
  /** Of its link: `days=30`. */
  query: string;
  name: string;
  /** Oldest first. */
  dates: string[];
  endsToday: boolean;
  /** Set for the last days, whose total is counted live. */
  days?: RollingDays;
}

/** The last days, which the page offers beside its heading. */
export const rollingDays = [7, 30, 90, 365] as const;
export type RollingDays = (typeof rollingDays)[number];
const defaultDays = 30;
/** Ten years. More would make a page that no browser shows quickly. */
const maxDays = 3_660;

/** Periods that are named, for links: no script is needed. */
export function namedPeriods(createdAt: Date, now: Date): Period[] {
  const today = isoDay(now);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const firstOf = (offset: number) => isoDay(new Date(Date.UTC(year, month + offset, 1)));
  const named = (key: string, name: string, from: string, to = today): Period => ({
    query: `period=${key}`,
    name,
    dates: datesBetween(from, to),
    endsToday: to === today,
  });
  return [
    named('today', 'Today', today),
    named('month', 'This month', firstOf(0)),
    named('last-month', 'Last month', firstOf(-1), isoDay(new Date(Date.UTC(year, month, 0)))),
    named('year', 'This year', `${year}-01-01`),
    named('all', 'All since creation', isoDay(createdAt)),
  ];
}

export function rollingPeriod(days: RollingDays, now: Date): Period {
  const dates = lastDates(days, now);
  return { query: `days=${days}`, name: `${days} days`, dates, endsToday: true, days };
}

type Query = Record<string, string | string[] | undefined>;

const isoDay = (at: Date) => at.toISOString().slice(0, 10);

/** What the address asks for: the last days, a named period, or one from a day to another. Anything else is the default. */
export function readPeriod(query: Query, createdAt: Date, now: Date): Period {
  const asked = `period=${String(query['period'])}`;
  const named = namedPeriods(createdAt, now).find((period) => period.query === asked);
  if (named) return named;
  const days = rollingDays.find((each) => String(each) === query['days']);
  return (days ? undefined : ownPeriod(query, now)) ?? rollingPeriod(days ?? defaultDays, now);
}

/** Tolerates swapped days, and an end in the future. */
function ownPeriod(query: Query, now: Date): Period | undefined {
  const given = [query['from'], query['to']].filter(isDay).toSorted();
  const today = isoDay(now);
  const [from, end] = given;
  if (from === undefined || end === undefined || from > today) return undefined;
  const to = end < today ? end : today;
  const dates = datesBetween(from, to);
  return { query: `from=${dates[0]}&to=${to}`, name: 'Other days', dates, endsToday: to === today };
}

function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && isoDay(new Date(time)) === text;
}

/** Cut to its last days if it is too long. */
function datesBetween(from: string, to: string): string[] {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return lastDates(Math.min(Math.max(days, 1), maxDays), new Date(`${to}T12:00:00Z`));
}
