import { expect } from 'chai';
import { fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import { fieldsIn } from '../../../src/codes/content/content-type.ts';
import {
  type CodeType,
  codeTypes,
  contentKind,
  contentType,
  parseContent,
} from '../../../src/codes/content/content-types.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { png } from '../../codes/files/logo-files.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { parseHtml, selectAll, textOf } from '../../support/html.ts';
import { plainBrowser } from '../../support/plain-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { newCodePage, type PlainOwner, plainOwner, storeCode } from './code-owner.ts';

const look = { size: '512', errorCorrection: 'M', foregroundColor: '#000000', backgroundColor: '#ffffff' };

/** The input of a form by label, and the content it makes. */
interface Typed {
  fields: Record<string, string>;
  content: string;
}

const inputs: Partial<Record<CodeType, Typed>> = {
  url: { fields: { 'Web address': 'https://example.com/menu' }, content: 'https://example.com/menu' },
  text: { fields: { Text: 'Two\nlines' }, content: 'Two\nlines' },
  wifi: {
    fields: { 'Network name': 'Café; "guest"', Password: 'se:cret' },
    content: 'WIFI:T:WPA;S:Café\\; \\"guest\\";P:se\\:cret;;',
  },
  vcard: {
    fields: {
      'Full name': 'Ann Doe',
      'Organization (optional)': 'Doe, Ltd',
      'Title (optional)': 'CEO',
      'Phone (optional)': '+4930123',
      'Email (optional)': 'ann@example.com',
    },
    content:
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Doe\r\nN:;Ann Doe;;;\r\nORG:Doe\\, Ltd\r\nTITLE:CEO\r\nTEL:+4930123\r\nEMAIL:ann@example.com\r\nEND:VCARD\r\n',
  },
  email: {
    fields: { To: 'ann@example.com', 'Subject (optional)': 'A & B', 'Message (optional)': 'Hi\nAnn' },
    content: 'mailto:ann@example.com?subject=A%20%26%20B&body=Hi%0D%0AAnn',
  },
  phone: { fields: { Number: '+44 20 7946 0000' }, content: 'tel:+442079460000' },
  sms: {
    fields: { Number: '+44 20 7946', 'Message (optional)': 'Hi there' },
    content: 'sms:+44207946?&body=Hi%20there',
  },
  whatsapp: {
    fields: { Number: '+44 20 7946', 'Message (optional)': 'Hi there' },
    content: 'https://wa.me/44207946?text=Hi%20there',
  },
  geo: {
    fields: { 'Coordinates or map link': '51.5007, -0.1246', 'Name of the place (optional)': 'Big Ben' },
    content: 'geo:51.5007,-0.1246?q=51.5007,-0.1246(Big%20Ben)',
  },
  social: {
    fields: {
      'Address 1': 'example.com/a',
      'Label 1 (optional)': 'Our shop',
      'Address 2 (optional)': 'https://example.com/b',
    },
    content: 'Our shop: https://example.com/a\nhttps://example.com/b',
  },
  event: {
    fields: {
      Title: 'Open day',
      'Starts on': '2027-05-08',
      'Starts at (optional)': '09:00',
      'Ends at (optional)': '15:30',
      'Time zone': 'Europe/Berlin',
      'Location (optional)': 'Hamburg, Pier 1',
    },
    content: [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Qrelay//QR code//EN',
      'X-WR-TIMEZONE:Europe/Berlin',
      'BEGIN:VEVENT',
      'SUMMARY:Open day',
      'DTSTART:20270508T070000Z',
      'DTEND:20270508T133000Z',
      'LOCATION:Hamburg\\, Pier 1',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  },
};

describe('Forms of QR codes', () => {
  let service: TestService;
  let owner: PlainOwner;

  before(async () => {
    service = await sharedService();
    owner = await plainOwner(service);
  });

  async function create(type: CodeType, fields: Record<string, string | boolean | File>): Promise<string> {
    const { browser } = owner;
    await browser.open(`/codes/new?type=${type}`);
    browser.fillIn({ Name: 'New', ...fields });
    await browser.press('Create QR code');
    return owner.opened();
  }

  for (const [type, { fields, content }] of Object.entries(inputs) as [CodeType, Typed][]) {
    it(`of type ${type} make its content of what is typed, and show that again`, async () => {
      const { browser } = owner;
      const id = await create(type, { ...fields, Name: `My ${type}`, 'Category (optional)': 'Shop' });
      expect(browser.text('.notice')).to.equal('Code created. Download it or copy its link.');
      const code = await owner.stored(id);
      expect(code).to.include({ name: `My ${type}`, type, content, category: 'Shop', size: 512 });
      await browser.open(`/codes/${id}/edit`);
      for (const label of Object.keys(fields)) expect(browser.value(label), label).not.to.equal('');
      browser.fillIn({ Name: 'Another name' });
      await browser.press('Save changes');
      expect(owner.opened()).to.equal(id);
      expect(browser.text('.notice')).to.equal('Changes saved.');
      const changed = await owner.stored(id);
      expect(changed).to.deep.equal({ ...code, name: 'Another name', updatedAt: changed['updatedAt'] });
    });
  }

  for (const type of codeTypes) {
    it(`of type ${type} create and edit its example, which is shared`, async () => {
      const { browser } = owner;
      const { example, form } = contentType(type);
      const values = fieldsOfContent(type, example) ?? {};
      const id = await create(
        type,
        Object.fromEntries(
          fieldsIn(form.parts).flatMap(({ name, label }) => (values[name] ? [[label, values[name]]] : [])),
        ),
      );
      const { content, shareToken } = await owner.stored(id);
      expect(parseContent(type, String(content))).to.deep.equal(parseContent(type, example));
      await browser.open(`/codes/${id}/edit`);
      browser.fillIn({ Name: 'Renamed' });
      await browser.press('Save changes');
      expect(await owner.stored(id)).to.include({ name: 'Renamed', content });

      const share = (ending: string) =>
        fetch(`${service.url}/r/${String(shareToken)}${ending}`, { redirect: 'manual' });
      const parsed = parseContent(type, example);
      expect((await share('')).status).to.equal(parsed.kind === 'link' ? 302 : 200);
      expect((await share('.svg?encode=content')).status).to.equal(200);
      const { file } = contentKind(parsed.kind);
      for (const extension of ['vcf', 'ics']) {
        const answer = await share(`.${extension}`);
        expect(answer.status, extension).to.equal(extension === file?.extension ? 200 : 404);
        if (answer.status !== 200) continue;
        expect(Object.fromEntries(answer.headers)).to.include({
          'content-type': file?.mediaType,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex',
        });
        expect(answer.headers.get('content-disposition')).to.match(
          new RegExp(`^attachment; .*\\.${extension}"`),
        );
      }
    });
  }

  it('keep several phones, an address and a note of a contact', async () => {
    const { browser } = owner;
    const id = await create('vcard', {
      'Full name': 'Ann',
      'Phone (optional)': '+4930123',
      'Phone 2 (optional)': '+4930124',
      'Type of phone 2': 'FAX',
      'Email 2 (optional)': 'a@example.com',
      'Street (optional)': 'Elm; 1',
      'City (optional)': 'Bath',
      'Note (optional)': 'Ring\ntwice',
    });
    const { content } = await owner.stored(id);
    expect(String(content).split('\r\n').slice(4, -2)).to.deep.equal([
      'TEL:+4930123',
      'TEL;TYPE=FAX:+4930124',
      'EMAIL:a@example.com',
      'ADR:;;Elm\\; 1;Bath;;;',
      'NOTE:Ring\\ntwice',
    ]);
    await browser.open(`/codes/${id}/edit`);
    expect(browser.value('Note (optional)')).to.equal('Ring\ntwice');
    // Open where a field in it has a value.
    expect(browser.texts('details[open] summary')).to.include.members([
      'More phones and emails',
      'Address and note',
    ]);
  });

  it('take the value of a box that is checked, and of one that no longer is', async () => {
    const { browser } = owner;
    await browser.open('/codes/new');
    await browser.follow('Wi-Fi');
    browser.fillIn({
      'Network name': 'Guests',
      Password: 'let me in',
      Name: 'Wi-Fi',
      'The network is hidden': true,
    });
    await browser.press('Create QR code');
    const id = owner.opened();
    expect(await owner.stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;H:true;;' });
    await browser.open(`/codes/${id}/edit`);
    browser.fillIn({ 'The network is hidden': false });
    await browser.press('Save changes');
    expect(await owner.stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;;' });
  });

  it('accept a map link as a place', async () => {
    const id = await create('geo', {
      'Coordinates or map link': 'https://www.google.com/maps/@53.5503,9.9920,17z',
    });
    expect(await owner.stored(id)).to.include({ content: 'geo:53.5503,9.992?q=53.5503,9.992' });
  });

  it('refuse a number without a country code, and say how to write it; the API accepts and warns', async () => {
    const { browser } = owner;
    const remedy = ['Add the country code, for example +49 30 123456.'];
    for (const type of ['phone', 'sms', 'whatsapp'] as const) {
      await create(type, { Number: '030 1234567' });
      expect(browser.texts('.error'), type).to.deep.equal(remedy);
      browser.fillIn({ Number: '+49 30 1234567' });
      await browser.press('Create QR code');
      expect(browser.path, type).to.match(newCodePage);
    }
    await create('vcard', { 'Full name': 'Ann Doe', 'Phone (optional)': '(030) 123-4567' });
    expect(browser.texts('.error')).to.deep.equal(remedy);
    // Neither emergency numbers nor those with the code after 00 need one.
    for (const number of ['112', '0049 30 1234567', '*100#']) {
      await create('phone', { Number: number });
      expect(browser.texts('.error'), number).to.deep.equal([]);
    }
    const words = 'Scanners abroad cannot call this number: start with + and the country code.';
    const { id } = await owner.store({ type: 'phone', content: '030 1234567' });
    await browser.open(`/codes/${id}`);
    expect(browser.text('.code-side .notice')).to.contain(words);
    await browser.open(`/codes/${id}/edit`);
    expect(browser.text('#field-number-caution')).to.equal(words);
    browser.fillIn({ Name: 'Desk' });
    await browser.press('Save changes');
    expect(await owner.stored(id)).to.include({ name: 'Desk', content: '030 1234567' });
  });

  it('ask for a public title, and show the name to nobody who scans unless its owner wants it', async () => {
    const { browser } = owner;
    const share = async (id: string) => {
      const { shareToken } = await owner.stored(id);
      return (await fetch(`${service.url}/r/${String(shareToken)}`)).text();
    };
    const headingOf = async (id: string) => /<h1[^>]*>([^<]*)/.exec(await share(id))?.[1];
    const printed = async (id: string, format = 'card') => {
      await browser.open(`/codes/${id}/print?format=${format}&paper=A4`);
      return browser.texts('.panel .texts')[0]?.replaceAll(/\s+/g, ' ');
    };
    const wifi = { 'Network name': 'Linden Guests', Password: 'let me in' };
    const id = await create('wifi', { ...wifi, Name: 'Router 7, do not touch' });
    expect(await share(id)).not.to.contain('Router 7');
    expect(await headingOf(id)).to.equal('Linden Guests');
    expect(await printed(id)).to.match(/^Linden Guests ?Scan to join/);
    await browser.open(`/codes/${id}/edit`);
    expect(browser.value('Without a public title, show the name')).to.equal(false);
    browser.fillIn({ 'Public title (optional)': 'Our Wi-Fi' });
    await browser.press('Save changes');
    expect(await headingOf(id)).to.equal('Our Wi-Fi');
    expect(await printed(id, 'poster')).to.match(/^Our Wi-Fi/);
    await browser.open(`/codes/${id}/edit`);
    browser.fillIn({ 'Public title (optional)': '', 'Without a public title, show the name': true });
    await browser.press('Save changes');
    expect(await headingOf(id)).to.equal('Router 7, do not touch');
    const contact = await create('vcard', {
      Name: 'Sales lead, old tariff',
      'Full name': 'Anna Nguyễn',
      'Organization (optional)': 'Café Linden',
      'Title (optional)': 'Head of Coffee',
    });
    expect(await printed(contact)).to.match(/^Anna Nguyễn ?Head of Coffee, Café Linden/);
    const link = await create('url', { Name: 'Campaign B', 'Web address': 'https://www.example.com/b' });
    expect(await printed(link)).to.match(/^example\.com/);
    const text = await create('text', { Name: 'Draft 3', Text: 'Hello' });
    expect(await headingOf(text)).to.equal('Text');
    expect(await printed(text, 'sticker')).to.equal('Scan me');
    // As before for codes of the API and of earlier releases, until their owner says otherwise.
    const before = await owner.store({ name: 'Table 5', type: 'text', content: 'Hello' });
    expect(await headingOf(before.id)).to.equal('Table 5');
    expect(await printed(before.id)).to.match(/^Table 5/);
    await browser.open(`/codes/${before.id}/edit`);
    expect(browser.value('Without a public title, show the name')).to.equal(true);
  });

  it('focus the first field of a new code, and nothing in one that is edited', async () => {
    const { browser } = owner;
    const { id } = await owner.store();
    for (const [path, forms] of [
      ['/codes/new', 1],
      ['/codes/new/file', 1],
      [`/codes/${id}/edit`, 0],
    ] as const) {
      await browser.open(path);
      expect(browser.count('[data-focus-first]'), path).to.equal(forms);
    }
    await browser.open(`/codes/${id}/delete`);
    await browser.press('Move to trash');
    await browser.open(`/codes/trash/${id}/delete`);
    expect(browser.attributes('[autofocus]', 'name')).to.deep.equal(['confirmation']);
    const stranger = await plainBrowser(service);
    for (const path of ['/signin', '/signup']) {
      await stranger.open(path);
      expect(stranger.attributes('[autofocus]', 'name'), path).to.deep.equal(['email']);
    }
    // An error comes first.
    await stranger.open('/signin');
    stranger.fillIn({ Email: 'nobody@example.com', Password: 'wrong' });
    await stranger.press('Sign in');
    expect(stranger.attributes('[autofocus]', 'role')[0]).to.equal('alert');
  });

  it('show the raw content where the fields cannot hold it', async () => {
    const { browser } = owner;
    const content = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\n';
    const { id } = await owner.store({ name: 'Ann', type: 'vcard', content });
    const save = async (fields: Record<string, string>) => {
      await browser.open(`/codes/${id}/edit`);
      browser.fillIn(fields);
      await browser.press('Save changes');
      expect(owner.opened()).to.equal(id);
    };
    await save({ Name: 'Ann D' });
    expect(await owner.stored(id)).to.include({ name: 'Ann D', content });
    await browser.open(`/codes/${id}/edit`);
    await save({ Content: String(browser.value('Content')).replace('FN:Ann', 'FN:Bob') });
    expect(await owner.stored(id)).to.include({ content: content.replace('FN:Ann', 'FN:Bob') });
  });

  it('do not save invalid input: each error is at its field, by the rules of the API, and the input stays', async () => {
    const { browser } = owner;
    await create('geo', {
      'Coordinates or map link': '91, 13.4',
      'Category (optional)': 'Shop',
      Name: '',
    });
    expect(browser.status).to.equal(400);
    expect(browser.text('#field-place-error')).to.match(
      /^Coordinates or map link must be coordinates, such as 51\.5007,/,
    );
    expect(browser.text('#field-name-error')).to.equal('Fill in this field.');
    expect(browser.count('.error')).to.equal(2);
    expect(browser.value('Coordinates or map link')).to.equal('91, 13.4');
    expect(browser.value('Category (optional)')).to.equal('Shop');
    expect(browser.text('title')).to.equal('Error: New code · Qrelay');
    expect(browser.text('[role=alert]')).to.equal('Not saved. Check the marked fields.');
    await create('url', { 'Web address': 'javascript:alert(1)' });
    expect(browser.text('#field-content-error')).to.equal('This is not a web address. Try example.com/menu.');
  });

  it('ignore invalid values in the address', async () => {
    const { browser } = owner;
    const shown = async (query: string) => {
      await browser.open(`/codes/new?${query}`);
      return ['Name', 'Category (optional)', 'Foreground', 'Error correction', 'Expires (optional)'].map(
        browser.value,
      );
    };
    const bad = 'size=5&foregroundColor=red&errorCorrection=X&name=a&name=b&category=%00&lastDay=2031-02-30';
    expect(await shown(bad)).to.deep.equal(['', '', '#1a1410', 'M', '']);
  });

  it('show a sample that says so until the code exists', async () => {
    const { browser } = owner;
    await browser.open('/codes/new');
    expect(browser.text('.stage')).to.contain('A sample: the code gets its own picture when you create it.');
    const [source = ''] = browser.attributes('#design-preview', 'src');
    await browser.open(source);
    expect(browser.headers.get('Content-Type')).to.match(/^image\/svg/);
  });

  it('create a code with its colors, shapes and logo, and the photo and logo of its page', async () => {
    const { browser } = owner;
    const image = (name: string) => new File([new Uint8Array(png())], name, { type: 'image/png' });
    const id = await create('vcard', {
      'Full name': 'Ann Doe',
      Foreground: '#102060',
      Modules: 'dots',
      Logo: image('logo.png'),
      'Photo (optional)': image('ann.png'),
      'Logo of the page (optional)': image('page.png'),
      'What the logo shows (optional)': 'Doe Ltd',
    });
    expect(browser.path).to.equal(`/codes/${id}/ready`);
    expect(browser.text('h1')).to.equal('New is ready');
    expect(await owner.stored(id)).to.include({ foregroundColor: '#102060' });
    const design = (await owner.api(`/qrcodes/${id}/design`)).body;
    expect(design).to.include({ moduleShape: 'dots' });
    expect(design.logo).to.be.a('string');
    expect(await service.db('code_files').where({ code_id: id }).first('kind')).to.deep.equal({
      kind: 'photo',
    });
    expect((await owner.api(`/qrcodes/${id}/page/logo`)).body).to.include({ alt: 'Doe Ltd' });
  });

  it('say where a file has to be chosen again, because browsers do not keep it', async () => {
    const { browser } = owner;
    const image = (name: string) => new File([new Uint8Array(png())], name, { type: 'image/png' });
    const files = { Logo: image('logo.png'), 'Photo (optional)': image('ann.png') };
    await create('vcard', { 'Full name': 'Ann Doe', Name: '', ...files });
    expect(browser.status).to.equal(400);
    expect(browser.text('.notice')).to.equal('Not saved. Check the marked fields. Choose the files again.');
    for (const name of ['logo', 'photo'])
      expect(browser.text(`#field-${name}-error`)).to.equal('Choose the file again.');
    expect(browser.text('#field-pageLogo-error')).to.equal('');
    // Another type is another page. Only contacts have a photo.
    const form = new FormData();
    for (const name of ['csrfToken', 'type'])
      form.set(name, browser.attributes(`.code-form [name=${name}]`, 'value')[0] ?? '');
    for (const name of ['logo', 'photo']) form.set(name, image(`${name}.png`));
    const answer = await fetch(`${service.url}/codes/new?type=wifi&switch`, {
      method: 'POST',
      headers: { Cookie: [...browser.cookies].map((each) => each.join('=')).join('; ') },
      body: form,
    });
    const switched = await answer.text();
    expect(answer.status).to.equal(200);
    expect(switched).to.contain('id="field-logo-error"').and.to.contain('Choose the files again.');
    expect(switched).to.not.contain('field-photo');
  });

  it('create nothing where phones could not read the code, keep what was typed, and say what to change', async () => {
    const { browser } = owner;
    const before = (await owner.api('/qrcodes')).body.data.length as number;
    await create('text', { Text: 'Hello', Name: 'Pale', Foreground: '#dddddd', 'Eye frames': 'leaf' });
    expect(browser.status).to.equal(400);
    expect(browser.text('#field-foregroundColor-error')).to.match(/^Choose a darker foreground/);
    expect(['Text', 'Name', 'Eye frames'].map(browser.value)).to.deep.equal(['Hello', 'Pale', 'leaf']);
    expect((await owner.api('/qrcodes')).body.data).to.have.length(before);
    browser.fillIn({ Foreground: '#202020', Frame: 'band' });
    await browser.press('Create QR code');
    expect(browser.text('#field-frameText-error')).to.equal(
      'Enter a text for the frame, or choose no frame.',
    );
    browser.fillIn({ 'Frame text': 'Scan me' });
    await browser.press('Create QR code');
    expect((await owner.api(`/qrcodes/${owner.opened()}/design`)).body).to.include({
      eyeFrameShape: 'leaf',
      frameText: 'Scan me',
    });
  });

  it('start from a template, and have the default one chosen', async () => {
    const { browser, api } = owner;
    const body = { name: 'Leaves', eyeFrameShape: 'leaf', isDefault: true };
    const { id: styleId } = (await api('/styles', { method: 'POST', body })).body as { id: string };
    await browser.open('/codes/new?type=text');
    expect(browser.value('Eye frames')).to.equal('leaf');
    await browser.follow('Soft');
    expect([browser.path, browser.value('Eye frames')]).to.deep.equal([
      '/codes/new?type=text&preset=soft',
      'rounded',
    ]);
    await browser.follow('Leaves');
    expect(browser.value('Eye frames')).to.equal('leaf');
    await api(`/styles/${styleId}`, { method: 'DELETE' });
    browser.fillIn({ Text: 'Hello', Name: 'Leaf' });
    await browser.press('Create QR code');
    expect(browser.text('[role=alert]')).to.match(/^Not saved\. The template that this form was filled with/);
    await browser.press('Create QR code');
    expect((await api(`/qrcodes/${owner.opened()}/design`)).body).to.include({ eyeFrameShape: 'leaf' });
  });

  it('have the share page of the stored code beside them, without links and scripts', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ type: 'phone', content: 'tel:+442079460000', name: 'Desk' });
    await browser.open(`/codes/${id}/edit`);
    const screen = parseHtml(browser.attributes('#phone iframe', 'srcdoc')[0] ?? '');
    expect(selectAll(screen, 'h1, a.button').map(textOf)).to.deep.equal(['Desk', 'Call']);
    expect(selectAll(screen, '[href], script')).to.deep.equal([]);
  });

  it('show until when the code works, and reject a last day in the past', async () => {
    const { browser } = owner;
    const hint = async (path: string) => {
      await browser.open(path);
      return browser.text('#field-lastDay-hint');
    };
    expect(await hint('/codes/new?type=text')).to.equal('Empty: the code works as long as it is used.');
    expect(browser.value('Expires (optional)')).to.equal('');
    await create('text', { Text: 'Hello', 'Expires (optional)': '2020-01-31' });
    expect(browser.texts('.error')).to.deep.equal(['This day is over. Choose a day from today on.']);
    browser.fillIn({ 'Expires (optional)': '2031-12-31' });
    await browser.press('Create QR code');
    const id = owner.opened();
    expect(await owner.stored(id)).to.include({ expiresAt: '2032-01-01T00:00:00.000Z' });
    await browser.open(`/codes/${id}`);
    expect(browser.texts('.facts > div')).to.include('ExpiresDec 31, 2031, 11:59 PM UTCExpire now');
    expect(await hint(`/codes/${id}/edit`)).to.equal(
      'The code works through the end of this day (UTC). Choose a later day to renew it, or none: it then works as long as it is used.',
    );
    const body = { expiresAt: '2031-12-31T09:30:00.000Z' };
    await owner.api(`/qrcodes/${id}`, { method: 'PATCH', body });
    expect(await hint(`/codes/${id}/edit`)).to.equal(
      'The code works until 9:30 AM UTC on this day. Choose a later day to renew it, or none: it then works as long as it is used.',
    );
  });

  it('lead to a page that downloads the code in any size, and names a size that cannot be', async () => {
    const { browser } = owner;
    const id = await create('url', { 'Web address': 'example.com' });
    const path = `/codes/${id}/ready`;
    expect(browser.path).to.equal(path);
    const download = async (fields: Record<string, string>) => {
      await browser.open(path);
      browser.fillIn(fields);
      await browser.press('Download');
      return browser;
    };
    await download({ Format: 'pdf', 'Width in millimeters': '30' });
    expect(browser.headers.get('Content-Disposition')).to.match(/^attachment; .*New\.pdf/);
    expect(browser.bytes.toString('latin1')).to.match(/\/TrimBox ?\[0 0 85\.0\d* 85\.0\d*\]/);
    await download({ Format: 'png', 'Width in pixels': '1200' });
    expect(browser.bytes.readUInt32BE(16)).to.equal(1_200);
    await download({ Format: 'svg', Kind: 'content' });
    expect(browser.headers.get('Content-Disposition')).to.contain('New.static.svg');
    for (const size of ['127', '2049', '1e3', 'x'.repeat(10_000), '-5', '１２００']) {
      await download({ Format: 'png', 'Width in pixels': size });
      expect(browser.status, size).to.equal(400);
      expect(browser.text('#field-size-error')).to.equal('Enter a whole number from 128 to 2048.');
    }
    await download({ Format: 'pdf', 'Width in millimeters': '5' });
    expect(browser.text('#field-widthMm-error')).to.equal('Enter a number from 10 to 1000.');
    expect(browser.value('Width in millimeters')).to.equal('5');
  });
});

describe('The type of a code in its form', () => {
  let service: TestService;
  let client: FormClient;
  const email = 'types@example.com';

  before(async () => {
    service = await sharedService();
    client = await signedIn(service, email);
  });

  const stored = (id: string) => QrCode.query(service.db).findById(id).throwIfNotFound();
  const open = async (path: string) => (await client.get(path)).text();
  const versionIn = (html: string) => /name="version" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const sms = { type: 'sms', content: 'sms:+44207946?&body=Hi%20there' } as const;

  it('can be chosen, with what can be kept of the stored content, and is saved with the new content', async () => {
    const { id, shareToken } = await storeCode(service.db, email, sms);
    const form = await open(`/codes/${id}/edit?type=whatsapp`);
    expect(form).to.contain('value="+44207946"').and.contain('Hi there</textarea>').and.contain('Was SMS.');
    expect((await stored(id)).type).to.equal('sms');
    const fields = { type: 'whatsapp', number: '+44207946', message: 'Hi there', name: 'Test', ...look };
    const answer = await client.post(`/codes/${id}/edit`, { ...fields, version: versionIn(form) });
    expect(answer.status).to.equal(303);
    expect(await stored(id)).to.include({
      type: 'whatsapp',
      content: 'https://wa.me/44207946?text=Hi%20there',
      shareToken,
    });
  });

  it('keeps what was typed and not saved, and changes nothing until it is saved', async () => {
    const { id } = await storeCode(service.db, email, sms);
    const opened = await open(`/codes/${id}/edit`);
    const typed = {
      type: 'sms',
      number: '+491701',
      message: 'Typed',
      name: 'Renamed',
      category: 'Bar',
      ...look,
    };
    const version = versionIn(opened);
    const answer = await client.post(`/codes/${id}/edit?type=email&switch`, { ...typed, version });
    expect(answer.status).to.equal(200);
    const form = await answer.text();
    expect(form).to.contain('Typed</textarea>').and.contain('value="Renamed"').and.contain('value="Bar"');
    expect(versionIn(form)).to.equal(version);
    expect(await stored(id)).to.include(sms);
    const back = await client.post(`/codes/${id}/edit?type=sms&switch`, {
      type: 'email',
      to: 'ann@example.com',
      name: 'Renamed',
      ...look,
      version,
    });
    expect(await back.text())
      .to.contain('Hi there</textarea>')
      .and.contain('value="Renamed"');
  });

  it('keeps what was typed for a new code', async () => {
    await open('/codes/new');
    const answer = await client.post('/codes/new?type=phone&switch', {
      type: 'vcard',
      phone: '+491701',
      name: 'Front desk',
      lastDay: '2031-02-28',
      ...look,
    });
    expect(answer.status).to.equal(200);
    expect(await answer.text())
      .to.contain('value="+491701"')
      .and.contain('value="Front desk"')
      .and.contain('value="2031-02-28"');
  });

  it('rejects content that the new type does not take', async () => {
    const { id } = await storeCode(service.db, email, sms);
    await open(`/codes/${id}/edit?type=url`);
    const answer = await client.post(`/codes/${id}/edit`, {
      type: 'url',
      content: 'no address',
      name: 'Test',
      ...look,
    });
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.contain('This is not a web address');
    expect(await stored(id)).to.include(sms);
  });

  it('is a conflict where the content was changed elsewhere, and is taken over where only the type was', async () => {
    const { id } = await storeCode(service.db, email, sms);
    const version = versionIn(await open(`/codes/${id}/edit`));
    const changeElsewhere = () =>
      QrCode.query(service.db).findById(id).patch({ type: 'text', content: 'Elsewhere' });
    await changeElsewhere();
    const mine = { type: 'phone', number: '+491701', name: 'Test', ...look, version };
    const conflict = await client.post(`/codes/${id}/edit`, mine);
    expect(conflict.status).to.equal(409);
    expect(await stored(id)).to.include({ type: 'text', content: 'Elsewhere' });
    // This form changed the name only.
    const untouched = {
      type: 'sms',
      number: '+44207946',
      message: 'Hi there',
      name: 'Renamed',
      ...look,
      version,
    };
    expect((await client.post(`/codes/${id}/edit`, untouched)).status).to.equal(303);
    expect(await stored(id)).to.include({ type: 'text', content: 'Elsewhere', name: 'Renamed' });
  });
});
