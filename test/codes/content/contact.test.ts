import { expect } from 'chai';
import ICAL from 'ical.js';
import type { ContactContent } from '../../../src/codes/content/vcard-contact.ts';
import { contentType, parseContent } from '../../../src/codes/content/content-types.ts';
import { hostileRows, type Row, parsesEach } from './parses-each.ts';

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD', ''].join('\r\n');
const card21 = (...lines: string[]) => card(...lines).replace('3.0', '2.1');
const card4 = (...lines: string[]) => card(...lines).replace('3.0', '4.0');
const is = (fields: Partial<ContactContent>) => ({ kind: 'contact', ...fields }) as const;

const rows: Row[] = [
  [
    'has all of its fields',
    card(
      'N:Doe;Jane;;Dr.;',
      'FN:Dr. Jane Doe',
      'ORG:Example;Research',
      'TITLE:Head',
      'TEL;TYPE=CELL:+1 555 1234',
      'EMAIL;TYPE=WORK:jane@example.com',
      'URL:https://example.com/jane',
      'ADR;TYPE=WORK:;;1 Main St;Town;CA;94000;USA',
      'BDAY:19900102',
      'NOTE:Hello\\, you',
    ),
    is({
      name: 'Dr. Jane Doe',
      organization: 'Example, Research',
      title: 'Head',
      phones: [{ number: '+1 555 1234', href: 'tel:+15551234', label: 'Mobile' }],
      emails: [{ address: 'jane@example.com', href: 'mailto:jane@example.com', label: 'Work' }],
      links: [{ text: 'https://example.com/jane', href: 'https://example.com/jane' }],
      addresses: [['1 Main St', 'Town, CA 94000', 'USA']],
      birthday: '1990-01-02',
      note: 'Hello, you',
    }),
  ],
  ['may have bare line feeds', 'BEGIN:VCARD\nVERSION:3.0\nFN:Jane\nEND:VCARD', is({ name: 'Jane' })],
  ['may have small letters', 'begin:vcard\nversion:3.0\nfn:Jane\nend:vcard', is({ name: 'Jane' })],
  ['may lack its end', 'BEGIN:VCARD\nVERSION:3.0\nFN:Jane', is({ name: 'Jane' })],
  ['may lack its version', 'BEGIN:VCARD\nFN:Jane\nEND:VCARD', is({ name: 'Jane' })],
  ['may begin with a byte order mark', `\ufeff${card('FN:Jane')}`, is({ name: 'Jane' })],
  [
    'may have folded lines',
    card('NOTE:one', '  two', '\tthree', 'FN:Ja', ' ne'),
    is({ name: 'Jane', note: 'one twothree' }),
  ],
  ['may have empty lines', card('', 'FN:Jane', ''), is({ name: 'Jane' })],
  [
    'loses no more than a line that is none',
    card('what is this', 'FN:Jane', ':', 'a b:c'),
    is({ name: 'Jane' }),
  ],
  [
    'reads every escape in any field',
    card('FN:a\\,b\\;c\\:d\\\\e', 'NOTE:a\\nb\\Nc'),
    is({ name: 'a,b;c:d\\e', note: 'a\nb\nc' }),
  ],
  [
    'keeps commas that were not escaped',
    card('FN:Doe, Jane', 'NOTE:a, b'),
    is({ name: 'Doe, Jane', note: 'a, b' }),
  ],
  ['falls back from FN to N', card('N:Doe;Jane;Q.;Dr.;Jr.'), is({ name: 'Dr. Jane Q. Doe Jr.' })],
  ['falls back from an empty FN to N', card('FN: ', 'N:Doe;Jane'), is({ name: 'Jane Doe' })],
  [
    'falls back from N to the organization',
    card('N:;;;;', 'ORG:Example'),
    is({ name: 'Example', organization: 'Example' }),
  ],
  [
    'is named by its address where it has no name',
    card('EMAIL:me@example.com'),
    is({ name: 'me@example.com' }),
  ],
  ['is named by its number where it has nothing else', card('TEL:+1555'), is({ name: '+1555' })],
  ['takes the role where there is no title', card('FN:J', 'ROLE:Boss'), is({ title: 'Boss' })],
  ['has no line breaks in its name', card('FN:Jane\\nDoe'), is({ name: 'Jane Doe' })],
  [
    'tells kinds of numbers apart',
    card('FN:J', 'TEL;TYPE=work,fax:+1555', 'TEL;TYPE=HOME;TYPE=VOICE:+1666', 'TEL:+1777'),
    is({
      phones: [
        { number: '+1555', href: 'tel:+1555', label: 'Work fax' },
        { number: '+1666', href: 'tel:+1666', label: 'Home' },
        { number: '+1777', href: 'tel:+1777', label: '' },
      ],
    }),
  ],
  [
    'uses the labels of its owner',
    card(
      'FN:J',
      'item1.TEL:+1555',
      'ITEM1.X-ABLabel:_$!<School>!$_',
      'item2.EMAIL:j@e.com',
      'item2.X-ABLABEL:Night',
    ),
    is({
      phones: [{ number: '+1555', href: 'tel:+1555', label: 'School' }],
      emails: [{ address: 'j@e.com', href: 'mailto:j@e.com', label: 'Night' }],
    }),
  ],
  [
    'reads the addresses of version 4',
    card4('FN:J', 'TEL;VALUE=uri;TYPE="voice,home":tel:+1-555;ext=5', 'EMAIL:mailto:j@e.com?subject=x'),
    is({
      phones: [{ number: '+1-555;ext=5', href: 'tel:+1555;ext=5', label: 'Home' }],
      emails: [{ address: 'j@e.com', href: 'mailto:j@e.com', label: '' }],
    }),
  ],
  ['reads a birthday without a year', card4('FN:J', 'BDAY:--0415'), is({ birthday: '--04-15' })],
  [
    'reads the day of a birthday with a time',
    card('FN:J', 'BDAY:1990-01-02T00:00:00Z'),
    is({ birthday: '1990-01-02' }),
  ],
  ['keeps a birthday in words', card4('FN:J', 'BDAY;VALUE=text:circa 1800'), is({ birthday: 'circa 1800' })],
  [
    'reads bare parameters of version 2.1',
    card21('FN:J', 'TEL;CELL;VOICE:+1555'),
    is({ phones: [{ number: '+1555', href: 'tel:+1555', label: 'Mobile' }] }),
  ],
  [
    'reads quoted-printable text with soft breaks',
    card21('FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6=', 'rg', 'NOTE;QUOTED-PRINTABLE:a=0D=0Ab=3D'),
    is({ name: 'Jörg', note: 'a\nb=' }),
  ],
  [
    'reads quoted-printable text of another character set',
    card21('FN;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:J=F6rg'),
    is({ name: 'Jörg' }),
  ],
  [
    'reads quoted-printable text of an unknown character set',
    card21('FN;ENCODING=QUOTED-PRINTABLE;CHARSET=KLINGON:J=C3=B6rg'),
    is({ name: 'Jörg' }),
  ],
  [
    'writes an address as on an envelope',
    card('FN:J', 'ADR:;Floor 2;Street\\, 1\\nBack;Berlin;;10115;Germany', 'ADR:;;;;;;', 'ADR:PO 1'),
    is({ addresses: [['Floor 2', 'Street, 1', 'Back', '10115 Berlin', 'Germany'], ['PO 1']] }),
  ],
  [
    'links web addresses only',
    card(
      'FN:J',
      'URL:javascript:alert(1)',
      'URL:data:text/html,x',
      'URL:www.e.com',
      'item1.URL:https\\://e.com/a\\,b',
    ),
    is({
      links: [
        { text: 'javascript:alert(1)' },
        { text: 'data:text/html,x' },
        { text: 'www.e.com', href: 'https://www.e.com/' },
        { text: 'https://e.com/a,b', href: 'https://e.com/a,b' },
      ],
    }),
  ],
  [
    'shows a number that cannot be called, and makes no link of it',
    card('FN:J', 'TEL:javascript:1', 'TEL:+49 170 1234567 (nur abends)'),
    is({
      phones: [
        { number: 'javascript:1', label: '' },
        { number: '+49 170 1234567 (nur abends)', label: '' },
      ],
    }),
  ],
  [
    'shows an address that cannot be written to, and makes no link of it',
    card('FN:J', 'EMAIL:a@e.com\\nBcc:b@e.com'),
    is({ emails: [{ address: 'a@e.com Bcc:b@e.com', label: '' }] }),
  ],
  [
    'takes untold bytes that are no UTF-8 for Windows-1252, as Outlook writes them',
    card('FN;ENCODING=QUOTED-PRINTABLE:J=FCrgen M=FCller'),
    is({ name: 'Jürgen Müller' }),
  ],
  [
    'does not take the end of the card for the rest of a broken line',
    card('FN;ENCODING=QUOTED-PRINTABLE:Ann='),
    is({ name: 'Ann=' }),
  ],
  [
    'keeps markup, emoji and right-to-left names as they are',
    card('FN:<b>"🎉" שלום'),
    is({ name: '<b>"🎉" שלום' }),
  ],
  [
    'reads the first of two cards',
    card('FN:One') + card('FN:Two', 'TEL:+1555'),
    is({ name: 'One', phones: [] }),
  ],
  [
    'is not mixed up with a card inside of it',
    card('AGENT:', 'BEGIN:VCARD', 'FN:Agent', 'END:VCARD', 'FN:J'),
    is({ name: 'J' }),
  ],
  [
    'may be in the short form',
    'MECARD:N:Doe,Jane;TEL:+1555;EMAIL:j@e.com;URL:https\\://e.com/;ADR:1 St, Town;BDAY:19900102;NOTE:a\\;b;ORG:E\\, Inc;;',
    is({
      name: 'Jane Doe',
      organization: 'E, Inc',
      phones: [{ number: '+1555', href: 'tel:+1555', label: '' }],
      emails: [{ address: 'j@e.com', href: 'mailto:j@e.com', label: '' }],
      links: [{ text: 'https://e.com/', href: 'https://e.com/' }],
      addresses: [['1 St, Town']],
      birthday: '1990-01-02',
      note: 'a;b',
    }),
  ],
  [
    'reads the seven parts of an address in the short form',
    'mecard:N:J;ADR:,,1 St,Town,,123,DE;;',
    is({ addresses: [['1 St', '123 Town', 'DE']] }),
  ],
];

describe('the content of a vcard code', () => {
  parsesEach('vcard', [
    ...rows,
    ['is text where there is nothing in it', card(), 'text'],
    ['is text where there are only empty fields', card('FN:', 'N:;;;;', 'TEL:', 'ORG:'), 'text'],
    ['is text where the short form has nothing', 'MECARD:;;', 'text'],
    ['is text where it only begins like one', 'BEGIN:VCARD', 'text'],
    ['is text where it is only a name', 'Jane Doe', 'text'],
    ...hostileRows,
  ]);
});

describe('the vCard that is saved', () => {
  const saved = (content: string) => (parseContent('vcard', content) as ContactContent).vcf;

  for (const [guarantee, content] of rows) {
    it(`is valid for an independent parser, and parses to the same contact, where it ${guarantee}`, () => {
      const read = parseContent('vcard', content) as ContactContent;
      const [name, properties] = ICAL.parse(read.vcf) as [string, [string][]];
      expect(name).to.equal('vcard');
      expect(properties.map(([property]) => property)).to.include('fn');
      expect(parseContent('vcard', read.vcf)).to.deep.equal(read);
    });
  }

  it('has no attachment and no address that contacts should not open, in the file', () => {
    const kept = [
      'URL:https://example.com/',
      'item1.URL;TYPE=WORK:example.com:8080/a',
      'SOURCE:http://a.example/',
    ];
    const dropped = [
      'URL:javascript:alert(1)',
      'item2.URL;TYPE=HOME: java\tscript\\:alert(1)',
      'X-SHOPURL:data:text/html,x',
      'SOURCE:file:///etc/passwd',
      'ATTACH:http://a.example/x',
    ];
    const written = contentType('vcard').shown?.file?.write(
      parseContent('vcard', card('FN:J', ...kept, ...dropped)),
      { id: 'id', now: new Date() },
    );
    expect(written?.replaceAll('\r\n ', '')).to.equal(card('N:;J;;;', 'FN:J', ...kept));
  });

  it('keeps what the page does not show', () => {
    const vcf = saved(card('FN:J', 'item1.X-FOO;BAR="a;b":c\\,d', 'PHOTO;ENCODING=b;TYPE=JPEG:AAAA'));
    expect(vcf.split('\r\n')).to.include.members([
      'item1.X-FOO;BAR="a;b":c\\,d',
      'PHOTO;ENCODING=b;TYPE=JPEG:AAAA',
    ]);
  });

  it('is converted from version 2.1 to 3.0', () => {
    const vcf = saved(card21('FN;QUOTED-PRINTABLE:=C3=B6', 'TEL;CELL:+1555', 'PHOTO;JPEG;BASE64:AAAA'));
    expect(vcf).to.equal(card('N:;ö;;;', 'FN:ö', 'TEL;TYPE=CELL:+1555', 'PHOTO;TYPE=JPEG;ENCODING=b:AAAA'));
  });

  it('stays version 4.0', () => {
    expect(saved(card4('FN:J'))).to.equal(card4('FN:J'));
  });

  it('has the names that the standard requires', () => {
    expect(saved(card('ORG:A\\, B;C'))).to.equal(card('FN:A\\, B\\, C', 'N:;;;;', 'ORG:A\\, B;C'));
  });

  it('has no line injected by parameters, quoted-printable text or a carriage return', () => {
    const vcf = saved(
      card21('FN:J', 'NOTE;QUOTED-PRINTABLE:a=0D=0ATEL:1', 'X-A;B=c\u0085d\u000be:f', 'X-G:h\rX-I:j\u0000k'),
    );
    expect(vcf).to.equal(card('N:;J;;;', 'FN:J', 'NOTE:a\\nTEL:1', 'X-A;B=cde:f', 'X-G:h', 'X-I:jk'));
  });

  it('has lines of at most 75 octets, and no split character', () => {
    const name = `${'ä'.repeat(100)}${'🎉'.repeat(100)}${'x'.repeat(300)}`;
    const vcf = saved(card(`FN:${name}`));
    for (const line of vcf.split('\r\n')) {
      expect(Buffer.byteLength(line)).to.be.at.most(75);
      expect(line.isWellFormed()).to.equal(true);
    }
    expect(parseContent('vcard', vcf)).to.deep.include({ name });
  });
});
