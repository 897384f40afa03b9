import { expect } from 'chai';
import type { Locator, Route } from 'playwright-core';
import { scan } from '../../codes/image/zxing.ts';
import { eventually } from '../../support/eventually.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

inABrowser('Forms of QR codes', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  it('show a labeled sample that does not scan as a link until the code exists', async () => {
    await owner.page.goto('/codes/new');
    const picture = owner.page.getByRole('img', { name: 'Sample of a QR code' });
    const sample = await owner.page.request.get((await picture.getAttribute('src')) ?? '');
    expect(await sample.text()).to.contain('>SAMPLE</text>');
    for (const text of [await scan(await picture.screenshot()), await scan(await enlarged(picture))])
      expect(text?.toString() ?? 'Sample').to.match(/^Sample/);
    expect(await owner.page.getByText('This is a sample').isVisible()).to.equal(true);
    const code = await owner.store();
    await owner.page.goto(`/codes/${code.id}/edit`);
    const real = owner.page.getByRole('img', { name: 'Preview of the QR code' });
    expect((await scan(await real.screenshot()))?.toString()).to.match(new RegExp(`/r/${code.shareToken}$`));
    expect(await owner.page.getByText('This is a sample').count()).to.equal(0);
  });

  it('keep name, category and design when the type changes, and ignore invalid query values', async () => {
    await owner.page.goto('/codes/new');
    await owner.page.getByText('Advanced').click();
    await owner.fillIn({ Name: 'Kept & told', 'Category (optional)': 'Shop', 'Size in pixels': '300' });
    await owner.fillIn({ 'Last day (optional)': '2031-02-28' });
    await owner.page.getByLabel('Foreground').fill('#123456');
    await owner.page.getByLabel('Error correction').selectOption('H');
    await owner.page.getByRole('link', { name: 'Wi-Fi' }).click();
    await owner.page.getByLabel('Network name').waitFor();
    const shown = async () =>
      Promise.all(
        ['name', 'category', 'size', 'foregroundColor', 'errorCorrection', 'lastDay'].map((name) =>
          owner.page.locator(`#field-${name}`).inputValue(),
        ),
      );
    expect(await shown()).to.deep.equal(['Kept & told', 'Shop', '300', '#123456', 'H', '2031-02-28']);
    const bad = 'size=5&foregroundColor=red&errorCorrection=X&name=a&name=b&category=%00&lastDay=2031-02-30';
    await owner.page.goto(`/codes/new?${bad}`);
    expect(await shown()).to.deep.equal(['', '', '512', '#1a1410', 'M', '']);
  });

  it('change the type of a code with what was typed, without showing it in the address', async () => {
    const { page } = owner;
    const { id } = await owner.store({ type: 'sms', content: 'sms:+44207946?&body=Hi' });
    await page.goto(`/codes/${id}/edit`);
    await owner.fillIn({ 'Message (optional)': 'Typed', Name: 'Front desk' });
    await page.getByRole('link', { name: 'WhatsApp' }).click();
    await page.getByText('Was SMS.').waitFor();
    expect(new URL(page.url()).search).to.equal('?type=whatsapp&switch');
    expect(await page.getByLabel('Number').inputValue()).to.equal('+44207946');
    expect(await page.getByLabel('Message (optional)').inputValue()).to.equal('Typed');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.waitForURL(newCodePage);
    expect(await owner.stored(id)).to.include({
      type: 'whatsapp',
      content: 'https://wa.me/44207946?text=Typed',
      name: 'Front desk',
    });
  });

  it('save once when they are submitted twice', async () => {
    await owner.page.goto('/codes/new?type=text');
    await owner.fillIn({ Text: 'Sent twice', Name: 'Sent twice' });
    let sent = 0;
    owner.page.on('request', (request) => {
      // Previews are posted too.
      if (request.method() === 'POST' && request.url().endsWith('/codes/new')) sent += 1;
    });
    const button = owner.page.getByRole('button', { name: 'Create QR code' });
    await button.scrollIntoViewIfNeeded();
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    const click = () => owner.page.mouse.click(x + 5, y + 5);
    // The first request is held back until the second click.
    const clickAgain = async (route: Route) => {
      await click();
      await route.continue();
    };
    await owner.page.route('**/codes/new', clickAgain, { times: 1 });
    await click();
    await owner.page.waitForURL(newCodePage);
    expect(await site.service.db('qr_codes').where({ name: 'Sent twice' })).to.have.length(1);
    expect(sent).to.equal(1);
  });

  it('keep the input when the browser goes back', async () => {
    await owner.page.goto('/codes/new?type=url');
    await owner.fillIn({ 'Web address': 'https://example.com/typed', Name: 'Typed' });
    await owner.page.getByRole('link', { name: 'Account' }).click();
    await owner.page.goBack();
    expect(await owner.page.getByLabel('Web address').inputValue()).to.equal('https://example.com/typed');
    expect(await owner.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Typed');
  });

  it('have their buttons in view, right after the fields', async () => {
    await owner.page.setViewportSize({ width: 1200, height: 850 });
    await owner.page.goto('/codes/new');
    const { y = 0, height = 0 } = (await owner.page.locator('.form-end').boundingBox()) ?? {};
    expect(y + height).to.be.below(850);
  });

  it('preview the picture and its warnings while the design is chosen', async () => {
    await owner.page.goto('/codes/new');
    await owner.page.getByLabel('Foreground').fill('#eeeeee');
    const placeOf = async () => (await owner.page.getByLabel('Foreground').boundingBox())?.y;
    const place = await placeOf();
    await owner.page.getByText(/too similar for a scanner/).waitFor();
    expect(await placeOf()).to.equal(place);
    expect(await owner.page.locator('#warnings').textContent()).to.match(
      /Choose a darker foreground color\.$/,
    );
    expect(await owner.page.locator('#preview').getAttribute('src')).to.contain('foregroundColor=%23eeeeee');
    await expectAccessible(owner.page);
    await owner.page.getByLabel('Foreground').fill('#000000');
    await owner.page.getByText(/too similar/).waitFor({ state: 'detached' });
  });

  it('preview the design of the code in the colors of the form', async () => {
    const code = await owner.store();
    const body = { eyeFrameColor: '#123456' };
    expect(
      (await (await owner.api())(`/qrcodes/${code.id}/design`, { method: 'PUT', body })).status,
    ).to.equal(200);
    await owner.page.goto(`/codes/${code.id}/edit`);
    await owner.page.getByLabel('Foreground').fill('#654321');
    const preview = owner.page.locator('#preview');
    await eventually(async () =>
      expect(await preview.getAttribute('src')).to.contain('foregroundColor=%23654321'),
    );
    const address = String(await preview.getAttribute('src'));
    const drawn = await (await owner.page.request.get(address)).text();
    expect(drawn).to.include('#123456').and.to.include('#654321');
  });
});

/** As somebody sees it who looks closely. */
async function enlarged(picture: Locator): Promise<Buffer> {
  for (const side of ['width', 'height'])
    await picture.evaluate((image, name) => image.setAttribute(name, '700'), side);
  return picture.screenshot();
}
