import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { createCode, type NewCode, updateCode } from '../../../src/codes/codes.ts';
import { type CodeType, codeTypes, type QrCode } from '../../../src/codes/qr-code.ts';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide, type WebVisitor } from '../../support/web-visitor.ts';

/** The input of each form by label, and the content it makes. */
const typed: Record<CodeType, { fields: Record<string, string>; content: string }> = {
  url: { fields: { 'Web address': 'https://example.com/menu' }, content: 'https://example.com/menu' },
  text: { fields: { Text: 'Two\nlines' }, content: 'Two\nlines' },
  wifi: {
    fields: { 'Network name': 'Café; "guest"', Password: 'se:cret' },
    content: 'WIFI:T:WPA;S:Café\\; \\"guest\\";P:se\\:cret;;',
  },
  vcard: {
    fields: { 'Full name': 'Ann Doe', 'Organization (optional)': 'Doe, Ltd', 'Phone (optional)': '+4930123' },
    content:
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Doe\r\nN:;Ann Doe;;;\r\nORG:Doe\\, Ltd\r\nTEL:+4930123\r\nEND:VCARD\r\n',
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
    fields: { Links: 'https://example.com/a\nhttps://example.com/b' },
    content: 'https://example.com/a\nhttps://example.com/b',
  },
};

const inAYear = () => new Date(Date.now() + 365 * 86_400_000 - 1).toISOString().slice(0, 10);
/** The page of a new code. */
const made = /\/codes\/([0-9a-f-]{36})$/;

inABrowser('QR codes', sharedService, (site) => {
  let visitor: WebVisitor;
  let page: Page;
  let email: string;
  let users = 0;

  async function enter(options?: BrowserContextOptions): Promise<void> {
    email = `codes-${(users += 1)}@example.com`;
    visitor = await site.visitAs(email, options);
    ({ page } = visitor);
  }
  const api = async (): Promise<ApiClient> =>
    apiClient(site.service.url, await site.service.makeKey({ email }));

  async function store(changes: Partial<NewCode> = {}): Promise<QrCode> {
    const owner = await findOrCreateUser(site.service.db, email, new Date());
    const code: NewCode = {
      name: 'Menu',
      type: 'url',
      content: 'https://example.com/',
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
      size: 256,
      errorCorrection: 'M',
      category: null,
      ...changes,
    };
    return createCode(site.service.db, owner.id, code, 365, new Date());
  }
  async function stored(id: string): Promise<Record<string, unknown>> {
    return (await (await api())(`/qrcodes/${id}`)).body as Record<string, unknown>;
  }
  async function act(name: string, action: string): Promise<void> {
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.locator('summary').click();
    await row.getByText(action, { exact: true }).click();
  }
  const names = () => page.locator('tbody th bdi').allTextContents();
  const fill = async (fields: Record<string, string>) => {
    for (const [label, text] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(text);
  };

  describe('and their forms', () => {
    before(() => enter());

    for (const type of codeTypes) {
      it(`of type ${type} are created and edited in the same form`, async () => {
        const { fields, content } = typed[type];
        await page.goto(`/codes/new?type=${type}`);
        await expectAccessible(page);
        await fill({ ...fields, Name: `My ${type}`, 'Category (optional)': 'Shop' });
        await page.getByRole('button', { name: 'Create QR code' }).click();
        await page.waitForURL(made);
        const id = made.exec(page.url())?.[1] ?? '';
        expect(await page.getByRole('status').first().textContent()).to.equal(
          'Code created. Download it or copy its link.',
        );
        const code = await stored(id);
        expect(code).to.include({ name: `My ${type}`, type, content, category: 'Shop', size: 512 });

        await page.goto(`/codes/${id}/edit`);
        for (const label of Object.keys(fields))
          expect(await page.getByLabel(label, { exact: true }).inputValue()).not.to.equal('');
        await expectAccessible(page);
        await fill({ Name: 'Another name' });
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.waitForURL(`**/codes/${id}`);
        expect(await page.getByRole('status').first().textContent()).to.equal('Changes saved.');
        expect(await stored(id)).to.deep.equal({
          ...code,
          name: 'Another name',
          updatedAt: (await stored(id))['updatedAt'],
        });
      });
    }

    it('do not save invalid input: each error is at its field, and the input stays', async () => {
      visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5&/); // a size that has no picture
      await page.goto('/codes/new?type=geo');
      await fill({
        'Coordinates or map link': '91, 13.4',
        'Size in pixels': '5',
        'Category (optional)': 'Shop',
      });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      const errorOf = (name: string) => page.locator(`#field-${name}-error`).textContent();
      expect(await errorOf('place')).to.match(
        /^Coordinates or map link must be coordinates, such as 51\.5007,/,
      );
      expect(await errorOf('size')).to.equal('Size in pixels must be at least 128.');
      expect(await errorOf('name')).to.equal('Name must not be empty.');
      expect(await page.locator('.error').count()).to.equal(3);
      expect(await page.getByLabel('Coordinates').inputValue()).to.equal('91, 13.4');
      expect(await page.getByLabel('Category').inputValue()).to.equal('Shop');
      expect(await page.title()).to.equal('Error: New code · Qrelay');
      expect(await page.locator(':focus').textContent()).to.equal('Not saved. Check the marked fields.');
      await expectAccessible(page);
    });

    it('remove each error when its field is valid, and the notice when none is left', async () => {
      visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5&/);
      await page.goto('/codes/new?type=geo');
      await fill({ 'Coordinates or map link': 'nowhere', 'Size in pixels': '5' });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      const errors = () =>
        page.locator('.error').evaluateAll((notes) => notes.map(({ id }) => id.split('-')[1]));
      expect(await errors()).to.have.members(['place', 'name', 'size']);
      const field = (name: string) => page.locator(`#field-${name}`);
      await field('name').fill('Harbor');
      await page.locator('#field-name-error').waitFor({ state: 'detached' });
      expect(await field('name').getAttribute('aria-invalid')).to.equal(null);
      expect(await field('name').getAttribute('aria-describedby')).to.equal('field-name-hint');
      expect(await errors()).to.have.members(['place', 'size']);
      // Another invalid value keeps an error, with its own message.
      await field('size').fill('5000');
      await page.getByText('Size in pixels must be at most 2048.').waitFor();
      visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5000&/);
      await field('size').fill('500');
      await page.locator('#field-size-error').waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').textContent()).to.equal('Not saved. Check the marked fields.');
      await field('place').fill('53.5503, 9.9920');
      await page.locator('.error').first().waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').count()).to.equal(0);
      expect(await page.locator('main > .notice').textContent()).to.equal(
        'No errors left. Save to try again.',
      );
      expect(await page.title()).to.equal('New code · Qrelay');
      await expectAccessible(page);
      // Checking has saved nothing.
      const { body } = await (await api())('/qrcodes?type=geo');
      expect(body.data.map(({ name }: { name: string }) => name)).not.to.include('Harbor');
    });

    it('accept a map link as a place', async () => {
      await page.goto('/codes/new?type=geo');
      await fill({
        'Coordinates or map link': 'https://www.google.com/maps/@53.5503,9.9920,17z',
        Name: 'Harbor',
      });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      await page.waitForURL(made);
      const id = made.exec(page.url())?.[1] ?? '';
      expect(await stored(id)).to.include({ content: 'geo:53.5503,9.992?q=53.5503,9.992' });
    });

    it('warn about a number without a country code, and save it', async () => {
      await page.goto('/codes/new?type=phone');
      const caution = page.locator('#field-number-caution');
      const words = 'Scanners abroad cannot call this number: start with + and the country code.';
      await fill({ Number: '030 1234567', Name: 'Desk' });
      expect(await caution.textContent()).to.equal(words);
      await expectAccessible(page);
      await fill({ Number: '+49 30 1234567' });
      expect(await caution.isVisible()).to.equal(false);
      await fill({ Number: '030 1234567' });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      await page.waitForURL(made);
      expect(await page.locator('.code-side .notice').textContent()).to.contain(words);
      await page.goto(`${page.url()}/edit`);
      expect(await caution.textContent()).to.equal(words);
    });

    it('show a labeled sample that does not scan as a link until the code exists', async () => {
      await page.goto('/codes/new');
      const picture = page.getByRole('img', { name: 'Sample of a QR code' });
      const sample = await page.request.get((await picture.getAttribute('src')) ?? '');
      expect(await sample.text()).to.contain('>SAMPLE</text>');
      for (const text of [await scan(await picture.screenshot()), await scan(await enlarged(picture))])
        expect(text?.toString() ?? 'Sample').to.match(/^Sample/);
      expect(await page.getByText('This is a sample').isVisible()).to.equal(true);
      const code = await store();
      await page.goto(`/codes/${code.id}/edit`);
      const real = page.getByRole('img', { name: 'Preview of the QR code' });
      expect((await scan(await real.screenshot()))?.toString()).to.match(
        new RegExp(`/r/${code.shareToken}$`),
      );
      expect(await page.getByText('This is a sample').count()).to.equal(0);
    });

    it('keep name, category and design when the type changes, and ignore invalid query values', async () => {
      await page.goto('/codes/new');
      await fill({ Name: 'Kept & told', 'Category (optional)': 'Shop', 'Size in pixels': '300' });
      await fill({ 'Last day': '2031-02-28' });
      await page.getByLabel('Foreground').fill('#123456');
      await page.getByLabel('Error correction').selectOption('H');
      await page.getByRole('link', { name: 'Wi-Fi' }).click();
      await page.getByLabel('Network name').waitFor();
      const shown = async () =>
        Promise.all(
          ['name', 'category', 'size', 'foregroundColor', 'errorCorrection', 'lastDay'].map((name) =>
            page.locator(`#field-${name}`).inputValue(),
          ),
        );
      expect(await shown()).to.deep.equal(['Kept & told', 'Shop', '300', '#123456', 'H', '2031-02-28']);
      const bad =
        'size=5&foregroundColor=red&errorCorrection=X&name=a&name=b&category=%00&lastDay=2031-02-30';
      await page.goto(`/codes/new?${bad}`);
      expect(await shown()).to.deep.equal(['', '', '512', '#1a1410', 'M', inAYear()]);
    });

    it('save once when they are submitted twice', async () => {
      await page.goto('/codes/new?type=text');
      await fill({ Text: 'Sent twice', Name: 'Sent twice' });
      let sent = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST') sent += 1;
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
      await page.waitForURL(made);
      expect(await site.service.db('qr_codes').where({ name: 'Sent twice' })).to.have.length(1);
      expect(sent).to.equal(1);
    });

    it('keep the input when the browser goes back', async () => {
      await page.goto('/codes/new?type=url');
      await fill({ 'Web address': 'https://example.com/typed', Name: 'Typed' });
      await page.getByRole('link', { name: 'Account' }).click();
      await page.goBack();
      expect(await page.getByLabel('Web address').inputValue()).to.equal('https://example.com/typed');
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Typed');
    });

    it('show until when the code works, and reject a last day in the past', async () => {
      await page.goto('/codes/new?type=text');
      const lastDay = page.getByLabel('Last day');
      expect(await lastDay.inputValue()).to.equal(inAYear());
      expect(await page.locator('#field-lastDay-hint').textContent()).to.equal(
        'The code works through the end of this day (UTC). You can choose a later day at any time.',
      );
      await fill({ Text: 'Hello', Name: 'Until then', 'Last day': '2020-01-31' });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      expect(await page.locator('.error').allTextContents()).to.deep.equal([
        'Last day must be today or later.',
      ]);
      await lastDay.fill('2031-12-31');
      await page.getByRole('button', { name: 'Create QR code' }).click();
      await page.waitForURL(made);
      const id = made.exec(page.url())?.[1] ?? '';
      expect(await stored(id)).to.include({ expiresAt: '2032-01-01T00:00:00.000Z' });
      expect(await page.locator('.facts div', { hasText: 'Last day' }).textContent()).to.equal(
        'Last dayDec 31, 2031 (UTC)',
      );
      const hint = async () => {
        await page.goto(`/codes/${id}/edit`);
        return page.locator('#field-lastDay-hint').textContent();
      };
      expect(await hint()).to.equal(
        'The code works through the end of this day (UTC). Choose a later day to renew it.',
      );
      const body = { expiresAt: '2031-12-31T09:30:00.000Z' };
      await (await api())(`/qrcodes/${id}`, { method: 'PATCH', body });
      expect(await hint()).to.equal(
        'The code works until 9:30 AM UTC on this day. Choose a later day to renew it.',
      );
    });

    it('have their buttons in view, right after the fields', async () => {
      await page.setViewportSize({ width: 1200, height: 850 });
      await page.goto('/codes/new');
      const { y = 0, height = 0 } = (await page.locator('.form-end').boundingBox()) ?? {};
      expect(y + height).to.be.below(850);
    });

    it('apply the rules of the API', async () => {
      await page.goto('/codes/new');
      await fill({ 'Web address': 'javascript:alert(1)', Name: 'Bad' });
      await page.getByRole('button', { name: 'Create QR code' }).click();
      expect(await page.locator('#field-content-error').textContent()).to.equal(
        'This is not a web address. Try example.com/menu.',
      );
    });

    it('preview the picture and its warnings while the design is chosen', async () => {
      await page.goto('/codes/new');
      await page.getByLabel('Foreground').fill('#eeeeee');
      const placeOf = async () => (await page.getByLabel('Foreground').boundingBox())?.y;
      const place = await placeOf();
      await page.getByText(/too similar for a scanner/).waitFor();
      expect(await placeOf()).to.equal(place);
      expect(await page.locator('#warnings').textContent()).to.match(/Choose a darker foreground\.$/);
      expect(await page.locator('#preview').getAttribute('src')).to.contain('foregroundColor=%23eeeeee');
      await expectAccessible(page);
      await page.getByLabel('Foreground').fill('#000000');
      await page.getByText(/too similar/).waitFor({ state: 'detached' });
    });

    it('show the raw content where the fields cannot hold it', async () => {
      const content = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\n';
      const { id } = await store({ name: 'Ann', type: 'vcard', content });
      await page.goto(`/codes/${id}/edit`);
      await fill({ Name: 'Ann D' });
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.waitForURL(`**/codes/${id}`);
      expect(await stored(id)).to.include({ name: 'Ann D', content });
      await page.goto(`/codes/${id}/edit`);
      const raw = page.getByLabel('Content');
      await raw.fill((await raw.inputValue()).replace('FN:Ann', 'FN:Bob'));
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.waitForURL(`**/codes/${id}`);
      expect(await stored(id)).to.include({ content: content.replace('FN:Ann', 'FN:Bob') });
    });
  });

  describe('and their list', () => {
    beforeEach(() => enter());

    it('start with a page that explains what to do', async () => {
      await page.goto('/codes');
      expect(await page.title()).to.equal('QR codes · Qrelay');
      await expectAccessible(page);
      expect(await page.getByRole('link', { name: 'Create a key' }).getAttribute('href')).to.equal('/keys');
      await page.getByRole('link', { name: 'Create your first code' }).click();
      await page.waitForURL('**/codes/new');
    });

    it('can be duplicated, made private and public, and added to favorites', async () => {
      const code = await store({ name: 'Flyer', category: 'Shop' });
      await page.goto('/codes');
      await act('Flyer', 'Duplicate');
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Flyer (copy)');
      expect(await page.getByRole('status').first().textContent()).to.equal(
        'Copied. Change it and save, or delete it.',
      );
      // The copy already exists, so there is no Cancel button.
      expect(await page.locator('.form-end :is(a, button)').allTextContents()).to.deep.equal([
        'Save changes',
        'Keep it as it is',
        'Delete it',
      ]);
      await page.goto('/codes');
      expect(await names()).to.deep.equal(['Flyer (copy)', 'Flyer']);
      const shareStatus = async () =>
        (await fetch(`${site.service.url}/r/${code.shareToken}`, { redirect: 'manual' })).status;
      expect(await shareStatus()).to.equal(302);
      const original = page.locator('tbody tr').nth(1);
      await original.locator('summary').click();
      await original.getByText('Make private').click();
      await page.getByText('Private', { exact: true }).waitFor();
      expect(await shareStatus()).to.equal(404);
      const picture = await page.request.get(`/codes/${code.id}/picture.svg`);
      expect(picture.headers()['content-type']).to.contain('image/svg+xml');
      await original.locator('summary').click();
      await original.getByText('Make public').click();
      await page.getByText('Private', { exact: true }).waitFor({ state: 'detached' });
      expect(await shareStatus()).to.equal(302);
      await page.getByRole('button', { name: 'Favorite: Flyer', exact: true }).click();
      await page.locator('[aria-pressed=true]').waitFor();
      await page.reload();
      expect(await names()).to.deep.equal(['Flyer', 'Flyer (copy)']);
      await expectAccessible(page);
    });

    it('become favorites without leaving the page: focus and scroll position stay, and it is announced', async () => {
      for (let index = 0; index < 15; index += 1) await store({ name: `Code ${index}` });
      await page.setViewportSize({ width: 1000, height: 500 });
      await page.goto('/codes');
      await page.evaluate('window.isSamePage = true');
      const star = page.getByRole('button', { name: 'Favorite: Code 3', exact: true });
      await star.scrollIntoViewIfNeeded();
      const place = () => page.evaluate('scrollY');
      const before = await place();
      expect(before).to.be.above(100);
      const status = page.getByRole('status').last();
      for (const [isMarked, sign, words] of [
        ['true', '★', 'Added to your favorites.'],
        ['false', '☆', 'Removed from your favorites.'],
        ['true', '★', 'Added to your favorites.'],
      ] as const) {
        await star.press('Enter');
        await status.filter({ hasText: words }).waitFor();
        expect(await star.getAttribute('aria-pressed')).to.equal(isMarked);
        expect(await star.textContent()).to.equal(sign);
        expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Favorite: Code 3');
        expect(await place()).to.equal(before);
        const { body } = await (await api())('/qrcodes?favorite=true');
        expect(body.data).to.have.length(isMarked === 'true' ? 1 : 0);
      }
      expect(await page.evaluate('window.isSamePage')).to.equal(true);
      await expectAccessible(page);
    });

    it('show the error page where adding to favorites fails', async () => {
      await store({ name: 'Flyer' });
      await page.goto('/codes');
      visitor.provoked.push(/^404 .*\/favorite$/);
      await page.context().clearCookies({ name: '__Host-qrelay-session' });
      await page.getByRole('button', { name: 'Favorite: Flyer' }).click();
      await page.waitForURL('**/signin?ended');
    });

    it('become favorites without JavaScript too, and the page returns to their row', async () => {
      await enter({ javaScriptEnabled: false });
      const code = await store({ name: 'Flyer' });
      await store({ name: 'Other' });
      await page.goto('/codes');
      await page.getByRole('button', { name: 'Favorite: Flyer' }).click();
      expect(await page.getByRole('status').textContent()).to.equal('Added to your favorites.');
      expect(new URL(page.url()).hash).to.equal(`#code-${code.id}`);
      expect(await names()).to.deep.equal(['Flyer', 'Other']);
    });

    it('have a menu over the list, one at a time, until Escape or a click outside', async () => {
      await store({ name: 'First' });
      await store({ name: 'Second' });
      await page.goto('/codes');
      const height = () =>
        page.evaluate("document.querySelector('table.codes').getBoundingClientRect().height");
      const before = await height();
      const [one, two] = [page.locator('summary').nth(-2), page.locator('summary').last()];
      const open = () => page.locator('.menu[open]').count();
      await one.click();
      expect(await height()).to.equal(before);
      await page.keyboard.press('Escape');
      expect(await open()).to.equal(0);
      expect(await one.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
      await one.press('Enter');
      await two.press('Enter');
      expect(await open()).to.equal(1);
      await expectAccessible(page);
      await page.getByRole('heading', { name: 'QR codes' }).click();
      expect(await open()).to.equal(0);
    });

    it('never redirect to another site from their forms', async () => {
      const { id } = await store();
      await page.goto('/codes');
      const csrfToken = await page.locator('main [name=csrfToken]').first().inputValue();
      const backs = [
        'https://evil.test/',
        '//evil.test',
        '/codes/../x',
        '/codes#x',
        '/codes#code-1/../',
        '/codes\\@evil',
      ];
      for (const back of backs) {
        const form = { csrfToken, back, isFavorite: 'true' };
        const answer = await page.request.post(`/codes/${id}/favorite`, { form, maxRedirects: 0 });
        expect(answer.headers()['location'], back).to.equal('/codes');
      }
    });

    it('are deleted only after their name is typed', async () => {
      const { id } = await store({ name: 'Old flyer' });
      await page.goto('/codes');
      await act('Old flyer', 'Delete');
      await page.getByLabel('Type the name').fill('Old');
      await page.getByRole('button', { name: 'Delete' }).click();
      expect(await page.locator('.error').textContent()).to.equal('This is not the name of the code.');
      await expectAccessible(page);
      await page.getByLabel('Type the name').fill('Old flyer');
      expect(await page.locator('.error, [aria-invalid]').count()).to.equal(0);
      await page.getByRole('button', { name: 'Delete' }).click();
      expect(await page.getByRole('status').textContent()).to.equal('The code was deleted.');
      expect((await (await api())(`/qrcodes/${id}`)).status).to.equal(404);
    });

    it('can be searched by name, type and category', async () => {
      await store({ name: '100% cotton', category: 'Shop' });
      await store({ name: '100 cotton', type: 'text', content: 'x' });
      await page.goto('/codes');
      expect(await page.getByText('2 codes', { exact: true }).isVisible()).to.equal(true);
      await page.getByLabel('Search by name').fill('0% COT');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(await names()).to.deep.equal(['100% cotton']);
      expect(await page.getByText('1 found', { exact: true }).isVisible()).to.equal(true);
      await page.goto('/codes?type=text');
      expect(await names()).to.deep.equal(['100 cotton']);
      await page.getByLabel('Type').selectOption('');
      await page.getByLabel('Category').selectOption('Shop');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/codes?*category=Shop');
      expect(await names()).to.deep.equal(['100% cotton']);
      await page.getByRole('link', { name: 'Clear' }).click();
      await page.waitForURL('**/codes');
      expect(await names()).to.have.length(2);
      expect(await page.getByRole('link', { name: 'Clear' }).count()).to.equal(0);
      await page.goto('/codes?q=silk');
      expect(await page.getByRole('heading', { name: 'Nothing found' }).isVisible()).to.equal(true);
      await expectAccessible(page);
    });

    it('are listed 20 per page, favorites first, each once, forward and back', async () => {
      const codes: QrCode[] = [];
      for (let index = 0; index < 45; index += 1) codes.push(await store({ name: `Code ${index}` }));
      for (const code of codes.filter((_, index) => index % 2 === 0))
        await updateCode(site.service.db, code, { isFavorite: true }, new Date());
      const newestFirst = codes.map(({ name }) => name).toReversed();
      const isMarked = (name: string) => Number(name.split(' ')[1]) % 2 === 0;
      const wanted = [...newestFirst.filter(isMarked), ...newestFirst.filter((name) => !isMarked(name))];
      await page.goto('/codes');
      const seen = [await names()];
      for (let next = 0; next < 2; next += 1) {
        await page.goto((await page.getByRole('link', { name: 'Next page' }).getAttribute('href')) ?? '');
        seen.push(await names());
      }
      expect(seen.map((one) => one.length)).to.deep.equal([20, 20, 5]);
      expect(seen.flat()).to.deep.equal(wanted);
      expect(await page.getByRole('link', { name: 'Next page' }).count()).to.equal(0);
      const previous = page.getByRole('link', { name: 'Previous page' });
      const back = [];
      while (await previous.count()) {
        await page.goto((await previous.getAttribute('href')) ?? '');
        back.unshift(await names());
      }
      expect(back).to.deep.equal(seen.slice(0, 2));
      expect(await page.getByText('45 codes', { exact: true }).isVisible()).to.equal(true);
      // A page that has become too short is filled up, and is then the first.
      await page.goto(`/codes?before=1-${codes[40]?.id}`);
      expect(await names()).to.deep.equal(seen[0]);
    });

    it('of other accounts do not exist for the visitor', async () => {
      const { id } = await store({ name: 'Mine' });
      await enter();
      const answers = [];
      for (const one of [id, '01890000-0000-7000-8000-000000000000', 'no-id']) {
        for (const path of ['edit', 'delete', 'picture.svg']) {
          const answer = await page.goto(`/codes/${one}/${path}`);
          answers.push({ status: answer?.status(), text: await page.getByRole('main').textContent() });
        }
        await page.goto('/codes/new');
        const csrfToken = await page.locator('main [name=csrfToken]').inputValue();
        for (const path of ['edit', 'duplicate', 'delete', 'favorite', 'visibility']) {
          const form = { csrfToken, confirmation: 'Mine', name: 'Theirs' };
          const answer = await page.request.post(`/codes/${one}/${path}`, { form });
          answers.push({ status: answer.status(), text: answers[0]?.text });
        }
      }
      expect(answers[0]?.status).to.equal(404);
      expect(answers).to.deep.equal(Array(24).fill(answers[0]));
    });

    it('fit the narrowest phone with any name', async () => {
      await enter(narrowPhone);
      const { id } = await store({
        name: `<script>alert(1)</script> رمز ${'x'.repeat(60)}`,
        category: 'y'.repeat(80),
      });
      for (const path of ['/codes', `/codes/${id}/edit`, `/codes/${id}/delete`, '/codes/new?type=geo']) {
        await page.goto(path);
        expect(await isTooWide(page), path).to.equal(false);
        await expectAccessible(page);
      }
      // Also for an operator, whose navigation has one more link.
      await site.service.db('users').where({ email }).update({ is_admin: true });
      await page.goto('/codes');
      expect(await page.getByRole('link', { name: 'Queues' }).isVisible()).to.equal(true);
      const rows = (label: string) =>
        page.evaluate(`new Set([...document.querySelectorAll('nav[aria-label=${label}] a')].map(
          (link) => link.getBoundingClientRect().top)).size`);
      expect([await rows('Main'), await rows('Account')]).to.deep.equal([1, 1]);
      // The filters are closed there, and the menu opens within the screen.
      expect(await page.getByLabel('Type').isVisible()).to.equal(false);
      await page.getByText('Filters').click();
      expect(await page.getByLabel('Type').isVisible()).to.equal(true);
      await page.locator('.menu summary').click();
      expect(await isTooWide(page)).to.equal(false);
    });

    it('can be created and edited without JavaScript', async () => {
      await enter({ javaScriptEnabled: false });
      await page.goto('/codes/new');
      await page.getByRole('link', { name: 'Wi-Fi' }).click();
      await fill({ 'Network name': 'Guests', Password: 'let me in', Name: 'Wi-Fi' });
      await page.getByLabel('The network is hidden').check();
      await page.getByRole('button', { name: 'Create QR code' }).click();
      await page.waitForURL(made);
      const id = made.exec(page.url())?.[1] ?? '';
      expect(await stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;H:true;;' });
      await page.goto(`/codes/${id}/edit`);
      await page.getByLabel('The network is hidden').uncheck();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.waitForURL(`**/codes/${id}`);
      expect(await stored(id)).to.include({ content: 'WIFI:T:WPA;S:Guests;P:let me in;;' });
      // Controls that need a script are hidden.
      expect(await page.locator('[data-copy]').count()).to.equal(1);
      expect(await page.locator('[data-copy]').isVisible()).to.equal(false);
    });
  });
});

/** As somebody sees it who looks closely. */
async function enlarged(picture: Locator): Promise<Buffer> {
  for (const side of ['width', 'height'])
    await picture.evaluate((image, name) => image.setAttribute(name, '700'), side);
  return picture.screenshot();
}
