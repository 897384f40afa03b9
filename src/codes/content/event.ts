import { LRUCache } from 'lru-cache';
import type { FieldError } from '../../errors.ts';
import type { Language } from '../../http/preferred-language.ts';
import { dayMs } from '../../runtime/units.ts';
import {
  dayOf,
  endOf,
  isTimeZone,
  knownTimeZone,
  minuteOf,
  momentOf,
  ownProductId,
  parseWallTime,
  readCalendar,
  timeZones,
  toInstant,
  toWallTime,
} from './calendar.ts';
import {
  contentLine,
  escapeValue,
  unescapeValue,
  withoutUnsafeAddresses,
  writeLines,
} from './content-lines.ts';
import {
  type ContentFields,
  type ContentType,
  type Given,
  optional,
  type PagePart,
  type Reader,
  required,
  textFact,
} from './content-type.ts';
import { parsePair } from './coordinates.ts';
import { type GeoContent, mapButtons, placeAt, placeByName } from './geo.ts';
import { addressesAmong, linksOfText, webHref, webHrefOfAddress } from './links.ts';
import { asText, manyLines, oneLine, type TextContent } from './plain-text.ts';

export interface EventContent {
  kind: 'event';
  title: string;
  /** In the event's time zone: 2026-12-24T18:00, or 2026-12-24 for a whole day. */
  start: string;
  /** The same, where it differs from the start; the last day of several. */
  end: string;
  /** An IANA name; empty for a local time wherever the reader is. */
  timeZone: string;
  location: string;
  /** On a map; undefined without a location, and for one that is a link. */
  place: Pick<GeoContent, 'href' | 'appleHref' | 'mapHref'> | undefined;
  /** Web addresses: the location of an online event, and the page about it. */
  links: { text: string; href?: string }[];
  description: string;
  /** The calendar as stored, with valid lines. */
  ics: string;
}

const maxLineLength = 200;
const maxAddressLength = 1_000;
const invalidDay = 'must be a day, such as 2030-12-31';
const invalidTime = 'must be a time, such as 18:30';

const texts = {
  add: {
    en: 'Add to calendar',
    de: 'In den Kalender eintragen',
    fr: 'Ajouter à l’agenda',
    es: 'Añadir al calendario',
    pt: 'Adicionar à agenda',
    zh: '添加到日历',
  },
  where: { en: 'Where', de: 'Ort', fr: 'Lieu', es: 'Lugar', pt: 'Local', zh: '地点' },
  website: { en: 'Website', de: 'Website', fr: 'Site web', es: 'Sitio web', pt: 'Site', zh: '网站' },
  description: {
    en: 'Description',
    de: 'Beschreibung',
    fr: 'Description',
    es: 'Descripción',
    pt: 'Descrição',
    zh: '说明',
  },
};

export const event = {
  name: 'Event',
  since: '0.3.0',
  parse: parseEvent,
  form: {
    parts: [
      { name: 'eventTitle', label: 'Title', maxLength: maxLineLength },
      {
        row: [
          { name: 'startDay', label: 'Starts on', input: 'date' },
          { name: 'startTime', label: 'Starts at (optional)', input: 'time', hint: 'Empty: all day.' },
        ],
      },
      {
        row: [
          { name: 'endDay', label: 'Ends on (optional)', input: 'date' },
          { name: 'endTime', label: 'Ends at (optional)', input: 'time' },
        ],
      },
      {
        name: 'timeZone',
        label: 'Time zone',
        input: 'select',
        initial: 'UTC',
        choices: timeZones.map((zone) => [zone, zone.replaceAll('_', ' ')]),
        hint: 'Where the event takes place. Calendars show the time in the zone of the reader.',
      },
      { name: 'location', label: 'Location (optional)', maxLength: maxLineLength },
      { name: 'website', label: 'Website (optional)', inputMode: 'url', maxLength: maxAddressLength },
      { name: 'description', label: 'Description (optional)', input: 'area' },
    ],
    compose: composeEvent,
    read: (parsed) => (parsed.kind === 'event' ? fieldsOfEvent(parsed) : undefined),
    errors: eventErrors,
  },
  keep: (given) => ({
    address: given('website'),
    message: given('description'),
    text: [
      given('eventTitle'),
      ...(['start', 'end'] as const).map((name) => `${given(`${name}Day`)} ${given(`${name}Time`)}`.trim()),
      ...['location', 'website', 'description'].map(given),
    ]
      .filter(Boolean)
      .join('\n'),
  }),
  fill: ({ address, message }) => ({ website: address, description: message, timeZone: 'UTC' }),
  remedy: 'Write it as iCalendar that begins with BEGIN:VCALENDAR and has a VEVENT with a DTSTART.',
  shown: {
    kind: 'event',
    label: { en: 'Event', de: 'Termin', fr: 'Événement', es: 'Evento', pt: 'Evento', zh: '活动' },
    icon: ['M4 6h16v14H4zM4 11h16M8 3v5M16 3v5'],
    title: ({ title }) => title.trim(),
    page: eventPage,
    facts: (content) => [
      ['Event', content.title],
      ['When', when(content, 'en')],
      ['Where', content.location],
    ],
    links: ({ links }) => links.flatMap(({ href }) => href ?? []),
    mentions: ({ ics, description }) => [
      ...addressesAmong(unescapeValue(ics.replaceAll('\r\n ', ''))),
      ...linksOfText(description),
    ],
    file: {
      extension: 'ics',
      mediaType: 'text/calendar; charset=utf-8',
      name: ({ title }) => title,
      fallbackName: 'event',
      write: writeFile,
    },
  },
  example: [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${ownProductId}`,
    'X-WR-TIMEZONE:Europe/Berlin',
    'BEGIN:VEVENT',
    'SUMMARY:Open roastery day',
    'DTSTART:20270508T090000Z',
    'DTEND:20270508T150000Z',
    'LOCATION:Fernweh Roastery\\, Hamburg',
    'URL:https://example.com/open-day',
    'DESCRIPTION:Tastings on the hour.',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n'),
} satisfies ContentType<EventContent>;

function eventPage(content: EventContent, reader: Reader): PagePart[] {
  const { location, place, links, description } = content;
  const { language } = reader;
  const [onMap] = place ? mapButtons(place, reader) : [];
  const online = links.find(({ text }) => text === location);
  return [
    { part: 'value', text: when(content, language) },
    {
      part: 'actions',
      buttons: [
        { label: texts.add[language], file: 'ics' },
        ...(onMap ? [{ label: onMap.label, href: onMap.href, isSecondary: true }] : []),
      ],
    },
    {
      part: 'facts',
      facts: [
        online
          ? { name: texts.where[language], values: [online] }
          : textFact(texts.where[language], location),
        { name: texts.website[language], values: links.filter((link) => link !== online) },
        description === ''
          ? undefined
          : { name: texts.description[language], values: [{ text: description, look: 'linked' }] },
      ],
    },
  ];
}

// Cached, because creating one takes longer than rendering the rest of the page.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/** "Thursday, December 24, 2026, 6:00 – 8:30 PM GMT+1", in the language of the reader and the zone of the event. */
function when({ start, end, timeZone }: EventContent, language: Language): string {
  const zone = isTimeZone(timeZone) ? timeZone : '';
  const [first, last] = [start, end].map((text) => {
    const wall = parseWallTime(text);
    return wall === undefined ? undefined : zone ? toInstant(wall, zone) : wall;
  });
  if (first === undefined) return start;
  const format = formatFor(language, zone, !start.includes('T'));
  return last === undefined || last <= first ? format.format(first) : format.formatRange(first, last);
}

function formatFor(language: Language, zone: string, isDay: boolean): Intl.DateTimeFormat {
  const key = `${language} ${zone} ${isDay}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(language, {
    timeZone: zone && !isDay ? zone : 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    ...(!isDay && { hour: 'numeric', minute: '2-digit', ...(zone && { timeZoneName: 'short' }) }),
  });
  formats.set(key, made);
  return made;
}

/** For iCalendar: 20261224 or 20261224T170000. */
function basic(wall: number, isDay: boolean): string {
  return (isDay ? dayOf(wall) : `${minuteOf(wall)}00`).replace(/[-:]/g, '');
}

/** Times are written in UTC, which every phone understands; the zone is beside them for our page. */
function composeEvent(given: Given): string {
  const { start, end, isDay } = timesOf(given);
  const zone = given('timeZone');
  const time = (name: string, wall: number | undefined) => {
    if (wall === undefined) return [];
    const line = contentLine(name, basic(isDay ? wall : toInstant(wall, zone), isDay) + (isDay ? '' : 'Z'));
    return [isDay ? { ...line, parameters: [{ name: 'VALUE', values: ['DATE'] }] } : line];
  };
  const text = (name: string, value: string) => (value ? [contentLine(name, escapeValue(value))] : []);
  const href = webHrefOfAddress(oneLine(given('website')));
  return writeLines([
    contentLine('BEGIN', 'VCALENDAR'),
    contentLine('VERSION', '2.0'),
    contentLine('PRODID', ownProductId),
    ...(isDay || zone === 'UTC' ? [] : [contentLine('X-WR-TIMEZONE', oneLine(zone))]),
    contentLine('BEGIN', 'VEVENT'),
    ...text('SUMMARY', oneLine(given('eventTitle'))),
    ...time('DTSTART', start),
    // The end of whole days is the day after.
    ...time('DTEND', end !== undefined && isDay ? end + dayMs : end),
    ...text('LOCATION', oneLine(given('location'))),
    ...(href ? [contentLine('URL', href)] : []),
    ...text('DESCRIPTION', manyLines(given('description')).trim()),
    contentLine('END', 'VEVENT'),
    contentLine('END', 'VCALENDAR'),
  ]);
}

/** An end without a day is on the day of the start. Undefined for what is missing or invalid. */
function timesOf(given: Given): { start: number | undefined; end: number | undefined; isDay: boolean } {
  const [startDay, startTime, endDay, endTime] = ['startDay', 'startTime', 'endDay', 'endTime'].map(given);
  const isDay = startTime === '';
  const wall = (day = '', time = '') => parseWallTime(isDay ? day : `${day}T${time}`);
  const start = isTimeZone(given('timeZone')) || isDay ? wall(startDay, startTime) : undefined;
  const end = endDay || endTime ? wall(endDay || startDay, endTime) : undefined;
  return { start, end: end === start ? undefined : end, isDay };
}

/** Undefined for a local time without a zone, which the form cannot express. */
function fieldsOfEvent({ title, start, end, timeZone, ...rest }: EventContent): ContentFields | undefined {
  const [startDay = '', startTime = ''] = start.split('T');
  const [endDay = '', endTime = ''] = end.split('T');
  if (startTime !== '' && !timeZones.includes(timeZone)) return undefined;
  return {
    eventTitle: title,
    startDay,
    startTime,
    endDay: endDay === startDay ? '' : endDay,
    endTime,
    timeZone: startTime === '' ? 'UTC' : timeZone,
    location: rest.location,
    website: rest.links.find(({ text }) => text !== rest.location)?.text ?? '',
    description: rest.description,
  };
}

function eventErrors(given: Given): FieldError[] {
  const isShort = (text: string) => text.length <= maxLineLength;
  const isDay = (text: string) => text.length === 10 && parseWallTime(text) !== undefined;
  const isTime = (text: string) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
  const isAddress = (text: string) => text.length <= maxAddressLength && webHrefOfAddress(text) !== undefined;
  const tooLong = `must be at most ${maxLineLength} characters`;
  const errors = [
    ...required(given, 'eventTitle', isShort(given('eventTitle')), tooLong),
    ...required(given, 'startDay', isDay(given('startDay')), invalidDay),
    ...optional(given, 'startTime', isTime, invalidTime),
    ...optional(given, 'endDay', isDay, invalidDay),
    ...optional(given, 'endTime', isTime, invalidTime),
    ...(given('startTime') === ''
      ? []
      : required(given, 'timeZone', timeZones.includes(given('timeZone')), 'must be one of the list')),
    ...optional(given, 'location', isShort, tooLong),
    ...optional(given, 'website', isAddress, 'must be a web address, such as https://example.com/'),
  ];
  return errors.length > 0 ? errors : timeErrors(given);
}

/** For valid days and times. */
function timeErrors(given: Given): FieldError[] {
  const { start, end, isDay } = timesOf(given);
  if (isDay && given('endTime') !== '')
    return [{ field: 'startTime', message: 'must be set where the end has a time' }];
  if (!isDay && given('endDay') !== '' && given('endTime') === '')
    return [{ field: 'endTime', message: 'must be set where the start has a time' }];
  const isEndGiven = given('endDay') !== '' || given('endTime') !== '';
  if (start !== undefined && isEndGiven && (end ?? (isDay ? Infinity : start)) <= start)
    return [{ field: given('endDay') === '' ? 'endTime' : 'endDay', message: 'must be after the start' }];
  // Clocks skip an hour in spring.
  const isSkipped = (wall: number | undefined) =>
    wall !== undefined &&
    !isDay &&
    toWallTime(toInstant(wall, given('timeZone')), given('timeZone')) !== wall;
  return [
    ...(isSkipped(start)
      ? [{ field: 'startTime', message: 'does not exist on this day, because clocks change' }]
      : []),
    ...(isSkipped(end)
      ? [{ field: 'endTime', message: 'does not exist on this day, because clocks change' }]
      : []),
  ];
}

/** Leniently: the first event of a calendar, or one without a calendar around it. A malformed line is skipped. */
function parseEvent(content: string): EventContent | TextContent {
  if (!/^\s*BEGIN:V(?:CALENDAR|EVENT)\s*[\r\n]/i.test(content)) return asText(content);
  const { calendar, properties, lines } = readCalendar(content);
  const named = (name: string) => properties.find((line) => line.name === name);
  const text = (name: string) => unescapeValue(named(name)?.raw ?? '');
  const calendarZone = knownTimeZone(calendar.find(({ name }) => name === 'X-WR-TIMEZONE')?.raw ?? '');
  const start = momentOf(named('DTSTART'), calendarZone);
  if (!start) return asText(content);
  const end = endOf(start, momentOf(named('DTEND'), calendarZone), named('DURATION')?.raw ?? '');
  const location = oneLine(text('LOCATION'));
  const locationHref = webHref(location);
  const website = oneLine(text('URL'));
  const write = start.isDay ? dayOf : minuteOf;
  return {
    kind: 'event',
    title: oneLine(text('SUMMARY')),
    start: write(start.wall),
    end: end === undefined ? '' : write(end),
    timeZone: start.isDay ? '' : start.zone,
    location,
    place: locationHref ? undefined : placeOf(named('GEO')?.raw ?? '', location),
    links: [
      ...(locationHref ? [{ text: location, href: locationHref }] : []),
      ...(website && website !== location ? [linkOf(website)] : []),
    ],
    description: manyLines(text('DESCRIPTION')).trim(),
    ics: writeLines(lines),
  };
}

function linkOf(text: string): { text: string; href?: string } {
  const href = webHrefOfAddress(text);
  return href ? { text, href } : { text };
}

function placeOf(point: string, location: string): EventContent['place'] {
  const coordinates = parsePair(point.replace(';', ','));
  if (!coordinates && location === '') return undefined;
  const { href, appleHref, mapHref } = coordinates ? placeAt(coordinates, location) : placeByName(location);
  return { href, appleHref, mapHref };
}

/** With the id and the time stamp that RFC 5545 requires. A later file of the same code updates the event. */
function writeFile({ ics }: EventContent, { id, now }: { id: string; now: Date }): string {
  const begin = 'BEGIN:VEVENT\r\n';
  const [head = '', ...events] = withoutUnsafeAddresses(ics).split(begin);
  const stamp = `${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const completed = events.map((written, index) => {
    const uid = /^UID[;:]/im.test(written) ? '' : `UID:${id}${index === 0 ? '' : `-${index}`}@qrelay\r\n`;
    return `${begin}${uid}${/^DTSTAMP[;:]/im.test(written) ? '' : `DTSTAMP:${stamp}\r\n`}${written}`;
  });
  return head + completed.join('');
}
