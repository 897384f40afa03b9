import { codeTypes } from '../../src/codes/content/content-types.ts';
import {
  type ApiExpectation,
  type ApiRow,
  fine,
  noCode,
  notAllowed,
  nothing,
  refused,
  unread,
} from './api-row.ts';

const get = (name: string, path: string, gets: ApiExpectation): ApiRow => ({ name, path, gets });
const asking = (method: string, path: string, gets: ApiExpectation): ApiRow => ({
  name: `${method} ${path}`,
  method,
  path,
  gets,
});
const id = (what: string, text: string, gets: ApiExpectation = noCode) =>
  get(`an id: ${what}`, `/qrcodes/${text}`, gets);
const query = (text: string, gets: ApiExpectation) =>
  get(`a query: ?${text.slice(0, 60)}`, `/qrcodes?${text}`, gets);
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

const collection = 'POST, HEAD, GET';
const unknown = (...names: string[]) =>
  refused(Object.fromEntries(names.map((name) => [name, 'is not a parameter of this request'])));
const noCursor = refused({ cursor: 'must be the nextCursor of an earlier page' });
const noLabel = refused({
  category: 'must be text without NUL characters or lone surrogates',
});
const ofOneType = refused({
  type: `must be one of ${codeTypes.join(', ')}`,
});

/** Hostile paths. */
export const addressRows: ApiRow[] = [
  get('a slash behind the path', '/qrcodes/', fine()),
  get('two slashes behind the path', '/qrcodes//', nothing),
  { name: 'two slashes in the path', path: '/api//v1/qrcodes', isWhole: true, gets: nothing },
  get('a dot in the path', '/./qrcodes', nothing),
  get('a way round in the path', '/x/../qrcodes', nothing),
  get('an encoded way round in the path', '/x/%2e%2e/qrcodes', nothing),
  get('an encoded slash in the path', '/qrcodes%2f:id', nothing),
  get('a backslash in the path', '/qrcodes\\:id', nothing),
  get('capitals in the path', '/QRcodes', nothing),
  get('an encoded letter in the path', '/%71rcodes', nothing),
  get('a NUL behind the path', '/qrcodes%00', nothing),
  get('a semicolon in the path', '/qrcodes;a=b', nothing),
  get('letters beyond ASCII, not encoded', utf8('/qrcødes'), unread),
  get('a percent sign that is none', '/qrcodes%', nothing),
  get('the table', '/qr_codes', nothing),
  get('a file of ours', '/../../../../package.json', nothing),
  id('encoded way up', '..%2f..%2fopenapi.json'),
  id('encoded NUL behind it', ':id%00'),
  id('encoded line break behind it', ':id%0a'),
  id('encoded space before it', '%20:id'),
  id('in braces', '%7B:id%7D'),
  id('a URN', 'urn:uuid:01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11'),
  id('SQL', "'%20OR%20'1'='1"),
  id('a pattern', '%25'),
  id('a percent sign that is none', '%'),
  id('bytes that are no UTF-8', '%ff%fe'),
  id('8,000 characters', 'a'.repeat(8_000)),
  id('__proto__', '__proto__'),
  id('markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'),
  id('emoji', '%F0%9F%8E%89'),
  id('a number', '1'),
  id('a slash behind it', ':id/', fine()),
  get('scans of a way up', '/qrcodes/..%2f/scans', noCode),
  get('analytics of nothing', '/qrcodes//analytics', nothing),
  asking('OPTIONS', '/qrcodes', notAllowed('OPTIONS', collection)),
  asking('TRACE', '/qrcodes', notAllowed('TRACE', collection)),
  asking('PATCH', '/qrcodes', notAllowed('PATCH', collection)),
  asking('DELETE', '/qrcodes', notAllowed('DELETE', collection)),
  asking('PUT', '/qrcodes/:id', notAllowed('PUT', 'HEAD, GET, PATCH, DELETE')),
  asking('POST', '/qrcodes/:id', notAllowed('POST', 'HEAD, GET, PATCH, DELETE')),
  asking('M-SEARCH', '/qrcodes/:id/scans', notAllowed('M-SEARCH', 'HEAD, GET')),
  asking('PURGE', '/qrcodes/:id/analytics', notAllowed('PURGE', 'HEAD, GET')),
  asking('DELETE', '/openapi.json', notAllowed('DELETE', 'HEAD, GET')),
  asking('HEAD', '/nowhere', nothing),
  { name: 'the address of a proxy', path: 'http://evil.example/api/v1/qrcodes', isWhole: true, gets: fine() },
  query('', fine()),
  query('&&&', fine()),
  query('=x', unknown('')),
  query(
    'limit=10&limit[]=10',
    refused({ 'limit[]': 'is not a parameter of this request (did you mean limit?)' }),
  ),
  query('limit=10;cursor=x', refused({ limit: 'must be a whole number' })),
  query('limit=9007199254740993', refused({ limit: 'must be a whole number' })),
  query('limit=1&cursor=', noCursor),
  query('cursor=00000000-0000-0000-0000-000000000000', fine({ data: [], nextCursor: null })),
  query('cursor=ffffffff-ffff-ffff-ffff-ffffffffffff', fine()),
  query('cursor=FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF', fine()),
  query(`cursor=${'a'.repeat(8_000)}`, noCursor),
  query('category=%00', noLabel),
  query('category=%E2%80%8B', fine({ data: [] })),
  query(`category=${'x'.repeat(101)}`, refused({ category: 'must have at most 100 characters' })),
  query('category=%ED%A0%80', fine({ data: [] })),
  query('category=%zz', fine({ data: [] })),
  query("category='%20OR%201=1--", fine({ data: [] })),
  query('type=URL', ofOneType),
  query('type=url&type=text', ofOneType),
  query('favorite=1', refused({ favorite: 'must be true or false' })),
  query('favorite=TRUE', refused({ favorite: 'must be true or false' })),
  query('_method=DELETE', unknown('_method')),
  query('__proto__[limit]=1', unknown('__proto__[limit]')),
  query(
    'a=1&b=2&limit=0',
    refused({
      limit: 'must be at least 1',
      a: 'is not a parameter of this request',
      b: 'is not a parameter of this request',
    }),
  ),
  query(`${'x'.repeat(8_000)}=1`, unknown(`${'x'.repeat(64)}…`)),
  query('access_token={key}', unknown('access_token')),
];
