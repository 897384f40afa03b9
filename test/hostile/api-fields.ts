import {
  type ApiExpectation,
  type ApiRow,
  changing,
  creating,
  fine,
  made,
  menu,
  refused,
  withFields,
} from './api-row.ts';

const invisible = refused({
  name: 'must be one line of text with a visible character, and without control characters, bidirectional overrides or lone surrogates',
});
const named = (what: string, name: string, gets: ApiExpectation = made({ name })) =>
  withFields(`a name: ${what}`, { name }, gets);
const raw = (what: string, text: string, gets: ApiExpectation) =>
  creating(`a size: ${what}`, `{"name":"Menu","content":"https://example.com/","size":${text}}`, gets);
const coloured = (what: string, foregroundColor: unknown) =>
  withFields(
    `a colour: ${what}`,
    { foregroundColor },
    refused({ foregroundColor: 'must be a hex color in the format #RRGGBB' }),
  );

const family = '👨‍👩‍👧‍👦';

const names: ApiRow[] = [
  named('zero-width characters only', '\u200b\u200c\u200d\u2060', invisible),
  named('marks of direction only', '\u202e\u200f\u2066\u2069', invisible),
  named('byte order marks only', '\ufeff\ufeff', refused({ name: 'must not be empty' })),
  named('line separators only', '\u2028\u2029', refused({ name: 'must not be empty' })),
  named('control characters only', '\u0001\u0002\u007f', invisible),
  named('soft hyphens only', '\u00ad\u00ad', invisible),
  named('private characters only', '\ue000\u{10fffd}', invisible),
  named('a NUL at the end', 'Menu\0', invisible),
  named('the halves of an emoji in the wrong order', '\ude00\ud83d', invisible),
  named('a text that turns round', 'Menu \u202egnp.exe', invisible),
  named('a tower of accents', `x${'\u0300'.repeat(99)}`),
  named(
    'a tower of accents, one too many',
    `x${'\u0300'.repeat(100)}`,
    refused({ name: 'must have at most 100 characters' }),
  ),
  named('100 emoji, 200 code units', '🎉'.repeat(100)),
  named('families of 98 code points', family.repeat(14)),
  named(
    'families of 105 code points',
    family.repeat(15),
    refused({ name: 'must have at most 100 characters' }),
  ),
  named('200 code points that are 100 in NFC', 'e\u0301'.repeat(100), made({ name: 'é'.repeat(100) })),
  named(
    '100 characters in 1,000 spaces',
    `${' '.repeat(500)}${'x'.repeat(100)}${' '.repeat(500)}`,
    made({ name: 'x'.repeat(100) }),
  ),
  named('markup', '<script>alert(1)</script>'),
  named('a formula', '=HYPERLINK("https://example.com","x")'),
  named('SQL', "'; DROP TABLE qr_codes; --"),
  named('a template', '${7*7} {{7*7}} <%= 7*7 %> %s %n'),
  named('a header', 'Menu\r\nSet-Cookie: a=b', invisible),
  named('a path', '../../../../etc/passwd'),
  withFields(
    'a category: zero-width characters only',
    { category: '\u200b' },
    refused({ category: invisibleMessage() }),
  ),
  withFields('a category: 100 emoji', { category: '🎉'.repeat(100) }, made({ category: '🎉'.repeat(100) })),
  withFields('a category: spaces around it', { category: ' Tables ' }, made({ category: 'Tables' })),
];

function invisibleMessage(): string {
  return 'must be one line of text with a visible character, and without control characters, bidirectional overrides or lone surrogates';
}

const looks: ApiRow[] = [
  coloured('rgb()', 'rgb(0,0,0)'),
  coloured('a semicolon behind it', '#1a1410;'),
  coloured('style behind it', '#1a1410" onload="alert(1)'),
  coloured('a variable', 'var(--x)'),
  coloured('letters that only look like a to f', '#аbсdеf'),
  coloured('transparent', 'transparent'),
  withFields(
    'a colour: a number',
    { foregroundColor: 0x1a1410 },
    refused({ foregroundColor: 'must be a string' }),
  ),
  withFields(
    'a colour: capital letters',
    { foregroundColor: '#ABCDEF' },
    made({ foregroundColor: '#ABCDEF' }),
  ),
  raw('512.0', '512.0', made({ size: 512 })),
  raw('5.12e2', '5.12e2', made({ size: 512 })),
  raw('1e3', '1e3', made({ size: 1000 })),
  raw('minus zero', '-0', refused({ size: 'must be at least 128' })),
  raw('minus one', '-1', refused({ size: 'must be at least 128' })),
  raw('2 to the 53rd, and one', '9007199254740993', refused({ size: 'must be at most 2048' })),
  raw('1e999', '1e999', refused({ size: 'must be a whole number' })),
  raw('next to nothing', '1e-400', refused({ size: 'must be at least 128' })),
  raw('a thousand digits', '9'.repeat(1000), refused({ size: 'must be a whole number' })),
  raw('an array of a size', '[512]', refused({ size: 'must be a whole number' })),
];

const url = (what: string, content: string, gets: ApiExpectation) =>
  withFields(`an address: ${what}`, { content }, gets);
const notHttp = refused({ content: 'must be an http or https URL' });
const noUrl = refused({ content: 'must be an absolute http or https URL, such as https://example.com/' });
const withControl = refused({
  content: 'must be a URL without line breaks, control characters or spaces around it',
});
const withUser = refused({ content: 'must be a URL without a user name or password' });
const circle = refused({
  content: 'must not be a share address of this service: scanning it would redirect in a loop',
});
const kept = (content: string) => made({ content });
const taken = (what: string, content: string) => url(what, content, kept(content));

const addresses: ApiRow[] = [
  url('javascript:', 'javascript:alert(1)', notHttp),
  url('javascript: in odd letters', 'JaVaScRiPt://example.com/%0aalert(1)', notHttp),
  url('data:', 'data:text/html,<script>alert(1)</script>', notHttp),
  url('file:', 'file:///etc/passwd', notHttp),
  url('blob:', 'blob:https://example.com/1', notHttp),
  url('view-source:', 'view-source:https://example.com/', notHttp),
  url('a protocol of a letter more', 'httpss://example.com/', notHttp),
  url('without a protocol', '//example.com/', noUrl),
  url('without a host', 'https://', noUrl),
  url('a path', '/menu', noUrl),
  url('a port that is none', 'https://example.com:65536/', noUrl),
  url('a port of letters', 'https://example.com:http/', noUrl),
  url('half an IPv6 address', 'https://[::1/', noUrl),
  url('an IPv4 address past its end', 'https://256.1.1.1/', noUrl),
  url('a host with a space', 'https://exam ple.com/', noUrl),
  url('a host with an encoded NUL', 'https://exam%00ple.com/', noUrl),
  url('punycode of nothing', 'https://xn--/', noUrl),
  url('a user and a password', 'https://user:pass@example.com/', withUser),
  url('a user that looks like a host', 'https://example.com@evil.example/', withUser),
  url('a password alone', 'https://:pass@example.com/', withUser),
  url('a line break and a header', 'https://example.com/\r\nSet-Cookie: a=b', withControl),
  url('a tab in the protocol', 'java\tscript:alert(1)', withControl),
  url('a space before it', ' https://example.com/', withControl),
  url('a DEL', 'https://example.com/\u007f', withControl),
  url('our own share address', 'https://qr.test/r/aaaaaaaaaa', circle),
  url('our own, in capitals', 'HTTPS://QR.TEST/r/aaaaaaaaaa', circle),
  url('our own, with its port', 'https://qr.test:443/r/aaaaaaaaaa', circle),
  url('our own, with a dot behind the host', 'https://qr.test./r/aaaaaaaaaa', circle),
  url('our own, by http', 'http://qr.test/r/aaaaaaaaaa', circle),
  url('our own, by a way round', 'https://qr.test/x/.././r/aaaaaaaaaa', circle),
  url('our own, by an encoded way round', 'https://qr.test/x/%2e%2e/r/aaaaaaaaaa', circle),
  url('our own, with backslashes', 'https:\\\\qr.test\\r\\aaaaaaaaaa', circle),
  url('our own, in full-width letters', 'https://ｑｒ.ｔｅｓｔ/r/aaaaaaaaaa', circle),
  url('our own, with an encoded dot', 'https://qr%2etest/r/aaaaaaaaaa', circle),
  url('our own, its picture', 'https://qr.test/r/aaaaaaaaaa.png', circle),
  url('our own, with half the slashes', 'https:qr.test/r/aaaaaaaaaa', circle),
  taken('ours, but no share address', 'https://qr.test/codes'),
  taken('a host that begins as ours', 'https://qr.test.example/r/aaaaaaaaaa'),
  taken('IPv6', 'https://[2001:db8::1]:8443/'),
  taken('punycode', 'https://xn--bcher-kva.example/'),
  taken('letters beyond ASCII', 'https://bücher.example/straße?q=é#ß'),
  taken('a space and quotes in the path', `https://example.com/a b"c'd`),
  taken('2,331 bytes', `https://example.com/${'x'.repeat(2_311)}`),
  url(
    '2,332 bytes',
    `https://example.com/${'x'.repeat(2_312)}`,
    refused({ content: 'must be at most 2331 bytes of UTF-8 at error correction M; it has 2332' }),
  ),
  url(
    '3,000 bytes, two a character',
    `https://example.com/${'é'.repeat(1_490)}`,
    refused({ content: 'must be at most 2331 bytes of UTF-8 at error correction M; it has 3000' }),
  ),
];

const moment = (what: string, expiresAt: unknown, gets: ApiExpectation) =>
  changing(`a moment: ${what}`, { expiresAt }, gets);
const noMoment = refused({ expiresAt: 'must be an ISO 8601 timestamp, such as 2027-01-31T12:00:00.000Z' });
const isMoment = (expiresAt: string) => fine({ expiresAt });

const moments: ApiRow[] = [
  moment('a leap second', '2027-06-30T23:59:60Z', noMoment),
  moment('24 o’clock', '2027-06-30T24:00:00Z', noMoment),
  moment('the 29th of February 2027', '2027-02-29T00:00:00Z', noMoment),
  moment('the 29th of February 2028', '2028-02-29T00:00:00Z', isMoment('2028-02-29T00:00:00.000Z')),
  moment('a month 13', '2027-13-01T00:00:00Z', noMoment),
  moment('without a zone', '2027-06-30T12:00:00', noMoment),
  moment('without seconds', '2027-06-30T12:00Z', noMoment),
  moment('a day', '2027-06-30', noMoment),
  moment('a week', '2027-W26-3', noMoment),
  moment('a zone by name', '2027-06-30T12:00:00 CET', noMoment),
  moment('a zone past its end', '2027-06-30T12:00:00+24:00', noMoment),
  moment('a zone of half an hour', '2027-06-30T12:00:00+05:30', isMoment('2027-06-30T06:30:00.000Z')),
  moment('microseconds', '2027-06-30T12:00:00.123456Z', isMoment('2027-06-30T12:00:00.123Z')),
  moment('a number', 1_800_000_000_000, refused({ expiresAt: 'must be a string' })),
  moment('a number in quotes', '1800000000000', noMoment),
  moment('null', null, refused({ expiresAt: 'must be a string' })),
  moment('infinity, as Postgres has it', 'infinity', noMoment),
  moment('the year 0', '0000-01-01T00:00:00Z', isMoment('0000-01-01T00:00:00.000Z')),
  moment('the end of the year 9999', '9999-12-31T23:59:59Z', isMoment('9999-12-31T23:59:59.000Z')),
  moment('the year 10000', '10000-01-01T00:00:00Z', noMoment),
  moment('the year 10000, with a sign', '+010000-01-01T00:00:00Z', noMoment),
  moment('the year 10000, by its zone', '9999-12-31T23:59:59-12:00', noMoment),
  moment('before the year 0, by its zone', '0000-01-01T00:00:00+12:00', noMoment),
  changing(
    'a change of the type without content',
    { type: 'text' },
    refused({ type: 'can only be changed together with content' }),
  ),
  changing(
    'a change of the share token',
    { shareToken: 'aaaaaaaaaa' },
    refused({ shareToken: 'is assigned by the service and cannot be set' }),
  ),
  changing(
    'a change of the owner',
    { userId: menu.name },
    refused({ userId: 'is not a field of this request' }),
  ),
  changing(
    'a change of the count',
    { scanCount: 0 },
    refused({ scanCount: 'is counted by the service and cannot be set' }),
  ),
  changing('isPublic in quotes', { isPublic: 'false' }, refused({ isPublic: 'must be true or false' })),
  changing('isFavorite as a number', { isFavorite: 1 }, refused({ isFavorite: 'must be true or false' })),
  changing('a change of nothing', {}, fine()),
];

/** Invalid fields in valid JSON. */
export const fieldRows: ApiRow[] = [...names, ...looks, ...addresses, ...moments];
