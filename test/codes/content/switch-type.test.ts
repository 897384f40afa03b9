import { expect } from 'chai';
import { contentFieldNames } from '../../../src/codes/content/compose-content.ts';
import { keptFields } from '../../../src/codes/content/switch-type.ts';
import { codeTypes } from '../../../src/codes/qr-code.ts';

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
    for (const to of ['social', 'text'] as const) expect(keptFields('url', to, url)).to.deep.equal(url);
    expect(keptFields('url', 'vcard', url)).to.include({ website: url.content });
  });

  it('keeps the first of several links, all of them between texts, and a map link for a place', () => {
    const links = { content: 'Our pages:\nhttps://example.com/a\nhttps://example.com/b' };
    expect(keptFields('social', 'url', links)).to.deep.equal({ content: 'https://example.com/a' });
    expect(keptFields('social', 'text', links)).to.deep.equal(links);
    const map = { content: 'https://www.openstreetmap.org/#map=15/51.5007/-0.1246' };
    expect(keptFields('url', 'geo', map)).to.deep.equal({ place: map.content });
    expect(keptFields('url', 'geo', { content: 'https://example.com/' })).to.deep.equal({ place: '' });
  });

  it('keeps everything that can be read for a text, but never a password', () => {
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
      const fields = Object.fromEntries(contentFieldNames[from].map((name) => [name, 'x']));
      for (const to of codeTypes)
        expect(contentFieldNames[to]).to.include.members(Object.keys(keptFields(from, to, fields)));
    }
  });
});
