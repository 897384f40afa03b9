import { expect } from 'chai';
import * as fc from 'fast-check';
import type { CodeContent } from '../../../src/codes/content/code-content.ts';
import { parseContent } from '../../../src/codes/content/parse-content.ts';
import { codeTypes } from '../../../src/codes/qr-code.ts';

/** Pieces of every payload and of every attack, so that many of the strings made of them are almost right. */
// biome-ignore format: one word a line would hide them
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

const schemes: Record<CodeContent['kind'], RegExp> = {
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

/** Every address anywhere in what was read. */
function hrefsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && /href$/i.test(key) ? [inner] : hrefsIn(inner),
  );
}

describe('parseContent', () => {
  it('never throws, and shows as text, unchanged, what it does not understand', () => {
    fc.assert(
      fc.property(types, contents, (type, content) => {
        const read = parseContent(type, content);
        if (read.kind === 'text') expect(read.text).to.equal(content);
      }),
      { numRuns: 3000 },
    );
  });

  it('has only addresses of the schemes that its kind allows, safe in a link as they are', () => {
    fc.assert(
      fc.property(types, fc.oneof(contents, cards), (type, content) => {
        const read = parseContent(type, content);
        for (const href of hrefsIn(read)) {
          expect(href).to.match(schemes[read.kind]);
          expect(href).to.match(/^[!#-;=?-~]+$/);
          // The parser leaves an apostrophe in the path of a web address, and it leads where it is written.
          if (!href.startsWith('http')) expect(href).not.to.contain("'");
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('reads a saved contact back to the same contact, every line at most 75 octets', () => {
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
