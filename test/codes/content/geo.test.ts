import { expect } from 'chai';
import { parseContent } from '../../../src/codes/content/content-types.ts';
import { hostileRows, parsesEach } from './parses-each.ts';

const geo = (latitude: number, longitude: number, label: string, href: string) =>
  ({ kind: 'geo', latitude, longitude, label, href }) as const;

describe('the content of a geo code', () => {
  const berlin = geo(52.5, 13.4, '', 'geo:52.5,13.4?q=52.5,13.4');
  const googlePlace =
    'https://www.google.com/maps/place/Caf%C3%A9+X/@1.5,2.5,17z/data=!3m1!4b1!4m6!3m5!1s0x47!8m2!3d52.5!4d13.4!16s';
  parsesEach('geo', [
    ['is a geo address', 'geo:52.5,13.4', berlin],
    ['is a geo address in capitals', 'GEO:52.5,13.4\n', berlin],
    ['is a bare pair', '52.5,13.4', berlin],
    ['is in the address of a map', 'https://www.google.com/maps/@52.5,13.4,17z', berlin],
    ['is in what a map searches', 'https://www.google.com/maps?q=52.5%2C13.4', berlin],
    ['is what Google Maps pins, not the middle of its map', googlePlace, berlin],
    ['is where a map of Google searches', 'https://www.google.de/maps/search/52.5,+13.4?entry=tts', berlin],
    ['is a place of Google without a name', 'https://google.co.uk/maps/place/52.5,13.4/', berlin],
    [
      'is where a route of Google ends',
      'https://www.google.com/maps/dir/?api=1&destination=52.5,13.4',
      berlin,
    ],
    ['is in an older link of Google', 'http://maps.google.com/maps?q=loc:52.5,13.4', berlin],
    ['is what Apple Maps pins', 'https://maps.apple.com/?ll=52.5,13.4&q=Pin', berlin],
    ['is what Apple Maps searches', 'https://maps.apple.com/?q=52.5,13.4&sll=1,2', berlin],
    ['is a place of Apple Maps', 'https://maps.apple.com/place?coordinate=52.5,13.4&name=Pin', berlin],
    ['is the map of OpenStreetMap', 'https://www.openstreetmap.org/#map=17/52.5/13.4', berlin],
    ['is what OpenStreetMap marks', 'https://www.openstreetmap.org/?mlat=52.5&mlon=13.4#map=17/1/2', berlin],
    ...[
      'https://evil.example/?q=52.5,13.4',
      'https://google.com.evil.example/maps/@52.5,13.4,17z',
      'https://notgoogle.com/maps/@52.5,13.4,17z',
      'https://www.openstreetmap.org/node/1',
    ].map((href): [string, string, object] => [
      `is no point in ${href}`,
      href,
      { kind: 'links', lines: [{ text: href, href }] },
    ]),
    [
      'has a link for Apple Maps, with a pin',
      '52.5, 13.4',
      { kind: 'geo', appleHref: 'https://maps.apple.com/?ll=52.5,13.4&q=52.5,13.4' },
    ],
    [
      'has a link for Apple Maps that names the place',
      'geo:52.5,13.4?q=52.5,13.4(My Place)',
      { kind: 'geo', appleHref: 'https://maps.apple.com/?ll=52.5,13.4&q=My%20Place' },
    ],
    [
      'is behind another address of a map',
      'https://maps.app.goo.gl/abc',
      {
        kind: 'links',
        lines: [{ text: 'https://maps.app.goo.gl/abc', href: 'https://maps.app.goo.gl/abc' }],
      },
    ],
    ['is a bare pair with a space', ' 52.5, 13.4 ', berlin],
    ['is a bare pair without a comma', '52.5 13.4', berlin],
    ['is a bare pair with sides', '52.5N, 13.4E', berlin],
    ['is a bare pair with degrees and sides', '52.5° N 13.4° E', berlin],
    [
      'reads south and west as negative',
      '33.5s 70.6w',
      geo(-33.5, -70.6, '', 'geo:-33.5,-70.6?q=-33.5,-70.6'),
    ],
    ['ignores the altitude', 'geo:52.5,13.4,34', berlin],
    ['ignores how exact it is', 'geo:52.5,13.4;u=35', berlin],
    ['knows the usual reference system', 'geo:52.5,13.4;crs=wgs84;u=35', berlin],
    ['ignores the zoom', 'geo:52.5,13.4?z=11', berlin],
    [
      'has the label of a search',
      'geo:52.5,13.4?q=Caf%C3%A9',
      geo(52.5, 13.4, 'Café', 'geo:52.5,13.4?q=52.5,13.4(Caf%C3%A9)'),
    ],
    [
      'has the label in brackets',
      'geo:52.5,13.4?q=52.5,13.4(My+Place)',
      geo(52.5, 13.4, 'My Place', 'geo:52.5,13.4?q=52.5,13.4(My%20Place)'),
    ],
    [
      'goes where the search says',
      'geo:0,0?q=52.5,13.4(Here)',
      geo(52.5, 13.4, 'Here', 'geo:52.5,13.4?q=52.5,13.4(Here)'),
    ],
    [
      'encodes markup in the label',
      'geo:1,2?q=<b>"(\')',
      geo(1, 2, '<b>"(\')', 'geo:1,2?q=1,2(%3Cb%3E%22%28%27%29)'),
    ],
    ['has no line breaks in the label', 'geo:1,2?q=a%0D%0Ab', geo(1, 2, 'a b', 'geo:1,2?q=1,2(a%20b)')],
    ['keeps emoji in the label', 'geo:1,2?q=🎉', geo(1, 2, '🎉', 'geo:1,2?q=1,2(%F0%9F%8E%89)')],
    [
      'writes small numbers in full',
      '0.0000001,-0.0000001',
      geo(1e-7, -1e-7, '', 'geo:0.0000001,-0.0000001?q=0.0000001,-0.0000001'),
    ],
    ['has no negative zero', '-0,-0.0', geo(0, 0, '', 'geo:0,0?q=0,0')],
    [
      'rounds to centimetres',
      '52.123456789,13',
      geo(52.1234568, 13, '', 'geo:52.1234568,13?q=52.1234568,13'),
    ],
    ['may be the pole and the date line', '-90,180', geo(-90, 180, '', 'geo:-90,180?q=-90,180')],
    ['keeps the zeros of round numbers', '10,100', geo(10, 100, '', 'geo:10,100?q=10,100')],
    [
      'has a map that shows the place',
      '52.5,13.4',
      { kind: 'geo', mapHref: 'https://www.openstreetmap.org/?mlat=52.5&mlon=13.4#map=17/52.5/13.4' },
    ],
    [
      'searches for a place of which only the name is known',
      'geo:0,0?q=Unter+den+Linden+1',
      {
        kind: 'geo',
        label: 'Unter den Linden 1',
        href: 'geo:0,0?q=Unter%20den%20Linden%201',
        mapHref: 'https://www.openstreetmap.org/search?query=Unter%20den%20Linden%201',
      },
    ],
    ['is text where the latitude is off the earth', '90.1,0', 'text'],
    ['is text where the longitude is off the earth', 'geo:0,-180.5', 'text'],
    ['is text where the search is off the earth', 'geo:0,0?q=91,0', 'text'],
    ['is text where a sign and a side contradict', '-52.5S, 13.4E', 'text'],
    ['is text where the reference system is another', 'geo:1,2;crs=moon', 'text'],
    ['is text where a number is missing', 'geo:52.5', 'text'],
    ['is text where there are four numbers', 'geo:1,2,3,4', 'text'],
    ['is text where commas are decimal', '52,5 13,4', 'text'],
    ['is text where numbers are no numbers', 'geo:NaN,Infinity', 'text'],
    ['is text where there is markup', 'geo:1,2"><script>', 'text'],
    ...hostileRows,
  ]);

  it('is parsed in linear time, however long it is', () => {
    const spaces = ' '.repeat(2_900);
    const hostile = [
      `52.5${spaces}x`,
      `52.5${spaces},${spaces}13.4x`,
      `geo:${spaces}x`,
      `https://www.google.com/maps/${'!3d1'.repeat(700)}`,
      `https://www.google.com/maps/@${'1,'.repeat(1_400)}`,
      ','.repeat(64_000),
      `${spaces.repeat(22)}x`,
    ];
    const msToParse = (content: string) => {
      const startedAt = performance.now();
      parseContent('geo', content);
      return performance.now() - startedAt;
    };
    for (const content of hostile) {
      // The fastest of three: on a busy machine, one may be interrupted.
      const fastest = Math.min(...Array.from({ length: 3 }, () => msToParse(content)));
      expect(fastest, content.slice(0, 40)).to.be.below(20);
    }
  });
});
