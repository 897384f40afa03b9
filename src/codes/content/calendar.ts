import { LRUCache } from 'lru-cache';
import { dayMs, hourMs } from '../../runtime/units.ts';
import { type ContentLine, contentLine, parameterValues, parseLine, unfold } from './content-lines.ts';

export const ownProductId = '-//Qrelay//QR code//EN';

interface Calendar {
  /** The properties of the calendar itself. */
  calendar: ContentLine[];
  /** Properties of the first event. */
  properties: ContentLine[];
  /** Everything, as a whole calendar with balanced components. */
  lines: ContentLine[];
}

/** A calendar is not an invitation: without METHOD, nobody is asked to reply. */
export function readCalendar(content: string): Calendar {
  const calendar: ContentLine[] = [];
  const properties: ContentLine[] = [];
  const inner: ContentLine[] = [];
  const open: string[] = [];
  let events = 0;
  for (const line of unfold(content.trim()).flatMap((text) => parseLine(text) ?? [])) {
    const component = line.raw.trim().toUpperCase();
    const depth = open.length;
    if (line.name === 'BEGIN') {
      open.push(component);
      if (component === 'VEVENT') events += 1;
    } else if (line.name === 'END') {
      if (open.at(-1) !== component) continue;
      open.pop();
    } else if (open.at(-1) === 'VEVENT' && events === 1) properties.push(line);
    if (open[0] === 'VCALENDAR' && depth === 1 && open.length === 1) calendar.push(line);
    else if (line.name !== 'BEGIN' && line.name !== 'END') inner.push(line);
    else if (component !== 'VCALENDAR') inner.push(contentLine(line.name, component));
    if (open.length === 0) break;
  }
  const closing = open.toReversed().filter((component) => component !== 'VCALENDAR');
  const product = calendar.find(({ name }) => name === 'PRODID') ?? contentLine('PRODID', ownProductId);
  return {
    calendar,
    properties,
    lines: [
      contentLine('BEGIN', 'VCALENDAR'),
      contentLine('VERSION', '2.0'),
      product,
      ...calendar.filter(({ name }) => !['VERSION', 'PRODID', 'METHOD'].includes(name)),
      ...inner,
      ...closing.map((component) => contentLine('END', component)),
      contentLine('END', 'VCALENDAR'),
    ],
  };
}

export interface Moment {
  /** In its zone, in milliseconds as if it were UTC. */
  wall: number;
  zone: string;
  isDay: boolean;
}

/** 20261224, 20261224T180000Z, or with TZID. A zone that nobody knows is left out. */
export function momentOf(line: ContentLine | undefined, calendarZone: string): Moment | undefined {
  const [, year, month, day, hour, minute, utc] =
    /^([12]\d{3})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(?:\d{2})?(Z)?)?$/i.exec(line?.raw.trim() ?? '') ??
    [];
  const isDay = hour === undefined;
  const wall = parseWallTime(`${year}-${month}-${day}${isDay ? '' : `T${hour}:${minute}`}`);
  if (!line || wall === undefined) return undefined;
  if (isDay) return { wall, zone: '', isDay };
  if (!utc) return { wall, zone: knownTimeZone(parameterValues(line, 'TZID')[0] ?? ''), isDay };
  const zone = calendarZone || 'UTC';
  return { wall: toWallTime(wall, zone), zone, isDay };
}

/** In the zone of the start. The last day of whole days. Undefined where it is not after the start. */
export function endOf(start: Moment, written: Moment | undefined, duration: string): number | undefined {
  const end = written ? inZone(written, start.zone) : start.wall + durationMs(duration);
  if (written && written.isDay !== start.isDay) return undefined;
  const last = start.isDay ? end - dayMs : end;
  return last > start.wall ? last : undefined;
}

function inZone({ wall, zone }: Moment, other: string): number {
  return zone === other || zone === '' || other === '' ? wall : toWallTime(toInstant(wall, zone), other);
}

/** P1W, P2D or PT1H30M; zero for anything else. */
function durationMs(text: string): number {
  const [, weeks = 0, days = 0, hours = 0, minutes = 0] =
    /^\+?P(?:(\d{1,3})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d{1,6}S)?)?$/i.exec(
      text.trim(),
    ) ?? [];
  return (
    (Number(weeks) * 7 + Number(days)) * dayMs + Number(hours) * hourMs + Number(minutes) * (hourMs / 60)
  );
}

/** Milliseconds as if it were UTC. Undefined for anything but 2026-12-24 and 2026-12-24T18:00. */
export function parseWallTime(text: string): number | undefined {
  if (!/^[12]\d{3}-\d{2}-\d{2}(?:T\d{2}:\d{2})?$/.test(text)) return undefined;
  const wall = Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
  // Date.parse turns February 31 into March 3.
  return Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(text) ? undefined : wall;
}

export function dayOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

export function minuteOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 16);
}

/** The zones to choose from, as IANA names. */
export const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

const pattern = /^[A-Za-z][A-Za-z0-9_+-]{0,31}(?:\/[A-Za-z0-9_+-]{1,32}){0,2}$/;
const maxNameLength = 100;

/** Writes 2026-12-24 18:00:00. Undefined for a zone that does not exist. Creating one is expensive. */
const clocks = new LRUCache<string, { clock: Intl.DateTimeFormat | undefined }>({ max: 500 });

/** Also true for former names, which are not in the list. */
export function isTimeZone(name: string): boolean {
  return clockOf(name) !== undefined;
}

/** The zone that a calendar names, as it is or after a prefix: `/example.org/Europe/Berlin`. Empty if there is none. */
export function knownTimeZone(written: string): string {
  const name = written.length > maxNameLength ? '' : written.trim();
  return [name, name.split('/').slice(-2).join('/')].find(isTimeZone) ?? '';
}

/** The local time at an instant, in milliseconds as if it were UTC. */
export function toWallTime(instant: number, zone: string): number {
  const clock = clockOf(zone);
  return clock ? Date.parse(`${clock.format(instant).replace(' ', 'T')}Z`) : instant;
}

/** The first instant with this local time. For one that clocks skip, as much later. */
export function toInstant(wall: number, zone: string): number {
  const offsetAt = (instant: number) => toWallTime(instant, zone) - instant;
  const candidates = [wall - offsetAt(wall - dayMs), wall - offsetAt(wall + dayMs)];
  return candidates.find((instant) => toWallTime(instant, zone) === wall) ?? candidates[0] ?? wall;
}

function clockOf(name: string): Intl.DateTimeFormat | undefined {
  if (name.length > maxNameLength || !pattern.test(name)) return undefined;
  const known = clocks.get(name);
  if (known) return known.clock;
  const clock = createClock(name);
  clocks.set(name, { clock });
  return clock;
}

function createClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    return undefined;
  }
}
