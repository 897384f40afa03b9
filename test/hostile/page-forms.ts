import {
  deadLink,
  formsOnly,
  fromElsewhere,
  leads,
  noCode,
  noDelivery,
  noKey,
  noPasskey,
  noWebhook,
  type PageRow,
  post,
  refused,
  sent,
  tooOld,
  typed,
  unreadable,
} from './page-row.ts';
import { elsewhere } from './page-sign-ins.ts';

const good = 'csrfToken={token}&name=Shop';
const forms: PageRow[] = [
  sent('without a token', 'name=Shop', [], tooOld),
  sent('with an empty token', 'csrfToken=&name=Shop', [], tooOld),
  sent('with the token of nobody', `csrfToken=${'a'.repeat(43)}&name=Shop`, [], tooOld),
  sent('with the token twice', 'csrfToken={token}&csrfToken={token}&name=Shop', [], tooOld),
  sent('with the token in brackets', 'csrfToken[]={token}&name=Shop', [], tooOld),
  sent('with a NUL behind the token', 'csrfToken={token}%00&name=Shop', [], tooOld),
  sent('as JSON', '{"csrfToken":"{token}","name":"Shop"}', typed('application/json'), formsOnly),
  sent('as text', good, typed('text/plain'), formsOnly),
  sent(
    'in parts',
    '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nShop\r\n--x--',
    typed('multipart/form-data; boundary=x'),
    formsOnly,
  ),
  sent('as nothing', good, typed(''), formsOnly),
  sent('without a byte', '', [], formsOnly),
  sent('of 65,537 bytes', good.padEnd(70_000, 'x'), [], { status: 413, says: 'The form is too large.' }),
  sent('called gzip', good, [['Content-Encoding', 'gzip']], unreadable),
  sent('in a coding of nobody', good, [['Content-Encoding', 'x-nothing']], unreadable),
  sent('from another site, as browsers say', good, [['Sec-Fetch-Site', 'cross-site']], fromElsewhere),
  sent('from a sister site, as browsers say', good, [['Sec-Fetch-Site', 'same-site']], fromElsewhere),
  sent('from another origin', good, [['Origin', 'https://evil.example']], fromElsewhere),
  sent('from an origin that is null', good, [['Origin', 'null']], fromElsewhere),
  sent(
    'from an origin that begins as ours',
    good,
    [['Origin', 'https://qr.test.evil.example']],
    fromElsewhere,
  ),
  sent('from an origin that is none', good, [['Origin', '%%%']], fromElsewhere),
  sent('with no name', 'csrfToken={token}', [], refused('Enter a name')),
  sent('with two names', `${good}&name=Other`, [], refused('Enter a name')),
  sent('with a name in brackets', 'csrfToken={token}&name[]=Shop', [], refused('Enter a name')),
  sent('with a name in a name', 'csrfToken={token}&name[a][b]=Shop', [], refused('Enter a name')),
  sent(
    'with a name of 200 levels',
    `csrfToken={token}&name${'[a]'.repeat(200)}=Shop`,
    [],
    refused('Enter a name'),
  ),
  sent(
    'with a name that is a NUL',
    'csrfToken={token}&name=%00',
    [],
    refused('Name must not contain invisible characters'),
  ),
  sent(
    'with a name that turns round',
    'csrfToken={token}&name=a%E2%80%AEb',
    [],
    refused('Name must not contain invisible characters'),
  ),
  sent(
    'with a name that has no width',
    'csrfToken={token}&name=%E2%80%8B',
    [],
    refused('Name must not contain invisible characters'),
  ),
  sent(
    'with a name of 101 emoji',
    `csrfToken={token}&name=${'%F0%9F%8E%89'.repeat(101)}`,
    [],
    refused('Name is too long. Shorten it to 100 characters'),
  ),
  sent('with __proto__', 'csrfToken={token}&__proto__[name]=Shop', [], refused('Enter a name')),
  sent('with 2,000 fields', `csrfToken={token}&${'a=1&'.repeat(2_000)}`, [], refused('Enter a name')),
];

const look = 'size=512&errorCorrection=M&foregroundColor=%23000000&backgroundColor=%23ffffff';
const making = (name: string, fields: string, says: string) =>
  post(`a new code: ${name}`, '/codes/new', `csrfToken={token}&${fields}`, refused(says));
const codes: PageRow[] = [
  making('javascript:', `name=X&content=javascript:alert(1)&${look}`, 'This is not a web address'),
  making(
    'our own share address',
    `name=X&content=qr.test/r/aaaaaaaaaa&${look}`,
    'This is a share link of this service',
  ),
  making(
    'a NUL in the name',
    `name=a%00b&content=https://example.com/&${look}`,
    'Name has invisible or control characters',
  ),
  making(
    'a NUL in the content',
    `name=X&type=text&content=a%00b&${look}`,
    'Text has characters that cannot be stored',
  ),
  making('no field at all', '', 'Fill in this field'),
  making(
    'a colour with style',
    `name=X&content=https://example.com/&${look.replace('%23000000', '%23000000;x:y')}`,
    'Choose the foreground color again',
  ),
  making(
    '3,000 bytes',
    `name=X&type=text&content=${'x'.repeat(3_000)}&${look}`,
    'of at most 2331 bytes. Shorten it',
  ),
  post(
    'an edit: a day that is none',
    '/codes/:id/edit',
    `csrfToken={token}&name=Test&content=https://example.com/target&lastDay=2027-02-30x&${look}`,
    refused('Expires must be a day, such as 2030-12-31'),
  ),
  post(
    'a deletion without the name',
    '/codes/trash/:trashed/delete',
    'csrfToken={token}&confirmation=',
    refused('This is not the name of the code'),
  ),
  post(
    'a deletion with two names',
    '/codes/trash/:trashed/delete',
    'csrfToken={token}&confirmation=Test&confirmation=Test',
    refused('This is not the name of the code'),
  ),
  post(
    'the end of everything in the trash without the word',
    '/codes/trash/empty',
    'csrfToken={token}&confirmation=',
    refused('Type “delete”'),
  ),
  ...[...elsewhere, '/codes/../../evil', '/codes?q=a\r\nX: y', '/codes#" onload='].map((back) =>
    post(
      `a mark that goes back to ${JSON.stringify(back)}`,
      '/codes/:id/favorite',
      `csrfToken={token}&isFavorite=true&back=${encodeURIComponent(back)}`,
      leads('/codes'),
    ),
  ),
  post('a mark on no code', '/codes/x/favorite', 'csrfToken={token}&isFavorite=true', noCode),
  post('a copy of no code', '/codes/%00/duplicate', 'csrfToken={token}', noCode),
  ...['x', '%00', `${'a'.repeat(36)}.weekly.${'a'.repeat(43)}`].map((token) =>
    post(
      `a click to unsubscribe with ${token}`,
      `/unsubscribe/${token}`,
      'List-Unsubscribe=One-Click',
      deadLink,
    ),
  ),
  post('a new password by no link', '/signin/link/x', 'csrfToken={token}&newPassword=x', deadLink),
  post('a confirmation by no link', '/signin/confirm/x', 'csrfToken={token}', deadLink),
  post('a test of no webhook', '/webhooks/x/test', 'csrfToken={token}', noWebhook),
  post('a retry of no delivery', '/webhooks/deliveries/%00/retry', 'csrfToken={token}', noDelivery),
  post('a passkey that is no object', '/signin/passkey', 'csrfToken={token}&response=[[[', noPasskey),
  post(
    'a code of an app in 60 KB',
    '/signin/second',
    `csrfToken={token}&code=${'9'.repeat(60_000)}`,
    leads('/signin'),
  ),
  ...Object.entries({
    'a scope that there is none of': ['access=some&scope-admin=on', 'Choose what the key can do.'],
    'an access that there is none of': ['access=all', 'Choose what the key can do.'],
    'a scope twice': ['access=some&scope-read=on&scope-read=on', 'Choose what the key can do.'],
    'a scope that is off': ['access=some&scope-read=off', 'Choose what the key can do.'],
    'scopes by the thousand': [
      `access=some${Array.from({ length: 1_000 }, (_, index) => `&scope-${index}=on`).join('')}`,
      'Choose what the key can do.',
    ],
    'an end in February 31': ['lastDay=2099-02-31', 'Expires must be a day, such as 2030-12-31.'],
    'an end in another format': ['lastDay=31.12.2099', 'Expires must be a day, such as 2030-12-31.'],
    'an end with a NUL': ['lastDay=2099-12-31%00', 'Expires must be a day, such as 2030-12-31.'],
    'an end of 60,000 digits': [
      `lastDay=${'9'.repeat(60_000)}`,
      'Expires must be a day, such as 2030-12-31.',
    ],
    'an end in the year 10000': ['lastDay=%2B010000-01-01', 'Expires must be a day, such as 2030-12-31.'],
    'an end in the past': ['lastDay=2020-12-31', 'This day is over.'],
  }).map(([name, [fields, says = '']]) =>
    post(`a key with ${name}`, '/keys', `csrfToken={token}&name=Shop&${fields}`, refused(says)),
  ),
  post(
    'a key with a NUL in its name',
    '/keys',
    'csrfToken={token}&name=%00',
    refused('invisible characters'),
  ),
  post('another name of no key', '/keys/x/rename', 'csrfToken={token}&name=Till', noKey),
  post('another name of a NUL', '/keys/%00/rename', 'csrfToken={token}&name=Till', noKey),
  post('a revocation of no key', '/keys/x/revoke', 'csrfToken={token}', noKey),
  post('a revocation of a NUL', '/keys/%00/revoke', 'csrfToken={token}', noKey),
  post(
    'an end of the account without a password',
    '/account/delete',
    'csrfToken={token}&confirmation=hostile@example.com',
    refused('This is not your current password'),
  ),
  post(
    'an email with a NUL',
    '/account/email',
    'csrfToken={token}&newEmail=a%00@example.com&emailPassword=x',
    refused('such as you@example.com.'),
  ),
];

/** Malformed forms and hostile values. */
export const formRows: PageRow[] = [...forms, ...codes];
