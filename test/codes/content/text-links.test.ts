import { expect } from 'chai';
import * as fc from 'fast-check';
import { partsOfText } from '../../../src/codes/content/text-links.ts';

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
