import { expect } from 'chai';
import { composeContent } from '../../../src/codes/content/content-fields.ts';
import { png } from '../../codes/files/logo-files.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { eventually } from '../../support/eventually.ts';
import { signedIn } from '../../support/form-client.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

inABrowser('The preview in the form of a code', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  const screen = () => owner.page.frameLocator('#phone iframe');

  it('shows the share page while it is typed, and adds nothing to the history', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=text');
    expect(await page.locator('#phone').textContent()).to.equal('Fill in the content to see it here.');
    const entries = await page.evaluate('history.length');
    await owner.fillIn({ Text: 'Open 8 to 18', Name: 'Hours' });
    await screen().getByRole('heading', { name: 'Hours' }).waitFor();
    expect(await screen().locator('#text').textContent()).to.equal('Open 8 to 18');
    expect(await screen().getByRole('button', { name: 'Copy text' }).isVisible()).to.equal(true);
    await owner.fillIn({ Text: 'Open 9 to 17' });
    await screen().getByText('Open 9 to 17').waitFor();
    expect(await page.locator('.phone').count()).to.equal(1);
    expect(await page.evaluate('history.length')).to.equal(entries);
    // The style of the page is applied, as on a phone.
    expect(
      await screen()
        .locator('h1')
        .evaluate((h1) => getComputedStyle(h1).fontSize),
    ).to.equal('24px');
    await expectAccessible(page);
  });

  it('says where a link leads, and shows the code that joins a Wi-Fi network', async () => {
    const { page } = owner;
    await page.goto('/codes/new');
    await owner.fillIn({ 'Web address': 'example.com/menu' });
    await page.locator('#phone').getByText('https://example.com/menu').waitFor();
    await page.goto('/codes/new?type=wifi');
    await owner.fillIn({ 'Network name': 'Guests', Password: 'let me in' });
    const picture = screen().getByRole('img');
    await picture.waitFor();
    await eventually(async () =>
      expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).to.be.above(0),
    );
  });

  it('runs no script and loads nothing from hostile input', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=text');
    const hostile =
      '"></iframe><script>alert(1)</script><img src=https://evil.example/x.png onerror=alert(2)>';
    await owner.fillIn({ Text: hostile, Name: hostile });
    await eventually(async () => expect(await screen().locator('#text').textContent()).to.equal(hostile));
    expect(await screen().locator('h1').textContent()).to.equal(hostile);
  });

  it('has the size in millimeters, and the same in pixels under Advanced', async () => {
    const { page } = owner;
    await page.goto('/codes/new');
    expect(await page.getByLabel('Printed width in mm').inputValue()).to.equal('43');
    expect(await page.getByLabel('Size in pixels').isVisible()).to.equal(false);
    await owner.fillIn({ 'Printed width in mm': '30', 'Web address': 'example.com', Name: 'Sticker' });
    expect(await page.getByLabel('Size in pixels').inputValue()).to.equal('354');
    await page.getByText('Advanced').click();
    await owner.fillIn({ 'Size in pixels': '1000' });
    expect(await page.getByLabel('Printed width in mm').inputValue()).to.equal('85');
    await owner.fillIn({ 'Printed width in mm': '40' });
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);
    const id = newCodePage.exec(page.url())?.[1] ?? '';
    expect(await owner.stored(id)).to.include({ size: 472 });
  });

  const card = composeContent('vcard', { contactName: 'Ann Doe' });

  /** A private contact with a photo, and a logo and perhaps a color of its page. */
  async function storePictured(color: string | null): Promise<string> {
    const { id } = await owner.store({ type: 'vcard', content: card });
    const api = await owner.api();
    const sent = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    expect((await api(`/qrcodes/${id}/photo`, sent)).status).to.equal(200);
    expect((await api(`/qrcodes/${id}/page/logo?alt=Our%20logo`, sent)).status).to.equal(200);
    await api(`/qrcodes/${id}/page`, { method: 'PATCH', body: { color } });
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    return id;
  }

  async function expectPictures(): Promise<void> {
    for (const picture of [screen().getByRole('img', { name: 'Our logo' }), screen().locator('img.photo')])
      await eventually(async () =>
        expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).to.be.above(0),
      );
    const button = screen().locator('a.button').first();
    const color = await button.evaluate((each) => getComputedStyle(each).backgroundColor);
    expect(color).to.equal('rgb(122, 31, 162)');
  }

  it('has the photo of a contact and the logo and color of its page, also while it is private', async () => {
    const { page } = owner;
    await page.goto(`/codes/${await storePictured('#7a1fa2')}/edit`);
    await expectPictures();
    await owner.fillIn({ 'Full name': 'Anna Doe' });
    await screen().getByRole('heading', { name: 'Anna Doe' }).waitFor();
    await expectPictures();
  });

  it('has no photo where the form is for another type', async () => {
    const { page } = owner;
    await page.goto(`/codes/${await storePictured(null)}/edit`);
    await screen().locator('img.photo').waitFor();
    await expectAccessible(page);
    await page.goto(`${page.url()}?type=text`);
    await owner.fillIn({ Text: 'Hello' });
    await screen().getByText('Hello').waitFor();
    await screen().getByRole('img', { name: 'Our logo' }).waitFor();
    expect(await screen().locator('img').count()).to.equal(1);
  });

  it('is that of the stored code in an edit form without JavaScript, and has no links', async () => {
    await owner.enter({ javaScriptEnabled: false });
    const { id } = await owner.store({ type: 'phone', content: 'tel:+442079460000', name: 'Desk' });
    await owner.page.goto(`/codes/${id}/edit`);
    expect(await screen().locator('h1').textContent()).to.equal('Desk');
    expect(await screen().locator('a.button').textContent()).to.equal('Call');
    expect(await screen().locator('[href], script').count()).to.equal(0);
  });

  it('fits a narrow phone', async () => {
    await owner.enter({ viewport: { width: 320, height: 640 } });
    await owner.page.goto('/codes/new?type=text');
    expect(await isTooWide(owner.page)).to.equal(false);
  });
});

describe('The size in the form of a code', () => {
  const fields = {
    type: 'url',
    content: 'https://example.com/',
    name: 'Sticker',
    errorCorrection: 'M',
    foregroundColor: '#000000',
    backgroundColor: '#ffffff',
  };
  const sizeAfter = async (email: string, sent: Record<string, string>) => {
    const { db, url } = await sharedService();
    const client = await signedIn({ db, url }, email);
    await client.get('/codes/new');
    const answer = await client.post('/codes/new', { ...fields, ...sent });
    const text = await answer.text();
    const id = newCodePage.exec(answer.headers.get('Location') ?? '')?.[1];
    const row = id && ((await db('qr_codes').where({ id }).first('size')) as { size: number });
    return row ? row.size : (/id="field-sizeMm-error">([^<]*)/.exec(text)?.[1] ?? text);
  };

  it('follows what was changed without a script: the pixels if both were', async () => {
    const shown = { size: '512', sizeShown: '512' };
    expect(await sizeAfter('mm-1@example.com', { ...shown, sizeMm: '43' })).to.equal(512);
    expect(await sizeAfter('mm-2@example.com', { ...shown, sizeMm: '30' })).to.equal(354);
    expect(await sizeAfter('mm-3@example.com', { ...shown, size: '600', sizeMm: '43' })).to.equal(600);
    expect(await sizeAfter('mm-4@example.com', { ...shown, size: '600', sizeMm: '30' })).to.equal(600);
  });

  it('is refused outside of what a picture can have', async () => {
    for (const sizeMm of ['5', '500', '3.5', '-30', 'x'.repeat(10_000), '1e2'])
      expect(await sizeAfter('mm-5@example.com', { size: '512', sizeShown: '512', sizeMm })).to.equal(
        'Printed width in mm must be a whole number from 11 to 173.',
      );
  });
});
