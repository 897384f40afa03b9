import { dayMs, hourMs } from './units.ts';

/** Current names of zones that Intl lists by their former ones. It accepts both. */
const renamed: Record<string, string> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

/** IANA names that users can choose from. UTC is the default. */
export const timeZones: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone')
    .filter((name) => name !== 'UTC')
    .map((name) => renamed[name] ?? name)
    .toSorted(),
];

const known = new Set(timeZones);
// Creating a format takes longer than using it. There are a few hundred zones.
const formats = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(name: unknown): name is string {
  return typeof name === 'string' && known.has(name);
}

/** What a clock on the wall shows. */
export interface LocalTime {
  /** `2026-11-16` */
  date: string;
  hour: number;
  /** 0 is Monday. */
  weekday: number;
}

/** An unknown zone, of a newer release, is UTC. */
export function localTime(moment: Date, timeZone: string | null): LocalTime {
  const wall = new Date(moment.getTime() + offsetMs(moment, timeZone));
  return {
    date: wall.toISOString().slice(0, 10),
    hour: wall.getUTCHours(),
    weekday: (wall.getUTCDay() + 6) % 7,
  };
}

/** The start of a day there. Where clocks skip midnight, the first moment of the day. */
export function startOfDay(date: string, timeZone: string | null): Date {
  const wall = Date.parse(`${date}T00:00:00Z`);
  // The offset of the day before and of the day itself: one of them holds at midnight.
  const candidates = [wall - dayMs, wall + dayMs].map((near) => wall - offsetMs(new Date(near), timeZone));
  const valid = candidates.filter((moment) => localTime(new Date(moment), timeZone).date === date);
  return new Date(Math.min(...(valid.length > 0 ? valid : candidates)));
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** How far local time is ahead of UTC. */
function offsetMs(moment: Date, timeZone: string | null): number {
  const parts = formatFor(isTimeZone(timeZone) ? timeZone : 'UTC').formatToParts(moment);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000);
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}
