import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ContentFields } from '../../../src/codes/content/content-type.ts';
import {
  composeContent,
  contentFieldNames,
  fieldErrors,
  fieldsOfContent,
  keptFields,
} from '../../../src/codes/content/content-fields.ts';
import { emailFields, kindOf, phoneFields } from '../../../src/codes/content/contact.ts';
import { linkRows } from '../../../src/codes/content/social.ts';
import { composesFields } from './parses-each.ts';
import {
  codeTypes,
  contentType,
  parseContent,
  type CodeType,
} from '../../../src/codes/content/content-types.ts';

/** One line of text, with the characters that payloads consist of. */
const typed = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...'\\;:,"?&=%+#()<> '), fc.string({ unit: 'grapheme', maxLength: 1 })),
    maxLength: 30,
  })
  .map((text) => text.replace(/[\p{Cc}\u2028\u2029]/gu, '').trim());
const given = typed.filter((text) => text !== '');
const lines = fc.array(typed, { maxLength: 4 }).map((all) => all.join('\n'));
const number = fc.stringMatching(/^\+[1-9]\d{6,13}$/);
const address = fc.stringMatching(/^[a-z][a-z0-9+%&=?']{0,10}@[a-z]{2,8}\.example$/);
const words = fc.stringMatching(/^[A-Z][a-zé&!]{0,10}( [a-z]{1,8})?$/);
const degree = (most: number) =>
  fc.integer({ min: -most * 1e5, max: most * 1e5 }).map((value) => String(value / 1e5 + 0));

const filled: Partial<Record<CodeType, fc.Arbitrary<ContentFields>>> = {
  url: fc.record({ content: fc.webUrl() }),
  text: fc.record({ content: given }),
  wifi: fc.oneof(
    fc.record({
      networkName: given,
      password: given,
      security: fc.constantFrom('WPA', 'WEP'),
      hidden: fc.constantFrom('on', ''),
    }),
    fc.record({
      networkName: given,
      password: fc.constant(''),
      security: fc.constant('none'),
      hidden: fc.constantFrom('on', ''),
    }),
  ),
  vcard: fc
    .record({
      contactName: given,
      organization: typed,
      jobTitle: typed,
      phones: fc.array(fc.tuple(number, fc.constantFrom('', 'CELL', 'WORK', 'HOME', 'FAX')), {
        maxLength: 3,
      }),
      emails: fc.array(address, { maxLength: 3 }),
      website: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.constant('')),
      street: typed,
      city: typed,
      region: typed,
      postalCode: typed,
      country: typed,
      note: lines.map((text) => text.trim()),
    })
    .map(({ phones, emails, ...fields }) => ({
      ...fields,
      ...Object.fromEntries(
        phoneFields.flatMap((field, index) => [
          [field, phones[index]?.[0] ?? ''],
          [kindOf(field), phones[index]?.[1] ?? ''],
        ]),
      ),
      ...Object.fromEntries(emailFields.map((field, index) => [field, emails[index] ?? ''])),
    })),
  email: fc.record({
    to: fc.array(address, { minLength: 1, maxLength: 3 }).map((all) => all.join(', ')),
    subject: typed,
    body: lines,
  }),
  phone: fc.record({ number }),
  sms: fc.record({ number, message: lines }),
  whatsapp: fc.record({ number, message: lines }),
  geo: fc.record({
    place: fc.tuple(degree(90), degree(180)).map((both) => both.join(', ')),
    label: typed,
  }),
  social: fc
    .array(
      fc.tuple(
        fc.oneof(words, fc.constant('')),
        fc.webUrl().filter((url) => !/[,;]$/.test(url)),
      ),
      {
        minLength: 1,
        maxLength: linkRows.length,
      },
    )
    .map((links) =>
      Object.fromEntries(
        linkRows.flatMap((row, index) => [
          [row.label, links[index]?.[0] ?? ''],
          [row.address, links[index]?.[1] ?? ''],
        ]),
      ),
    ),
};

describe('composeContent', () => {
  for (const [type, fields] of Object.entries(filled)) composesFields(type as CodeType, fields);

  for (const type of codeTypes) {
    it(`composes the example of ${type} from its fields`, () => {
      const { example } = contentType(type);
      const fields = fieldsOfContent(type, example);
      expect(fields && parseContent(type, composeContent(type, fields))).to.deep.equal(
        parseContent(type, example),
      );
    });

    it(`reports the missing fields of an empty ${type}`, () => {
      expect(composeContent(type, {})).to.equal('');
      const errors = fieldErrors(type, {});
      // Types that are stored as typed are checked by the general rules for content.
      expect(errors.length > 0).to.equal(contentFieldNames(type)[0] !== 'content');
    });
  }

  it('writes the payloads that scanners understand', () => {
    expect(composeContent('phone', { number: '+44 (0)20 7946 0000' })).to.equal('tel:+442079460000');
    expect(composeContent('sms', { number: '+44 20 7946', message: 'Hi' })).to.equal(
      'sms:+44207946?&body=Hi',
    );
    expect(composeContent('whatsapp', { number: '0044 20 7946', message: 'Hi you' })).to.equal(
      'https://wa.me/44207946?text=Hi%20you',
    );
    expect(composeContent('geo', { place: '51.5, -0.1', label: 'Here' })).to.equal(
      'geo:51.5,-0.1?q=51.5,-0.1(Here)',
    );
    expect(composeContent('wifi', { networkName: 'a;b', password: 'c', security: 'WPA' })).to.equal(
      'WIFI:T:WPA;S:a\\;b;P:c;;',
    );
  });
});

describe('the fields of a place', () => {
  const hamburg = 'geo:53.5503,9.992?q=53.5503,9.992';
  for (const place of [
    '53.5503, 9.9920',
    ' 53.5503,9.9920 ',
    '53.5503; 9.9920',
    '53,5503; 9,9920',
    '53,5503, 9,9920',
    '53.5503° N 9.9920° E',
    'https://www.google.com/maps/@53.5503,9.9920,17z',
    'www.google.com/maps?q=53.5503,9.9920',
    'maps.apple.com/?ll=53.5503,9.9920&q=Pin',
    'https://www.openstreetmap.org/?mlat=53.5503&mlon=9.9920#map=17/1/2',
  ]) {
    it(`accept ${place}`, () => {
      expect(fieldErrors('geo', { place })).to.deep.equal([]);
      expect(composeContent('geo', { place })).to.equal(hamburg);
    });
  }

  for (const [place, message] of [
    ['91, 0', 'must be coordinates'],
    ['Pariser Platz 1', 'must be coordinates'],
    ['53.5503', 'must be coordinates'],
    ['https://maps.app.goo.gl/abc', 'This link contains no coordinates. Open it'],
    ['https://evil.example/?q=53.5503,9.9920', 'This link contains no coordinates'],
    ['9'.repeat(60_000), 'must be coordinates'],
  ] as const) {
    it(`reject ${place.slice(0, 40)}, and say what to do`, () => {
      const [error, ...more] = fieldErrors('geo', { place });
      expect(error?.field).to.equal('place');
      expect(error?.message).to.include(message);
      expect(more).to.deep.equal([]);
    });
  }
});

describe('the links of a social code', () => {
  const errors = (fields: ContentFields) => fieldErrors('social', fields).map(({ field }) => field);

  it('are stored as lines, with a scheme where the host is not known without one', () => {
    const fields = {
      linkLabel1: 'Our shop',
      linkAddress1: 'example.com/shop',
      linkAddress3: 'instagram.com/me',
    };
    expect(composeContent('social', fields)).to.equal('Our shop: https://example.com/shop\ninstagram.com/me');
  });

  it('need an address each, and labels that do not pass for one', () => {
    expect(errors({ linkLabel2: 'Shop' })).to.deep.equal(['linkAddress2']);
    for (const linkAddress1 of [
      'javascript:alert(1)',
      'two words',
      'https://a@b.example/',
      'Shop: https://a.example',
    ])
      expect(errors({ linkAddress1 }), linkAddress1).to.deep.equal(['linkAddress1']);
    for (const linkLabel1 of [
      'https://bank.example',
      'see www.bank.example',
      'instagram.com',
      'x'.repeat(61),
    ])
      expect(errors({ linkAddress1: 'https://a.example/', linkLabel1 }), linkLabel1).to.deep.equal([
        'linkLabel1',
      ]);
  });

  it('are edited as text where a line is something else, or where there are too many', () => {
    const many = Array.from({ length: 9 }, (_, index) => `https://example.com/${index}`).join('\n');
    for (const content of [
      'Find us:\nhttps://a.example/',
      many,
      'Us at https://a.example/\nhttps://b.example/',
    ])
      expect(fieldsOfContent('social', content), content).to.equal(undefined);
  });
});

describe('the number of a WhatsApp code', () => {
  it('is rejected without its country code, because WhatsApp takes the first digits for it', () => {
    for (const written of ['0170 1234567', '170 1234567', '5551234567'])
      expect(fieldErrors('whatsapp', { number: written }), written).to.deep.equal([
        {
          field: 'number',
          message: 'Add the country code, for example +49 30 123456',
        },
      ]);
    for (const written of ['+49 170 1234567', '0049 170 1234567'])
      expect(fieldErrors('whatsapp', { number: written }), written).to.deep.equal([]);
  });
});

describe('fieldsOfContent', () => {
  const lost: [CodeType, string, string][] = [
    ['vcard', 'a photo', 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nPHOTO;ENCODING=b:AAAA\nEND:VCARD'],
    ['vcard', 'a second number', 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL:+49301\nTEL:+49302\nEND:VCARD'],
    ['vcard', 'a family name', 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann Doe\nN:Doe;Ann;;;\nEND:VCARD'],
    ['wifi', 'a user name', 'WIFI:T:WPA2-EAP;S:Office;I:ann;P:secret;E:PEAP;;'],
    ['wifi', 'WPA3 only', 'WIFI:T:SAE;S:Office;P:secret;;'],
    ['email', 'a copy', 'mailto:ann@example.com?cc=bob@example.com'],
    ['email', 'an unknown header', 'mailto:ann@example.com?subject=Hi&attach=x'],
    ['geo', 'a height', 'geo:52.5,13.4,30'],
    ['geo', 'an address', 'geo:0,0?q=Unter%20den%20Linden%201'],
    ['sms', 'an unknown field', 'sms:+49301234?body=Hi&service=x'],
    ['whatsapp', 'a group', 'https://chat.whatsapp.com/AbCd'],
    ['phone', 'no number', 'call me'],
  ];
  for (const [type, what, content] of lost) {
    it(`returns undefined where ${what} of a ${type} would be lost`, () => {
      expect(fieldsOfContent(type, content)).to.equal(undefined);
    });
  }

  it('accepts bare values', () => {
    expect(fieldsOfContent('phone', '+44 20 7946 0000')).to.deep.equal({ number: '+44 20 7946 0000' });
    expect(fieldsOfContent('email', 'ann@example.com')).to.deep.include({ to: 'ann@example.com' });
    expect(fieldsOfContent('geo', '52.5, 13.4')).to.deep.include({ place: '52.5, 13.4' });
  });
});

const contact = {
  contactName: 'Ann Doe',
  organization: 'Doe Ltd',
  phone: '+44 20 7946 0000',
  email: 'ann@example.com',
  website: 'example.com/ann',
};

describe('Another type for a content', () => {
  it('keeps a number, a message, an email address and a web address', () => {
    const sms = { number: '+44 20 7946 0000', message: 'Hi' };
    expect(keptFields('sms', 'whatsapp', sms)).to.deep.equal(sms);
    expect(keptFields('sms', 'phone', sms)).to.deep.equal({ number: sms.number });
    expect(keptFields('sms', 'email', sms)).to.deep.equal({ to: '', subject: '', body: 'Hi' });
    expect(keptFields('vcard', 'phone', contact)).to.deep.equal({ number: contact.phone });
    expect(keptFields('vcard', 'email', contact)).to.include({ to: contact.email });
    expect(keptFields('vcard', 'url', contact)).to.deep.equal({ content: contact.website });
    expect(keptFields('email', 'vcard', { to: 'ann@example.com' })).to.include({ email: 'ann@example.com' });
    const url = { content: 'https://example.com/menu' };
    expect(keptFields('url', 'text', url)).to.deep.equal(url);
    expect(keptFields('url', 'social', url)).to.include({ linkAddress1: url.content });
    expect(keptFields('url', 'vcard', url)).to.include({ website: url.content });
  });

  it('keeps the first of several links, all of them between texts, and a map link for a place', () => {
    const links = { content: 'Our pages:\nhttps://example.com/a\nhttps://example.com/b' };
    expect(keptFields('social', 'url', links)).to.deep.equal({ content: 'https://example.com/a' });
    expect(keptFields('social', 'text', links)).to.deep.equal(links);
    const rows = { linkLabel1: 'Shop', linkAddress1: 'example.com/a', linkAddress2: 'https://example.com/b' };
    const text = { content: 'Shop: https://example.com/a\nhttps://example.com/b' };
    expect(keptFields('social', 'url', rows)).to.deep.equal({ content: 'https://example.com/a' });
    expect(keptFields('social', 'text', rows)).to.deep.equal(text);
    expect(keptFields('text', 'vcard', { content: 'Ring twice' })).to.include({ note: 'Ring twice' });
    const map = { content: 'https://www.openstreetmap.org/#map=15/51.5007/-0.1246' };
    expect(keptFields('url', 'geo', map)).to.deep.equal({ place: map.content });
    expect(keptFields('url', 'geo', { content: 'https://example.com/' })).to.deep.equal({ place: '' });
  });

  it('keeps everything that can be read for a text, but never a password', () => {
    const more = {
      ...contact,
      jobTitle: 'CEO',
      phone2: '+44 1',
      phone2Kind: 'FAX',
      city: 'Bath',
      note: 'Hi',
    };
    expect(keptFields('vcard', 'text', more).content).to.equal(
      'Ann Doe\nDoe Ltd\nCEO\n+44 20 7946 0000\n+44 1\nann@example.com\nexample.com/ann\nBath\nHi',
    );
    expect(keptFields('vcard', 'text', contact).content).to.equal(
      'Ann Doe\nDoe Ltd\n+44 20 7946 0000\nann@example.com\nexample.com/ann',
    );
    const network = { networkName: 'Guests', password: 'let me in', security: 'WPA', hidden: '' };
    for (const to of codeTypes.filter((type) => type !== 'wifi'))
      expect(JSON.stringify(keptFields('wifi', to, network)), to).not.to.contain('let me in');
    expect(keptFields('wifi', 'text', network)).to.deep.equal({ content: 'Guests' });
  });

  it('fills only fields that the type has', () => {
    for (const from of codeTypes) {
      const fields = Object.fromEntries(contentFieldNames(from).map((name) => [name, 'x']));
      for (const to of codeTypes)
        expect(contentFieldNames(to)).to.include.members(Object.keys(keptFields(from, to, fields)));
    }
  });
});
