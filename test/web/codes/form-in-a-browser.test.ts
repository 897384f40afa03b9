import { expect } from 'chai';
import type { Locator, Route } from 'playwright-core';
import { composeContent } from '../../../src/codes/content/content-fields.ts';
import { png } from '../../codes/files/logo-files.ts';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

/** What the forms do while they are filled in. What they contain and save is in form-pages.test.ts. */
inABrowser('The form of a code', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter({ viewport: { width: 1200, height: 850 } }));

  /** The share page in the preview. */
  const screen = () => owner.page.frameLocator('#phone iframe');
  const submit = (name: string) => owner.page.getByRole('button', { name }).click();
  const isDrawn = (picture: Locator) =>
    eventually(async () =>
      expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).to.be.above(0),
    );

  it('shows picture, warnings and destination while a new code is filled in, and keeps all of it with another type', async () => {
    const { page } = owner;
    await page.goto('/codes/new');
    const end = await page.locator('.form-end').boundingBox();
    expect((end?.y ?? 0) + (end?.height ?? 0), 'the buttons are in view').to.be.at.most(850);
    const picture = page.locator('#design-preview');
    for (const text of [await scan(await picture.screenshot()), await scan(await enlarged(picture))])
      expect(text?.toString() ?? 'Sample', 'no link').to.match(/^Sample/);

    const foreground = page.getByLabel('Foreground', { exact: true });
    // A service that is busy is asked again.
    owner.visitor.provoked.push(/503/);
    await page.route(/foregroundColor=%23eeeeee/, (route) => route.fulfill({ status: 503 }), { times: 1 });
    await foreground.fill('#eeeeee');
    const topOf = async () => (await foreground.boundingBox())?.y;
    const top = await topOf();
    await page.getByText(/Foreground color must be darker than the background/).waitFor();
    expect(await topOf()).to.equal(top);
    expect(await picture.getAttribute('src')).to.contain('foregroundColor=%23eeeeee');
    await expectAccessible(page);
    await foreground.fill('#123456');
    await page.getByText(/must be darker/).waitFor({ state: 'detached' });
    await page.getByText('Margin and error correction').click();
    await page.getByLabel('Error correction').selectOption('H');
    await page.getByRole('link', { name: 'Dots', exact: true }).click();
    expect(await foreground.inputValue(), 'a preset keeps the colors').to.equal('#123456');

    await owner.fillIn({
      'Web address': 'example.com/menu',
      Name: 'Kept & told',
      'Category (optional)': 'Shop',
    });
    const preset = (name: string) =>
      page.getByRole('group', { name: 'When it expires' }).getByRole('button', { name, exact: true });
    const day = page.getByLabel('Expires (optional)');
    await preset('1 week').press('Enter');
    const weekAhead = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    expect(await day.inputValue()).to.equal(weekAhead);
    expect(await preset('1 week').getAttribute('aria-pressed')).to.equal('true');
    await preset('None').click();
    expect([await day.inputValue(), await preset('1 week').getAttribute('aria-pressed')]).to.deep.equal([
      '',
      'false',
    ]);
    await owner.fillIn({ 'Expires (optional)': '2031-02-28' });
    await page.locator('#phone').getByText('https://example.com/menu').waitFor();
    // The browser's back button brings back what was typed.
    await page.getByRole('link', { name: 'Account' }).click();
    await page.goBack();
    expect(await page.getByLabel('Web address').inputValue()).to.equal('example.com/menu');

    await page.getByRole('link', { name: 'Wi-Fi' }).click();
    await owner.fillIn({ 'Network name': 'Guests', Password: 'let me in' });
    const shown = await Promise.all(
      ['name', 'category', 'foregroundColor', 'errorCorrection', 'lastDay'].map((name) =>
        page.locator(`#field-${name}`).inputValue(),
      ),
    );
    expect(shown).to.deep.equal(['Kept & told', 'Shop', '#123456', 'H', '2031-02-28']);
    // The code that joins the network.
    await isDrawn(screen().getByRole('img'));
    await submit('Create QR code');
    await page.waitForURL(newCodePage);
    const id = newCodePage.exec(page.url())?.[1] ?? '';
    expect(await owner.stored(id)).to.include({ type: 'wifi', foregroundColor: '#123456' });
    const { body } = await (await owner.api())(`/qrcodes/${id}/design`);
    expect(body).to.include({ moduleShape: 'dots' });
    await expectAccessible(page);
  });

  it('shows the share page while it is typed, runs nothing of it, and saves once when submitted twice', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=text');
    expect(await page.locator('#phone').textContent()).to.equal('Fill in the content to see it here.');
    const entries = await page.evaluate('history.length');
    expect(await page.locator(':focus').getAttribute('name')).to.equal('content');
    await owner.fillIn({ Text: 'Open 8 to 18', Name: 'Internal', 'Public title (optional)': 'Hours' });
    await screen().getByRole('heading', { name: 'Hours' }).waitFor();
    expect(await screen().locator('#text').textContent()).to.equal('Open 8 to 18');
    expect(await screen().getByRole('button', { name: 'Copy text' }).isVisible()).to.equal(true);
    // The style of the page is applied, as on a phone.
    const size = await screen()
      .locator('h1')
      .evaluate((h1) => getComputedStyle(h1).fontSize);
    expect(size).to.equal('26px');
    await expectAccessible(page);
    const hostile =
      '"></iframe><script>alert(1)</script><img src=https://evil.example/x.png onerror=alert(2)>';
    await owner.fillIn({ Text: hostile, 'Public title (optional)': hostile });
    await eventually(async () => expect(await screen().locator('#text').textContent()).to.equal(hostile));
    expect(await screen().locator('h1').textContent()).to.equal(hostile);
    expect(await page.locator('.phone').count()).to.equal(1);
    expect(await page.evaluate('history.length')).to.equal(entries);

    await owner.fillIn({ Text: 'Sent twice', Name: 'Sent twice', 'Public title (optional)': '' });
    let sent = 0;
    page.on('request', (request) => {
      // Previews are posted too.
      if (request.method() === 'POST' && request.url().endsWith('/codes/new')) sent += 1;
    });
    const button = page.getByRole('button', { name: 'Create QR code' });
    await button.scrollIntoViewIfNeeded();
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    const click = () => page.mouse.click(x + 5, y + 5);
    // The first request is held back until the second click.
    const clickAgain = async (route: Route) => {
      await click();
      await route.continue();
    };
    await page.route('**/codes/new', clickAgain, { times: 1 });
    await click();
    await page.waitForURL(newCodePage);
    expect(await site.service.db('qr_codes').where({ name: 'Sent twice' })).to.have.length(1);
    expect(sent).to.equal(1);
  });

  it('focuses its errors, and removes each when its field is valid, and the notice when none is left', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=geo');
    await owner.fillIn({ 'Coordinates or map link': 'nowhere', 'Category (optional)': 'x'.repeat(101) });
    await submit('Create QR code');
    const errors = () =>
      page.locator('.error').evaluateAll((notes) => notes.map(({ id }) => id.split('-')[1]));
    expect(await errors()).to.have.members(['place', 'name', 'category']);
    expect(await page.locator(':focus').textContent()).to.equal('Not saved. Check the marked fields.');
    await expectAccessible(page);
    const field = (name: string) => page.locator(`#field-${name}`);
    await field('name').fill('Harbor');
    await page.locator('#field-name-error').waitFor({ state: 'detached' });
    expect(await field('name').getAttribute('aria-invalid')).to.equal(null);
    expect(await field('name').getAttribute('aria-describedby')).to.equal('field-name-hint');
    expect(await errors()).to.have.members(['place', 'category']);
    // Another invalid value keeps an error, with its own message.
    await field('category').fill('\u202e');
    await page
      .locator('#field-category-error')
      .getByText('Category has invisible or control characters.')
      .waitFor();
    await field('category').fill('Harbors');
    await page.locator('#field-category-error').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').textContent()).to.equal('Not saved. Check the marked fields.');
    await field('place').fill('53.5503, 9.9920');
    await page.locator('.error').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).to.equal(0);
    expect(await page.locator('main > .notice').textContent()).to.equal('No errors left. Save to try again.');
    expect(await page.title()).to.equal('New code · Qrelay');
    // Checking has saved nothing.
    const { body } = await (await owner.api())('/qrcodes?type=geo');
    expect(body.data).to.deep.equal([]);
  });

  it('moves links up, by keyboard too', async () => {
    const { page } = owner;
    await page.goto('/codes/new?type=social');
    await owner.fillIn({ 'Address 1': 'https://a.example', 'Address 2 (optional)': 'https://b.example' });
    await owner.fillIn({ 'Label 2 (optional)': 'B', Name: 'Links' });
    await page.getByRole('button', { name: 'Move link 2 up' }).press('Enter');
    expect(await page.getByLabel('Address 1').inputValue()).to.equal('https://b.example');
    expect(await page.getByLabel('Label 1 (optional)').inputValue()).to.equal('B');
    expect(await page.locator(':focus').getAttribute('name')).to.equal('linkAddress1');
    await screen().locator('.links li').first().getByText('B', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('changes the type of a code with what was typed, without showing it in the address, and warns about numbers', async () => {
    const { page } = owner;
    const { id } = await owner.store({ type: 'sms', content: 'sms:+44207946?&body=Hi' });
    await page.goto(`/codes/${id}/edit`);
    await owner.fillIn({ 'Message (optional)': 'Typed', Name: 'Front desk' });
    await page.getByRole('link', { name: 'WhatsApp' }).click();
    await page.getByText('Was SMS.').waitFor();
    expect(new URL(page.url()).search).to.equal('?type=whatsapp&switch');
    expect(await page.getByLabel('Number').inputValue()).to.equal('+44207946');
    expect(await page.getByLabel('Message (optional)').inputValue()).to.equal('Typed');
    await page.getByRole('link', { name: 'Phone' }).click();
    await page.getByLabel('Message (optional)').waitFor({ state: 'detached' });
    const caution = page.locator('#field-number-caution');
    await owner.fillIn({ Number: '030 1234567' });
    expect(await caution.textContent()).to.match(/^Scanners abroad cannot call this number/);
    await expectAccessible(page);
    await owner.fillIn({ Number: '+49 30 1234567' });
    expect(await caution.isVisible()).to.equal(false);
    await submit('Save changes');
    await page.waitForURL(newCodePage);
    expect(await owner.stored(id)).to.include({
      type: 'phone',
      content: 'tel:+49301234567',
      name: 'Front desk',
    });
  });

  it('has the photo of a contact and the logo and color of its page in the preview, while the code is private too', async () => {
    const { page } = owner;
    const { id } = await owner.store({
      type: 'vcard',
      content: composeContent('vcard', { contactName: 'Ann Doe' }),
    });
    const api = await owner.api();
    const sent = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    expect((await api(`/qrcodes/${id}/photo`, sent)).status).to.equal(200);
    expect((await api(`/qrcodes/${id}/page/logo?alt=Our%20logo`, sent)).status).to.equal(200);
    await api(`/qrcodes/${id}/page`, { method: 'PATCH', body: { color: '#7a1fa2' } });
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    const expectPictures = async () => {
      for (const picture of [screen().getByRole('img', { name: 'Our logo' }), screen().locator('img.photo')])
        await isDrawn(picture);
      const button = screen().locator('a.button').first();
      const color = await button.evaluate((each) => getComputedStyle(each).backgroundColor);
      expect(color).to.equal('rgb(122, 31, 162)');
    };
    await page.goto(`/codes/${id}/edit`);
    await expectPictures();
    await owner.fillIn({ 'Full name': 'Anna Doe' });
    await screen().getByRole('heading', { name: 'Anna Doe' }).waitFor();
    await expectPictures();
    // An owner's color promises less contrast.
    await page.locator('#field-hasPageColor').uncheck();
    await page.getByText('More phones and emails').click();
    await page.getByText('Address and note').click();
    await owner.fillIn({ 'Full name': 'Ann D' });
    await screen().getByRole('heading', { name: 'Ann D', exact: true }).waitFor();
    await expectAccessible(page);
    // Another type has no photo.
    await page.goto(`/codes/${id}/edit?type=text`);
    await owner.fillIn({ Text: 'Hello' });
    await screen().getByText('Hello').waitFor();
    await screen().getByRole('img', { name: 'Our logo' }).waitFor();
    expect(await screen().locator('img').count()).to.equal(1);
  });

  it('shows a photo and a page logo that are chosen and not sent yet', async () => {
    const { page } = owner;
    const posted: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/codes/preview')) posted.push(request.postData() ?? '');
    });
    await page.goto('/codes/new?type=vcard');
    await owner.fillIn({ 'Full name': 'Ann', 'Public title (optional)': 'Ann at work' });
    await screen().getByRole('heading', { name: 'Ann at work' }).waitFor();
    await page.getByText('Name, line, color and logo of the page').click();
    const photo = { name: 'ann.png', mimeType: 'image/png', buffer: png(600, 300) };
    await page.getByLabel('Photo (optional)').setInputFiles(photo);
    await isDrawn(screen().locator('img.photo'));
    const sides = await screen()
      .locator('img.photo')
      .evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => [naturalWidth, naturalHeight]);
    expect(sides, 'the middle').to.deep.equal([256, 256]);
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>',
    );
    const logo = { name: 'ours.svg', mimeType: 'image/svg+xml', buffer: drawing };
    await page.getByLabel('Logo of the page (optional)').setInputFiles(logo);
    await isDrawn(screen().getByRole('img', { name: 'Ann at work' }));
    expect(posted.join('')).to.not.match(/PNG|svg|object/);
    await page.getByLabel('Photo (optional)').setInputFiles([]);
    await eventually(async () => expect(await screen().locator('img.photo').count()).to.equal(0));
  });

  it('fits the narrowest phone', async () => {
    const { page } = await site.visitAs(owner.email, narrowPhone);
    const { id } = await owner.store({ name: `رمز ${'x'.repeat(60)}`, category: 'y'.repeat(80) });
    for (const path of ['/codes/new?type=geo', `/codes/${id}/edit`]) {
      await page.goto(path);
      expect(await isTooWide(page), path).to.equal(false);
    }
    await expectAccessible(page);
  });

  it('makes a code with a logo and colors, and downloads it for print, in at most 8 clicks, and no page moves while it loads', async () => {
    await owner.enter({ viewport: { width: 1280, height: 900 } });
    const { page } = owner;
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        const shifts = list.getEntries() as unknown as {
          value: number;
          hadRecentInput: boolean;
          sources: { node: Element | null }[];
        }[];
        for (const { value, hadRecentInput, sources } of shifts)
          if (!hadRecentInput)
            document.documentElement.dataset['shift'] =
              `${value} of ${sources.map(({ node }) => node?.outerHTML.slice(0, 100)).join()} at ${location.pathname}`;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto('/codes');
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    const expectStill = async () =>
      expect(await page.locator('html').getAttribute('data-shift')).to.equal(null);
    await expectStill();
    await click(page.getByRole('link', { name: 'Create your first code' }));
    await page.waitForLoadState('networkidle');
    await expectStill();
    await click(page.getByLabel('Web address'));
    await page.keyboard.type('example.com/menu');
    await click(page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Menu');
    // The file is chosen in a window of the system, and so is the color.
    const choosing = page.waitForEvent('filechooser');
    await click(page.getByLabel('Logo', { exact: true }));
    await (await choosing).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
    clicks += 1;
    await page.getByLabel('Foreground', { exact: true }).fill('#102060');
    await eventually(async () =>
      expect(await page.locator('#design-preview').getAttribute('src')).to.match(/^blob:/),
    );
    await click(page.getByRole('button', { name: 'Create QR code' }));
    await page.waitForURL(/\/ready$/);
    await expectStill();
    const downloading = page.waitForEvent('download');
    await click(page.getByRole('button', { name: 'Download' }));
    expect((await downloading).suggestedFilename()).to.equal('Menu.pdf');
    expect(clicks).to.be.at.most(8);
    const id = newCodePage.exec(page.url())?.[1] ?? '';
    const { body } = await (await owner.api())(`/qrcodes/${id}/design`);
    expect(body.logo).to.be.a('string');
    expect(await owner.stored(id)).to.include({ foregroundColor: '#102060' });
  });

  describe('is filled in by keyboard, from the list to the file, in at most 45 key presses', () => {
    let presses = 0;
    const press = async (key: string) => {
      presses += 1;
      await owner.page.keyboard.press(key);
    };
    const focused = () =>
      owner.page.evaluate(() => {
        const { activeElement: at } = document;
        return at?.getAttribute('name') ?? at?.textContent?.trim() ?? '';
      });
    const tabTo = async (name: RegExp) => {
      for (let tries = 0; !name.test(await focused()); tries += 1) {
        if (tries > 60) throw new Error(`${name} is not reached`);
        await press('Tab');
      }
    };
    /** The focus is on what most people want: the format that is chosen, and the button, are a key away. */
    async function download(): Promise<void> {
      await owner.page.waitForURL(/\/ready$/);
      await eventually(async () => expect(await focused()).to.equal('Download'));
      const downloading = owner.page.waitForEvent('download');
      await press('Enter');
      expect((await downloading).suggestedFilename()).to.equal('Menu.pdf');
      expect(presses).to.be.at.most(45);
    }

    beforeEach(async () => {
      await owner.enter({ viewport: { width: 1280, height: 900 } });
      await owner.store();
      await owner.page.goto('/codes');
      presses = 0;
    });

    it('with the text that is typed', async () => {
      const { keyboard } = owner.page;
      const type = async (text: string) => {
        presses += text.length;
        await keyboard.type(text);
      };
      await press('Tab');
      await press('Enter');
      await tabTo(/^New code$/);
      await press('Enter');
      await owner.page.waitForURL('**/codes/new');
      await eventually(async () => expect(await focused()).to.equal('content'));
      await type('x.example');
      await tabTo(/^name$/);
      await type('Menu');
      // As in every form, the Enter key in a field submits it.
      await press('Enter');
      await download();
    });

    it('with a color and a logo, by the Tab key alone', async () => {
      const { page } = owner;
      await tabTo(/^New code$/);
      await press('Enter');
      await page.waitForURL('**/codes/new');
      await eventually(async () => expect(await focused()).to.equal('content'));
      await page.keyboard.type('x.example');
      await tabTo(/^name$/);
      await page.keyboard.type('Menu');
      await tabTo(/^foregroundColor$/);
      await page.getByLabel('Foreground', { exact: true }).fill('#102060');
      await tabTo(/^logo$/);
      // The space key opens the browser's own dialog, which a browser without windows does not always have.
      presses += 1;
      const input = page.locator('input[name="logo"]:focus');
      await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
      await tabTo(/^Create QR code$/);
      await press('Enter');
      await download();
    });
  });

  it('keeps a chosen file where another field is wrong', async () => {
    await owner.enter({ viewport: { width: 1280, height: 900 } });
    const { page } = owner;
    await page.goto('/codes/new');
    await page.getByLabel('Web address').fill('example.com/menu');
    const previewed = page.waitForRequest((request) => request.url().endsWith('/codes/preview'));
    await page
      .getByLabel('Logo', { exact: true })
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
    expect((await previewed).postData()).to.not.contain('File');
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.locator('#field-name-error').waitFor();
    await expectAccessible(page);
    expect(await page.locator('.notice').textContent()).to.equal('Not saved. Check the marked fields.');
    expect(await page.evaluate('document.activeElement.name')).to.equal('name');
    await page.keyboard.type('Menu');
    await page.locator('#field-name-error').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(/\/ready$/);
    const id = newCodePage.exec(page.url())?.[1] ?? '';
    const { body } = await (await owner.api())(`/qrcodes/${id}/design`);
    expect(body.logo).to.be.a('string');
  });
});

/** As somebody sees it who looks closely. */
async function enlarged(picture: Locator): Promise<Buffer> {
  for (const side of ['width', 'height'])
    await picture.evaluate((image, name) => image.setAttribute(name, '700'), side);
  return picture.screenshot();
}
