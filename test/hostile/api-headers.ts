import {
  type ApiExpectation,
  type ApiRow,
  creating,
  fine,
  menu,
  noKey,
  refused,
  withoutHost,
  withTwoHosts,
} from './api-row.ts';

/** Sent with these headers only, without a key. */
const presenting = (name: string, headers: [string, string][], gets: ApiExpectation = noKey): ApiRow => ({
  name: `a key: ${name}`,
  path: '/qrcodes',
  withoutKey: true,
  headers,
  gets,
});
const authorization = (name: string, value: string, gets: ApiExpectation = noKey) =>
  presenting(name, [['Authorization', value]], gets);
/** Sent with a valid key and these headers. */
const sending = (name: string, headers: [string, string][], gets: ApiExpectation = fine()): ApiRow => ({
  name,
  path: '/qrcodes/:id',
  headers,
  gets,
});

const badKey = refused({ 'Idempotency-Key': 'must have 1 to 255 visible ASCII characters' });

/** Malformed keys, and headers that other services trust. */
export const headerRows: ApiRow[] = [
  authorization('none, though the header is there', ''),
  authorization('the word alone', 'Bearer'),
  authorization('null', 'Bearer null'),
  authorization('by Basic', 'Basic cXJsXzAwMDAwMDAwOng='),
  authorization('by another word', 'Token {key}'),
  authorization('without a word', '{key}'),
  authorization('in quotes', 'Bearer "{key}"'),
  authorization('two in one header', 'Bearer {key}, Bearer {key}'),
  authorization('two words', 'Bearer {key} {key}'),
  authorization('in small letters', 'Bearer {small key}'),
  authorization('a character short', 'Bearer {short key}'),
  authorization('a character mistyped', 'Bearer {mistyped key}'),
  authorization('with another first part', 'Bearer {foreign key}'),
  authorization('a known prefix with the secret of another', 'Bearer {mixed key}'),
  authorization('that was revoked', 'Bearer {revoked key}'),
  authorization('of 10 KB', `Bearer qrl_${'a'.repeat(10_000)}`),
  authorization('letters beyond ASCII', 'Bearer qrl_\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9_x'),
  authorization('SQL', "Bearer qrl_'OR'1'='1_x"),
  presenting('in another header', [['X-Api-Key', '{key}']]),
  presenting('in a cookie', [['Cookie', 'api_key={key}; Authorization=Bearer {key}']]),
  presenting('the second of two headers', [
    ['Authorization', 'Bearer nonsense'],
    ['Authorization', 'Bearer {key}'],
  ]),
  { name: 'a key: in the address', path: '/qrcodes?api_key={key}', withoutKey: true, gets: noKey },
  authorization('by the word in small letters', 'bearer {key}', fine()),
  authorization('by the word in capitals, two spaces', 'BEARER  {key} ', fine()),
  sending('an Accept for pages', [['Accept', 'text/html']]),
  sending('an Accept for nothing', [['Accept', '*/*;q=0']]),
  sending('an Accept that is none', [['Accept', ';;;,,,/']]),
  sending('another method in a header', [
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-HTTP-Method', 'DELETE'],
    ['X-Method-Override', 'DELETE'],
  ]),
  sending('another address in a header', [
    ['X-Original-URL', '/admin/queues'],
    ['X-Rewrite-URL', '/admin/queues'],
  ]),
  sending('another host', [['Host', 'evil.example']]),
  sending('a host that is none', [['Host', '<script>']]),
  sending('an empty host', [['Host', '']]),
  sending('a host before a proxy', [
    ['X-Forwarded-Host', 'evil.example'],
    ['Forwarded', 'host=evil.example;proto=http'],
    ['X-Forwarded-Proto', 'http'],
  ]),
  { ...sending('no host, in HTTP/1.0', []), host: false, version: '1.0' },
  { ...sending('no host, in HTTP/1.1', [], withoutHost), host: false },
  sending(
    'two hosts',
    [
      ['Host', 'evil.example'],
      ['Host', 'qr.test'],
    ],
    withTwoHosts,
  ),
  sending('addresses of 100 proxies', [['X-Forwarded-For', Array(100).fill('192.0.2.1').join(', ')]]),
  sending('an address that is none', [['X-Forwarded-For', "'; DROP TABLE users; --"]]),
  sending('a range', [['Range', 'bytes=0-1']]),
  sending('a date after the last change', [['If-Modified-Since', 'Sun, 15 Nov 2099 00:00:00 GMT']]),
  sending('a condition that every version meets', [['If-None-Match', '*']], { status: 304 }),
  sending('a condition of many tags', [['If-None-Match', 'W/"a",'.repeat(2_000)]]),
  sending('a condition that is no tag', [['If-None-Match', '".9'.repeat(1_000)]]),
  sending('a condition for changes only', [['If-Match', '"other"']]),
  sending('an idempotency key with a GET', [['Idempotency-Key', 'k'.repeat(10_000)]]),
  creating('an idempotency key of 256 characters', JSON.stringify(menu), badKey, [
    ['Idempotency-Key', 'k'.repeat(256)],
  ]),
  creating('an idempotency key with a control character', JSON.stringify(menu), badKey, [
    ['Idempotency-Key', 'a\tb'],
  ]),
  sending('a change of protocol', [
    ['Upgrade', 'h2c, websocket'],
    ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
  ]),
  sending('a body with a GET', [['Content-Length', '0']]),
  sending('a cookie of 8 KB', [['Cookie', `a=${'b'.repeat(8_000)}`]]),
  sending('a request id of its own', [['X-Request-Id', '<script>alert(1)</script>']]),
  sending('an expectation that nobody has', [['Expect', 'a-pony']]),
  sending('an expectation to go on', [['Expect', '100-continue']]),
  sending('an origin elsewhere', [
    ['Origin', 'https://evil.example'],
    ['Access-Control-Request-Method', 'DELETE'],
  ]),
];
