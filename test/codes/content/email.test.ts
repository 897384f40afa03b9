import { expect } from 'chai';
import { parseContent } from '../../../src/codes/content/content-types.ts';
import { hostileRows, noSpaces, parsesEach } from './parses-each.ts';

const email = (to: string[], href: string, rest: object = {}) =>
  ({ kind: 'email', to, href, ...rest }) as const;

describe('the content of an email code', () => {
  parsesEach('email', [
    [
      'is a bare address',
      ' me@example.com\n',
      email(['me@example.com'], 'mailto:me@example.com', { cc: [], subject: '', body: '' }),
    ],
    [
      'may be several addresses',
      'a@e.com, b@e.com;c@e.com',
      email(['a@e.com', 'b@e.com', 'c@e.com'], 'mailto:a@e.com,b@e.com,c@e.com'),
    ],
    ['may be a name and an address', 'Ann Example <ann@e.com>', email(['ann@e.com'], 'mailto:ann@e.com')],
    [
      'may be names and addresses',
      'Ann E <ann@e.com>, <bob@e.com>',
      email(['ann@e.com', 'bob@e.com'], 'mailto:ann@e.com,bob@e.com'),
    ],
    ['keeps a plus, encoded', 'me+tag@e.com', email(['me+tag@e.com'], 'mailto:me%2Btag@e.com')],
    ['keeps an apostrophe, encoded', "o'neil@e.com", email(["o'neil@e.com"], 'mailto:o%27neil@e.com')],
    [
      'may have an address in any script',
      'jörg@exämple.de',
      email(['jörg@exämple.de'], 'mailto:j%C3%B6rg@ex%C3%A4mple.de'),
    ],
    ['is a mailto address', 'mailto:me@e.com', email(['me@e.com'], 'mailto:me@e.com')],
    [
      'is a mailto address in capitals',
      'MAILTO:me@e.com?SUBJECT=Hi',
      email(['me@e.com'], 'mailto:me@e.com?subject=Hi', { subject: 'Hi' }),
    ],
    [
      'has all the fields of a mailto address',
      'mailto:a@e.com?to=b@e.com&cc=c@e.com,d@e.com&bcc=f@e.com&subject=S%20t&body=B%26',
      email(
        ['a@e.com', 'b@e.com'],
        'mailto:a@e.com,b@e.com?cc=c@e.com,d@e.com&bcc=f@e.com&subject=S%20t&body=B%26',
        {
          cc: ['c@e.com', 'd@e.com'],
          subject: 'S t',
          body: 'B&',
        },
      ),
    ],
    [
      'takes a plus for a plus',
      'mailto:a+b@e.com?subject=1+1',
      email(['a+b@e.com'], 'mailto:a%2Bb@e.com?subject=1%2B1', { subject: '1+1' }),
    ],
    [
      'understands ampersands that were escaped',
      'mailto:a@e.com?subject=S&amp;body=B',
      email(['a@e.com'], 'mailto:a@e.com?subject=S&body=B'),
    ],
    [
      'tolerates what was not encoded',
      'mailto:a@e.com?subject=Hello you "all"',
      email(['a@e.com'], 'mailto:a@e.com?subject=Hello%20you%20%22all%22'),
    ],
    [
      'tolerates a percent sign that encodes nothing',
      'mailto:a@e.com?subject=100% sure',
      email(['a@e.com'], 'mailto:a@e.com?subject=100%25%20sure'),
    ],
    [
      'tolerates bytes that are no text',
      'mailto:a@e.com?subject=%ff',
      email(['a@e.com'], 'mailto:a@e.com?subject=%25ff'),
    ],
    [
      'keeps line breaks of the body',
      'mailto:a@e.com?body=a%0Ab%0D%0Ac',
      email(['a@e.com'], 'mailto:a@e.com?body=a%0D%0Ab%0D%0Ac', { body: 'a\nb\nc' }),
    ],
    [
      'has no line breaks in the subject',
      'mailto:a@e.com?subject=a%0D%0ABcc:%20b@e.com',
      email(['a@e.com'], 'mailto:a@e.com?subject=a%20Bcc%3A%20b%40e.com'),
    ],
    [
      'has no control characters in the body',
      'mailto:a@e.com?body=a%00%1Bb',
      email(['a@e.com'], 'mailto:a@e.com?body=ab'),
    ],
    [
      'leaves out attachments and other headers',
      'mailto:a@e.com?attach=/etc/passwd&x-h=1&subject=S',
      email(['a@e.com'], 'mailto:a@e.com?subject=S'),
    ],
    ['may have no recipient where it has a subject', 'mailto:?subject=S', email([], 'mailto:?subject=S')],
    [
      'keeps emoji and right-to-left words',
      'mailto:a@e.com?subject=🎉 שלום',
      email(['a@e.com'], 'mailto:a@e.com?subject=%F0%9F%8E%89%20%D7%A9%D7%9C%D7%95%D7%9D'),
    ],
    [
      'may have a long body',
      `mailto:a@e.com?body=${noSpaces}`,
      email(['a@e.com'], `mailto:a@e.com?body=${noSpaces}`),
    ],
    [
      'is the form of older phones',
      'MATMSG:TO:a@e.com;SUB:Hi;BODY:There;;',
      email(['a@e.com'], 'mailto:a@e.com?subject=Hi&body=There', { subject: 'Hi', body: 'There' }),
    ],
    [
      'reads escapes of the older form',
      'matmsg:BODY:a\\;b\\:c\\\\d;TO:a@e.com;;',
      email(['a@e.com'], 'mailto:a@e.com?body=a%3Bb%3Ac%5Cd', { body: 'a;b:c\\d' }),
    ],
    [
      'tolerates semicolons that were not escaped',
      'MATMSG:TO:a@e.com;SUB:a; b;BODY:c;;',
      email(['a@e.com'], 'mailto:a@e.com?subject=a%3B%20b&body=c'),
    ],
    [
      'does not take a question mark in an address for a header',
      'a?bcc=b@e.com',
      email(['a?bcc=b@e.com'], 'mailto:a%3Fbcc%3Db@e.com'),
    ],
    ['is text where an address hides a header', 'a@e.com?bcc=b@e.com', 'text'],
    ['is text where an address has a line break', 'mailto:a@e.com%0d%0aBcc:b@e.com', 'text'],
    ['is text where a copy has a line break', 'mailto:a@e.com?cc=b@e.com%0d%0aX:1', 'text'],
    ['is text where one of two addresses is bad', 'a@e.com, bob', 'text'],
    ['is text where the host has no dot', 'root@localhost', 'text'],
    ['is text where the host has an empty part', 'a@e..com', 'text'],
    ['is text where markup is in the address', 'mailto:"><script>@e.com', 'text'],
    ['is text where there is nothing', 'mailto:', 'text'],
    ['is text where the older form has nothing', 'MATMSG:;;', 'text'],
    ['is text where the address is too long', `${'a'.repeat(65)}@e.com`, 'text'],
    ...hostileRows,
  ]);

  it('does not show blind copies', () => {
    const read = parseContent('email', 'mailto:a@e.com?bcc=b@e.com');
    expect(read).to.have.all.keys('kind', 'to', 'cc', 'subject', 'body', 'href');
    expect(JSON.stringify({ ...read, href: '' })).not.to.contain('b@e.com');
  });
});
