import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { CodeType } from '../../../src/codes/content/content-types.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

/** The input of forms by label, and the content it makes. form-types.test.ts sends the forms of all types. */
const typed: Partial<Record<CodeType, { fields: Record<string, string>; content: string }>> = {
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
};

inABrowser('Forms of QR codes by type', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  const submit = (name: string) => owner.page.getByRole('button', { name }).click();
  const status = () => owner.page.getByRole('status').first().textContent();

  it('create a code and save its changes', async () => {
    const { page } = owner;
    await page.goto('/codes/new');
    await owner.fillIn({ 'Web address': 'https://example.com/', Name: 'Menu' });
    await submit('Create QR code');
    await page.waitForURL(newCodePage);
    expect(await status()).to.equal('Code created. Download it or copy its link.');
    const id = newCodePage.exec(page.url())?.[1] ?? '';
    await page.goto(`/codes/${id}/edit`);
    await expectAccessible(page);
    await owner.fillIn({ Name: 'Another name' });
    await submit('Save changes');
    await page.waitForURL(`**/codes/${id}`);
    expect(await status()).to.equal('Changes saved.');
    expect(await owner.stored(id)).to.include({ name: 'Another name', content: 'https://example.com/' });
  });

  for (const [type, { fields, content }] of Object.entries(typed)) {
    it(`of type ${type} are created and edited in the same form`, async () => {
      const { page } = owner;
      await page.goto(`/codes/new?type=${type}`);
      await expectAccessible(page);
      await owner.fillIn({ ...fields, Name: `My ${type}`, 'Category (optional)': 'Shop' });
      const id = newCodePage.exec(await sendForm(page))?.[1] ?? '';
      const code = await owner.stored(id);
      expect(code).to.include({ name: `My ${type}`, type, content, category: 'Shop', size: 512 });

      await page.goto(`/codes/${id}/edit`);
      for (const label of Object.keys(fields))
        expect(await page.getByLabel(label, { exact: true }).inputValue()).not.to.equal('');
      await owner.fillIn({ Name: 'Another name' });
      expect(await sendForm(page)).to.match(new RegExp(`/codes/${id}$`));
      const changed = await owner.stored(id);
      expect(changed).to.deep.equal({ ...code, name: 'Another name', updatedAt: changed['updatedAt'] });
    });
  }

  it('keep several phones, an address and a note of a contact', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=vcard');
    await page.getByText('More phones and emails').click();
    await page.getByText('Address and note').click();
    await owner.fillIn({ 'Full name': 'Ann', Name: 'Ann', 'Phone (optional)': '+4930123' });
    await owner.fillIn({ 'Phone 2 (optional)': '+4930124', 'Email 2 (optional)': 'a@example.com' });
    await page.getByLabel('Type of phone 2').selectOption('Fax');
    await owner.fillIn({
      'Street (optional)': 'Elm; 1',
      'City (optional)': 'Bath',
      'Note (optional)': 'Ring\ntwice',
    });
    await expectAccessible(page);
    const id = newCodePage.exec(await sendForm(page))?.[1] ?? '';
    const { content } = await owner.stored(id);
    expect(String(content).split('\r\n').slice(4, -2)).to.deep.equal([
      'TEL:+4930123',
      'TEL;TYPE=FAX:+4930124',
      'EMAIL:a@example.com',
      'ADR:;;Elm\\; 1;Bath;;;',
      'NOTE:Ring\\ntwice',
    ]);
    await page.goto(`/codes/${id}/edit`);
    expect(await page.getByLabel('Note (optional)').inputValue()).to.equal('Ring\ntwice');
    expect(await page.getByLabel('Street (optional)').isVisible()).to.equal(true);
  });

  it('move a link up, by keyboard too', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=social');
    await owner.fillIn({ 'Address 1': 'https://a.example', 'Address 2 (optional)': 'https://b.example' });
    await owner.fillIn({ 'Label 2 (optional)': 'B', Name: 'Links' });
    await page.getByRole('button', { name: 'Move link 2 up' }).press('Enter');
    expect(await page.getByLabel('Address 1').inputValue()).to.equal('https://b.example');
    expect(await page.getByLabel('Label 1 (optional)').inputValue()).to.equal('B');
    expect(await page.locator(':focus').getAttribute('name')).to.equal('linkAddress1');
    await page
      .frameLocator('#phone iframe')
      .locator('.links li')
      .first()
      .getByText('B', { exact: true })
      .waitFor();
  });

  it('accept a map link as a place', async () => {
    await owner.page.goto('/codes/new?type=geo');
    await owner.fillIn({
      'Coordinates or map link': 'https://www.google.com/maps/@53.5503,9.9920,17z',
      Name: 'Harbor',
    });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    await owner.page.waitForURL(newCodePage);
    const id = newCodePage.exec(owner.page.url())?.[1] ?? '';
    expect(await owner.stored(id)).to.include({ content: 'geo:53.5503,9.992?q=53.5503,9.992' });
  });

  it('warn about a number without a country code, and save it', async () => {
    await owner.page.goto('/codes/new?type=phone');
    const caution = owner.page.locator('#field-number-caution');
    const words = 'Scanners abroad cannot call this number: start with + and the country code.';
    await owner.fillIn({ Number: '030 1234567', Name: 'Desk' });
    expect(await caution.textContent()).to.equal(words);
    await expectAccessible(owner.page);
    await owner.fillIn({ Number: '+49 30 1234567' });
    expect(await caution.isVisible()).to.equal(false);
    await owner.fillIn({ Number: '030 1234567' });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    await owner.page.waitForURL(newCodePage);
    expect(await owner.page.locator('.code-side .notice').textContent()).to.contain(words);
    await owner.page.goto(`${owner.page.url()}/edit`);
    expect(await caution.textContent()).to.equal(words);
  });

  it('show the raw content where the fields cannot hold it', async () => {
    const content = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\n';
    const { id } = await owner.store({ name: 'Ann', type: 'vcard', content });
    await owner.page.goto(`/codes/${id}/edit`);
    await owner.fillIn({ Name: 'Ann D' });
    await owner.page.getByRole('button', { name: 'Save changes' }).click();
    await owner.page.waitForURL(`**/codes/${id}`);
    expect(await owner.stored(id)).to.include({ name: 'Ann D', content });
    await owner.page.goto(`/codes/${id}/edit`);
    const raw = owner.page.getByLabel('Content');
    await raw.fill((await raw.inputValue()).replace('FN:Ann', 'FN:Bob'));
    await owner.page.getByRole('button', { name: 'Save changes' }).click();
    await owner.page.waitForURL(`**/codes/${id}`);
    expect(await owner.stored(id)).to.include({ content: content.replace('FN:Ann', 'FN:Bob') });
  });

  it('can be created and edited without JavaScript', async () => {
    await owner.enter({ javaScriptEnabled: false });
    await owner.page.goto('/codes/new');
    await owner.page.getByRole('link', { name: 'Wi-Fi' }).click();
    await owner.fillIn({ 'Network name': 'Guests', Password: 'let me in', Name: 'Wi-Fi' });
    await owner.page.getByLabel('The network is hidden').check();
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    await owner.page.waitForURL(newCodePage);
    const id = newCodePage.exec(owner.page.url())?.[1] ?? '';
    expect(await owner.stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;H:true;;' });
    await owner.page.goto(`/codes/${id}/edit`);
    await owner.page.getByLabel('The network is hidden').uncheck();
    await owner.page.getByRole('button', { name: 'Save changes' }).click();
    await owner.page.waitForURL(`**/codes/${id}`);
    expect(await owner.stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;;' });
    // Controls that need a script are hidden.
    expect(await owner.page.locator('[data-copy]').count()).to.equal(1);
    expect(await owner.page.locator('[data-copy]').isVisible()).to.equal(false);
  });
});

/** What the form of the page has, as its button sends it. Gives the address it leads to, which takes long to show. */
function sendForm(page: Page): Promise<string> {
  return page.locator('form:has(#field-name)').evaluate(async (form) => {
    const body = new URLSearchParams(new FormData(form as HTMLFormElement) as never);
    return (await fetch((form as HTMLFormElement).action, { method: 'POST', body })).url;
  });
}
