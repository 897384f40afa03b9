import { expect } from 'chai';
import * as fc from 'fast-check';
import ICAL from 'ical.js';
import { composeContent, fieldErrors, fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import type { ContentFields } from '../../../src/codes/content/content-type.ts';
import { contentKind, contentType, parseContent } from '../../../src/codes/content/content-types.ts';
import { chooseTranslation } from '../../../src/redirect/translations.ts';
import { contentPage } from '../../../src/redirect/pages/content-page.ts';
import { composesFields, hostileRows, parsesEach } from './parses-each.ts';

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) => calendar('BEGIN:VEVENT', ...lines, 'END:VEVENT');
const made = { id: 'abcdefghij', now: new Date('2026-11-17T12:00:00Z') };

function fileOf(content: string): string {
  const parsed = parseContent('event', content);
  return contentKind(parsed.kind).file?.write(parsed, made) ?? '';
}

/** What a calendar app reads, by a parser that is not ours. */
function read(ics: string) {
  const component = new ICAL.Component(ICAL.parse(ics)).getFirstSubcomponent('vevent');
  const { summary, description, location, startDate, endDate, uid } = new ICAL.Event(component ?? undefined);
  return { summary, description, location, uid, start: startDate.toString(), end: endDate?.toString() };
}

describe('the content of an event code', () => {
  parsesEach('event', [
    ...hostileRows,
    ['has a time in UTC', event('DTSTART:20261224T170000Z'), { start: '2026-12-24T17:00', timeZone: 'UTC' }],
    [
      'has a time in UTC, shown in the zone of its calendar',
      calendar('X-WR-TIMEZONE:Asia/Tokyo', 'BEGIN:VEVENT', 'DTSTART:20261224T170000Z', 'END:VEVENT'),
      { start: '2026-12-25T02:00', timeZone: 'Asia/Tokyo' },
    ],
    [
      'has a time in a zone',
      event('DTSTART;TZID=America/New_York:20260701T180000', 'DTEND;TZID=Europe/London:20260702T010000'),
      { start: '2026-07-01T18:00', end: '2026-07-01T20:00', timeZone: 'America/New_York' },
    ],
    [
      'has a time in a zone with a prefix',
      event('DTSTART;TZID=/example.org/20260101/Europe/Berlin:20260701T180000'),
      { timeZone: 'Europe/Berlin' },
    ],
    ['has a local time', event('DTSTART:20260701T180000'), { start: '2026-07-01T18:00', timeZone: '' }],
    [
      'has a local time where the zone is unknown',
      event('DTSTART;TZID="W. Europe Standard Time":20260701T180000'),
      { start: '2026-07-01T18:00', timeZone: '' },
    ],
    ['is a whole day', event('DTSTART;VALUE=DATE:20260701', 'DTEND;VALUE=DATE:20260702'), { end: '' }],
    [
      'is several days, the last of which is the day before the end',
      event('DTSTART;VALUE=DATE:20260228', 'DTEND;VALUE=DATE:20260302'),
      { start: '2026-02-28', end: '2026-03-01', timeZone: '' },
    ],
    ['has a duration', event('DTSTART:20260701T230000Z', 'DURATION:PT1H30M'), { end: '2026-07-02T00:30' }],
    ['has no end before its start', event('DTSTART:20260701T230000Z', 'DTEND:20260701T220000Z'), { end: '' }],
    ['may be without a calendar', 'BEGIN:VEVENT\nSUMMARY:a\nDTSTART:20260701\nEND:VEVENT', { title: 'a' }],
    ['may be cut off', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260701\nSUMMARY:a\\, b', { title: 'a, b' }],
    [
      'is the first of several, without what belongs to its alarm',
      calendar(
        'BEGIN:VEVENT',
        'DTSTART:20260701',
        'BEGIN:VALARM',
        'SUMMARY:alarm',
        'END:VALARM',
        'SUMMARY:first',
        'END:VEVENT',
        'BEGIN:VEVENT',
        'SUMMARY:second',
        'LOCATION:there',
        'END:VEVENT',
      ),
      { title: 'first', location: '' },
    ],
    [
      'has links in its location and its address, and no map for the first',
      event('DTSTART:20260701', 'LOCATION:https://meet.example/1', 'URL:example.com/a'),
      {
        place: undefined,
        links: [
          { text: 'https://meet.example/1', href: 'https://meet.example/1' },
          { text: 'example.com/a', href: 'https://example.com/a' },
        ],
      },
    ],
    [
      'makes no link of another scheme',
      event('DTSTART:20260701', 'URL:javascript:alert(1)'),
      { links: [{ text: 'javascript:alert(1)' }] },
    ],
    ['is text without a start', event('SUMMARY:a'), 'text'],
    ['is text with a day that does not exist', event('DTSTART:20260231'), 'text'],
  ]);

  it('is found on a map by its coordinates, or else by the name of the place', () => {
    const at = (...lines: string[]) => parseContent('event', event('DTSTART:20260701', ...lines));
    expect(at('LOCATION:Café\\, Köln', 'GEO:50.94;6.96')).to.have.nested.property(
      'place.href',
      'geo:50.94,6.96?q=50.94,6.96(Caf%C3%A9%2C%20K%C3%B6ln)',
    );
    expect(at('LOCATION:Café')).to.have.nested.property('place.href', 'geo:0,0?q=Caf%C3%A9');
  });
});

describe('the form of an event', () => {
  const line = fc
    .string({
      unit: fc.oneof(fc.constantFrom(...'\\;:,"n '), fc.string({ unit: 'grapheme', maxLength: 1 })),
      maxLength: 60,
    })
    .map((text) => text.replace(/[\p{Cc}\u2028\u2029]/gu, '').trim())
    .filter((text) => !/^https?:/i.test(text));
  const day = fc
    .integer({ min: 1, max: 20_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
  const common = {
    eventTitle: line.filter((text) => text !== ''),
    startDay: day,
    location: line,
    website: fc.oneof(
      fc.constant(''),
      fc.webUrl().map((url) => new URL(url).href),
    ),
    description: fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n').trim()),
  };
  const later = (from: string) => new Date(Date.parse(from) + 3 * 86_400_000).toISOString().slice(0, 10);
  const wholeDays = fc.record({ ...common, isLong: fc.boolean() }).map(({ isLong, ...fields }) => ({
    ...fields,
    startTime: '',
    endDay: isLong ? later(fields.startDay) : '',
    endTime: '',
    timeZone: 'UTC',
  }));
  // Clocks change at night, so that these times exist in each zone.
  const timed = fc
    .record({
      ...common,
      timeZone: fc.constantFrom(
        'UTC',
        'Europe/Berlin',
        'America/New_York',
        'Asia/Katmandu',
        'Australia/Lord_Howe',
      ),
      end: fc.constantFrom('none', 'same day', 'later'),
    })
    .map(({ end, ...fields }) => ({
      ...fields,
      startTime: '12:45',
      endDay: end === 'later' ? later(fields.startDay) : '',
      endTime: end === 'none' ? '' : '13:05',
    }));
  composesFields('event', wholeDays);
  composesFields('event', timed);

  const errors = (fields: ContentFields) =>
    fieldErrors('event', {
      eventTitle: 'a',
      startDay: '2026-03-29',
      timeZone: 'Europe/Berlin',
      ...fields,
    }).map(({ field }) => field);

  it('rejects ends before the start, half of an end, and times that clocks skip', () => {
    expect(errors({})).to.deep.equal([]);
    expect(errors({ endDay: '2026-03-28' })).to.deep.equal(['endDay']);
    expect(errors({ startTime: '10:00', endTime: '10:00' })).to.deep.equal(['endTime']);
    expect(errors({ endTime: '10:00' })).to.deep.equal(['startTime']);
    expect(errors({ startTime: '10:00', endDay: '2026-03-30' })).to.deep.equal(['endTime']);
    expect(errors({ startTime: '02:30' })).to.deep.equal(['startTime']);
    expect(errors({ startTime: '10:00', timeZone: 'Mars/Base' })).to.deep.equal(['timeZone']);
    expect(errors({ startDay: '2026-02-31' })).to.deep.equal(['startDay']);
    expect(errors({ eventTitle: 'x'.repeat(201), location: 'x'.repeat(201) })).to.deep.equal([
      'eventTitle',
      'location',
    ]);
    expect(errors({ website: 'javascript:alert(1)' })).to.deep.equal(['website']);
  });

  it('shows the stored text where an event has more than fields', () => {
    const [start, rule] = ['DTSTART:20260701T100000Z', 'RRULE:FREQ=DAILY'];
    expect(fieldsOfContent('event', event(start, rule))).to.equal(undefined);
    expect(fieldsOfContent('event', event('DTSTART:20260701T100000')), 'no zone').to.equal(undefined);
  });
});

describe('the file of an event', () => {
  it('is a valid calendar with an id, and has folded lines of at most 75 octets', () => {
    const fields = {
      eventTitle: `Ä, b; c\\n ${'ö'.repeat(80)}`,
      startDay: '2026-07-01',
      startTime: '18:00',
      endTime: '20:30',
      timeZone: 'Europe/Berlin',
      location: 'Straße 1, Köln',
      description: 'One\nTwo: https://example.com/',
    };
    const file = fileOf(composeContent('event', fields));
    for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).to.be.at.most(75);
    expect(read(file)).to.deep.equal({
      summary: fields.eventTitle,
      description: fields.description,
      location: fields.location,
      uid: 'abcdefghij@qrelay',
      start: '2026-07-01T16:00:00Z',
      end: '2026-07-01T18:30:00Z',
    });
    expect(file).to.contain('\r\nDTSTAMP:20261117T120000Z\r\n');
  });

  it('keeps the id, zones and all that the page does not show, but is no invitation', () => {
    const content = calendar(
      'METHOD:REQUEST',
      'BEGIN:VTIMEZONE',
      'TZID:Home',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'UID:own',
      'DTSTAMP:20200101T000000Z',
      'DTSTART;TZID=Home:20260701T180000',
      'RRULE:FREQ=WEEKLY',
      'END:VEVENT',
    );
    expect(fileOf(content)).to.equal(content.replace('METHOD:REQUEST\r\n', ''));
  });

  it('parses to the same event, whatever was stored', () => {
    const pieces = [
      'BEGIN:VEVENT\r\n',
      'END:VEVENT\n',
      'BEGIN:VALARM\n',
      'END:VCALENDAR\n',
      'DTSTART:20260701\n',
      'SUMMARY:',
      'a\\,',
      '\r\n ',
      'X;Y="',
      '\u0000',
      'ö',
    ];
    const spiky = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), {
      maxLength: 24,
    });
    fc.assert(
      fc.property(spiky, (parts) => {
        const parsed = parseContent(
          'event',
          `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260701T180000\n${parts.join('')}`,
        );
        if (parsed.kind !== 'event') return;
        expect(parseContent('event', parsed.ics)).to.deep.equal(parsed);
        for (const line of parsed.ics.split('\r\n')) expect(Buffer.byteLength(line)).to.be.at.most(75);
        ICAL.parse(parsed.ics);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the page of an event', () => {
  const show = (content: string, lang: string) =>
    contentPage({
      name: 'Name',
      token: 'abcdefghij',
      content: parseContent('event', content),
      translation: chooseTranslation(lang),
      mapsApp: 'apple',
    }).replace(/[\u2009\u202f]/g, ' ');

  it('says when in the language of the reader and the zone of the event', () => {
    const { example } = contentType('event');
    expect(show(example, 'en')).to.contain('>Saturday, May 8, 2027, 11:00 AM – 5:00 PM GMT+2<');
    expect(show(example, 'de')).to.contain('>Samstag, 8. Mai 2027, 11:00–17:00 Uhr MESZ<');
    expect(show(event('DTSTART:20270508', 'DTEND:20270510'), 'fr')).to.contain(
      '>samedi 8 – dimanche 9 mai 2027<',
    );
    expect(show(event('DTSTART:20270508T110000'), 'es')).to.contain('>sábado, 8 de mayo de 2027, 11:00<');
  });

  it('has its title, a file for the calendar, and a map', () => {
    const page = show(contentType('event').example, 'de');
    expect(page).to.contain('<h1 dir="auto">Open roastery day</h1>');
    expect(page).to.contain('href="/r/abcdefghij.ics" download>In den Kalender eintragen</a>');
    expect(page).to.contain('href="https://maps.apple.com/?q=Fernweh%20Roastery%2C%20Hamburg"');
    expect(page).to.contain('href="https://example.com/open-day"').and.contain('Tastings on the hour.');
  });
});
