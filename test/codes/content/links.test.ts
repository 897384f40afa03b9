import { expect } from 'chai';
import * as fc from 'fast-check';
import { partsOfText } from '../../../src/codes/content/links.ts';
import { hostileRows, noSpaces, parsesEach } from './parses-each.ts';

const link = (href: string) => ({ kind: 'link', href }) as const;

describe('the content of a url code', () => {
  parsesEach('url', [
    ['leads to an https address', 'https://example.com/a?b=c#d', link('https://example.com/a?b=c#d')],
    ['leads to an http address', 'http://example.com', link('http://example.com/')],
    ['is written as ASCII', 'https://exämple.com/Straße', link('https://xn--exmple-cua.com/Stra%C3%9Fe')],
    ['keeps emoji as bytes', 'https://example.com/🎉', link('https://example.com/%F0%9F%8E%89')],
    ['has no quotes or brackets', 'https://e.com/"<b>?"<\'', link('https://e.com/%22%3Cb%3E?%22%3C%27')],
    ['has no line breaks', 'https://e.com/\r\nSet-Cookie:a', link('https://e.com/Set-Cookie:a')],
    ['may be long', `https://e.com/${noSpaces}`, link(`https://e.com/${noSpaces}`)],
    ['is text where it pretends to be another host', 'https://bank.example@e.com/', 'text'],
    ['is text where the scheme is another', 'ftp://example.com/', 'text'],
    ['is text where there is no scheme', 'example.com', 'text'],
    ...hostileRows,
  ]);
});

describe('the content of a social code', () => {
  parsesEach('social', [
    ['leads to its one address', 'https://social.example/@me', link('https://social.example/@me')],
    ['leads to its one address among empty lines', '\n https://e.com/me \r\n', link('https://e.com/me')],
    ['leads to an address with a space in it', 'https://e.com/my page', link('https://e.com/my%20page')],
    ['leads to a well-known host without a scheme', 'instagram.com/me', link('https://instagram.com/me')],
    ['leads to a well-known host in capitals', 'WWW.TikTok.com/@me', link('https://www.tiktok.com/@me')],
    [
      'leads to a country part of a known host',
      'de.linkedin.com/in/me',
      link('https://de.linkedin.com/in/me'),
    ],
    ['leads to a host that begins with www', 'www.example.org/me', link('https://www.example.org/me')],
    [
      'links each of several lines',
      'https://a.example/me\nhttps://b.example/me',
      {
        kind: 'links',
        lines: [
          { text: 'https://a.example/me', href: 'https://a.example/me' },
          { text: 'https://b.example/me', href: 'https://b.example/me' },
        ],
      },
    ],
    [
      'links several addresses on one line',
      'https://a.example/ https://b.example/',
      {
        kind: 'links',
        lines: [
          { text: 'https://a.example/', href: 'https://a.example/' },
          { text: 'https://b.example/', href: 'https://b.example/' },
        ],
      },
    ],
    [
      'keeps the words around an address, in their order',
      'Find me!\r\nInstagram: instagram.com/me, or @me',
      {
        kind: 'links',
        lines: [
          { text: 'Find me!' },
          { text: 'Instagram:' },
          { text: 'instagram.com/me', href: 'https://instagram.com/me' },
          { text: 'or @me' },
        ],
      },
    ],
    [
      'never links what is no web address',
      'https://a.example/\njavascript:alert(1)\ndata:text/html,x',
      {
        kind: 'links',
        lines: [
          { text: 'https://a.example/', href: 'https://a.example/' },
          { text: 'javascript:alert(1)' },
          { text: 'data:text/html,x' },
        ],
      },
    ],
    ['is text where it is a handle', '@me', 'text'],
    ['is text where it is several handles', '@me\n@you', 'text'],
    ['is text where a word only looks like a host', 'node.js', 'text'],
    ['is text where a known host is only the end of a name', 'notinstagram.com/me', 'text'],
    ['is text where a known host is only the beginning', 'instagram.com.evil.example/me', 'text'],
    ['is text where it is an e-mail address', 'me@instagram.com', 'text'],
    ...hostileRows,
  ]);
});

describe('the content of a whatsapp code', () => {
  parsesEach('whatsapp', [
    ['leads to its web address', 'https://wa.me/15551234', link('https://wa.me/15551234')],
    ['leads to wa.me without a scheme', 'wa.me/15551234?text=Hi', link('https://wa.me/15551234?text=Hi')],
    ['leads to the chat with a number', '+44 (20) 7946-0958', link('https://wa.me/442079460958')],
    ['leads to the chat with a bare number', '15551234', link('https://wa.me/15551234')],
    ['is text without a country code, which wa.me wants', '0170 1234567', 'text'],
    ['leads to the chat with a number with 00', '0049 30.123456', link('https://wa.me/4930123456')],
    ['leaves out the zero in brackets', '+49 (0) 30 123456', link('https://wa.me/4930123456')],
    ['ignores marks of direction', '\u202a+49\u00a030\u2011123456\u202c', link('https://wa.me/4930123456')],
    [
      'keeps the message of an app address',
      'whatsapp://send?phone=+15551234&text=Hi%20"you"%0A%26%20me',
      link('https://wa.me/15551234?text=Hi%20%22you%22%0A%26%20me'),
    ],
    ['reads an app address without a number', 'whatsapp://send?text=Hi', link('https://wa.me/?text=Hi')],
    ['reads an app address in capitals', 'WHATSAPP://SEND/?phone=15551234', link('https://wa.me/15551234')],
    [
      'takes the lines below a number for the message',
      '+15551234\nHi\n🎉',
      link('https://wa.me/15551234?text=Hi%0A%F0%9F%8E%89'),
    ],
    ['is text where there are two numbers', '+15551234\n+15556789', 'text'],
    ['is text where the number is too short', '1234', 'text'],
    ['is text where the number is too long', '+1234567890123456', 'text'],
    ['is text where the app address has a bad number', 'whatsapp://send?phone=javascript:1', 'text'],
    ['is text where the app address has nothing', 'whatsapp://send?', 'text'],
    ['is text where there are letters', '+1555CALLME', 'text'],
    ...hostileRows,
  ]);
});

describe('the content of a text code', () => {
  parsesEach('text', [
    ['is text even where it is a web address', 'https://example.com/', 'text'],
    ['is text even where it is a contact', 'BEGIN:VCARD\nFN:A\nEND:VCARD', 'text'],
    ...hostileRows,
  ]);
});

const linksIn = (text: string) =>
  partsOfText(text).flatMap((part) => (part.href === undefined ? [] : [[part.text, part.href]]));

describe('Links in a text', () => {
  const expected: [text: string, ...links: [string, string][]][] = [
    ['Menu: https://example.com/menu.', ['https://example.com/menu', 'https://example.com/menu']],
    ['(see HTTP://Example.com)', ['HTTP://Example.com', 'http://example.com/']],
    [
      'https://en.wikipedia.org/wiki/Ada_(name)',
      ['https://en.wikipedia.org/wiki/Ada_(name)', 'https://en.wikipedia.org/wiki/Ada_(name)'],
    ],
    [
      'www.example.com and instagram.com/me',
      ['www.example.com', 'https://www.example.com/'],
      ['instagram.com/me', 'https://instagram.com/me'],
    ],
    ['Write to <ann@example.com>!', ['ann@example.com', 'mailto:ann@example.com']],
    ['node.js, v1.2 and 8:00'],
    ['javascript:alert(1) data:text/html,x //evil.example ftp://evil.example'],
    ['https://bank.example@evil.example/'],
    ['https://exa\u202emple.com/ \u202ehttps://example.com/'],
    [`https://example.com/${'x'.repeat(1_000)}`],
  ];
  for (const [text, ...links] of expected) {
    it(`of ${JSON.stringify(text.slice(0, 50))} are ${links.length}`, () => {
      expect(linksIn(text)).to.deep.equal(links);
    });
  }

  it('leave the text as it is, and are web or email addresses only', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.webUrl(),
      fc.emailAddress(),
      fc.constantFrom(...'()<>.,\n\r\t "\''),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.constantFrom('', ' ', '\n'), (words, between) => {
        const text = words.join(between);
        const parts = partsOfText(text);
        expect(parts.map((part) => part.text).join('')).to.equal(text);
        for (const { href } of parts)
          if (href !== undefined) expect(href).to.match(/^(?:https?:\/\/|mailto:)/);
      }),
    );
  });
});
