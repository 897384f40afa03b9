import { expect } from 'chai';
import * as fc from 'fast-check';
import { codeTypes, parseContent, type CodeContent } from '../../../src/codes/content/content-types.ts';

/** Fragments of every payload and attack, so that many of the generated strings are almost valid. */
// biome-ignore format: one word per line would be unreadable
const pieces = [
  'BEGIN:VCARD\r\nVERSION:3.0\r\n', 'BEGIN:VCARD\nVERSION:2.1\n', 'BEGIN:VCARD\nVERSION:4.0\n',
  'END:VCARD', 'FN:', 'N:Doe;Jane', 'TEL;TYPE=cell:', 'item1.', 'X-ABLABEL:', 'EMAIL:', 'URL:', 'ADR:;;',
  'ORG:', 'NOTE:', 'BDAY:', 'PHOTO;ENCODING=b:', 'TYPE=', ';ENCODING=QUOTED-PRINTABLE:', '=C3=B6', '=\r\n',
  '=0D=0A', 'CHARSET=utf-16', 'MECARD:', 'N:', 'WIFI:', 'T:WPA;', 'S:', 'P:', 'MATMSG:', 'TO:', 'SUB:',
  'BODY:', ';;', ';', ':', ',', '\\', '"', "'", '<', '>', '=', '&', '?', '#', '+', '*', '(', ')', '[', ' ',
  '\t', '\r\n', '\n', '\r', '\u2028', '\u202e', '%', '%0d%0a', '%00', '%22', '%C3', '😀', '\ud83d', 'ä',
  'mailto:', 'tel:', 'sms:', 'smsto:', 'geo:', 'geo:0,0?q=', 'whatsapp://send?phone=', 'text=', 'body=',
  'subject=', 'cc=', 'bcc=', 'q=', ';ext=', ';u=', 'javascript:', 'data:', 'https://', 'http://',
  'example.com', 'www.', 'instagram.com/', 'a@example.com', '@', '+1555', '15551234', '52.5', '13.4', '-',
  '.', '0', 'N', 'S', 'ext. ', '<script>', 'x'.repeat(80),
];
const spiky = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 24 })
  .map((parts) => parts.join(''));
const contents = fc.oneof(
  spiky,
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
);
const cards = spiky.map((text) => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${text}`);
const types = fc.constantFrom(...codeTypes);

const anyScheme = /^(?:https?:\/\/|geo:|tel:|mailto:)/;
const schemes: Partial<Record<CodeContent['kind'], RegExp>> = {
  link: /^https?:\/\//,
  links: /^https?:\/\//,
  phone: /^tel:[\d+*%]/,
  sms: /^sms:/,
  email: /^mailto:/,
  geo: /^(?:geo:|https:\/\/www\.openstreetmap\.org\/)/,
  contact: /^(?:tel:|mailto:|https?:\/\/)/,
  wifi: /^$/,
  text: /^$/,
};

/** Every href anywhere in the result. */
function hrefsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && /href$/i.test(key) ? [inner] : hrefsIn(inner),
  );
}

describe('parseContent', () => {
  it('never throws, and returns what it does not understand as unchanged text', () => {
    fc.assert(
      fc.property(types, contents, (type, content) => {
        const read = parseContent(type, content);
        if (read.kind === 'text') expect(read.text).to.equal(content);
      }),
      { numRuns: 3000 },
    );
  });

  it('returns only hrefs with a scheme that its kind allows, safe in a link', () => {
    fc.assert(
      fc.property(types, fc.oneof(contents, cards), (type, content) => {
        const read = parseContent(type, content);
        for (const href of hrefsIn(read)) {
          expect(href).to.match(schemes[read.kind] ?? anyScheme);
          expect(href).to.match(/^[!#-;=?-~]+$/);
          // The URL parser keeps an apostrophe in a path, where it is valid.
          if (!href.startsWith('http')) expect(href).not.to.contain("'");
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('parses a saved contact to the same contact, with lines of at most 75 octets', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          cards,
          spiky.map((text) => `MECARD:N:${text}`),
        ),
        (content) => {
          const read = parseContent('vcard', content);
          if (read.kind !== 'contact') return;
          expect(parseContent('vcard', read.vcf)).to.deep.equal(read);
          expect(read.vcf.replaceAll('\r\n', '')).not.to.match(/[^\P{Cc}\t]/u);
          for (const line of read.vcf.split('\r\n')) expect(Buffer.byteLength(line)).to.be.at.most(75);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
