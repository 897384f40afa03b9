import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible, strictestRules } from '../../support/accessible.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { androidPhone, iPhone, narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';
import { appsAskedFor, type WebVisitor } from '../../support/web-visitor.ts';
import {
  allowedSchemes,
  contents,
  contentsWith,
  createCodes,
  markup,
  nameWith,
  type PageType,
  pageTypes,
} from './share-contents.ts';

inABrowser('The share pages', sharedService, (site) => {
  let api: ApiClient;
  let tokens: Map<PageType, string>;

  before(async () => {
    api = apiClient(site.service.url, await site.service.makeKey());
    tokens = await createCodes(api);
  });

  const shareOf = (type: PageType) => `/r/${tokens.get(type)}`;
  const newVisitor = (options: BrowserContextOptions = iPhone) => site.visit({ locale: 'en-GB', ...options });
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

  /** What an iPhone opens in its app. Here nothing answers it, and the page stays. */
  async function withAppleMaps(visitor: WebVisitor): Promise<string[]> {
    const asked: string[] = [];
    visitor.provoked.push(/^asked https:\/\/maps\.apple\.com\//);
    await visitor.page.route('https://maps.apple.com/**', async (route) => {
      asked.push(route.request().url());
      await route.fulfill({ status: 204 });
    });
    return asked;
  }

  it('have nothing that axe objects to, open the maps of an iPhone, and copy', async () => {
    const visitor = await newVisitor();
    const { page } = visitor;
    const asked = await withAppleMaps(visitor);
    const expired = await createCode(api);
    await api(`/qrcodes/${expired.id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
    for (const token of [...tokens.values(), 'AAAAAAAAAA', expired.shareToken]) {
      await page.goto(`/r/${token}`);
      await expectAccessible(page, strictestRules);
    }
    await eventually(() =>
      expect(asked).to.deep.equal(['https://maps.apple.com/?ll=52.5163,13.3777&q=Brandenburg%20Gate']),
    );
    await expectCopies(page);
    // As on plain http.
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
    await expectCopies(page);
  });

  async function expectCopies(page: Page): Promise<void> {
    for (const [type, button, text] of [
      ['wifi', 'Copy password', 'latte;art 42'],
      ['text', 'Copy text', contents.text],
    ] as const) {
      await page.goto(shareOf(type));
      if (type === 'wifi')
        expect(await page.evaluate("document.querySelector('main img').naturalWidth")).to.be.greaterThan(0);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
      expect(await clipboardOf(page)).to.equal(text);
    }
  }

  it('print the code of a network at 60 mm with its name and nothing else, never dark, and open no app on a desktop', async () => {
    const { page } = await newVisitor({ viewport: { width: 800, height: 800 }, colorScheme: 'dark' });
    await page.goto(shareOf('phone'));
    const remembered = 'new Promise((done) => setTimeout(done)).then(() => sessionStorage.length)';
    expect(await page.evaluate(remembered)).to.equal(0);
    expect(await link(page, 'Call').isVisible()).to.equal(true);
    await page.goto(shareOf('wifi'));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect((await page.locator('body').innerText()).trim()).to.equal('A wifi');
    const { width, height } = (await page.locator('.join img').boundingBox()) ?? { width: 0, height: 0 };
    expect([width, height].map(Math.round)).to.deep.equal([227, 227]);
    expect((await scan(await page.screenshot()))?.toString()).to.equal(contents.wifi);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
      'rgb(255, 255, 255)',
    );
  });

  it('work without scripts: links are there, buttons that could do nothing are not', async () => {
    const { page } = await newVisitor({ ...iPhone, javaScriptEnabled: false });
    await page.goto(shareOf('phone'));
    expect(await link(page, 'Call').count()).to.equal(1);
    await page.goto(shareOf('geo'));
    expect(await page.getByRole('main').getByRole('link').count()).to.equal(2);
    await page.goto(shareOf('wifi'));
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await page.getByText('latte;art 42').isVisible()).to.equal(true);
    expect(await page.locator('.actions').isVisible(), 'a gap where it would be').to.equal(false);
  });

  it('open the app once: not again after a reload or on the way back', async () => {
    const { page } = await newVisitor(androidPhone);
    const asked = await appsAskedFor(page);
    for (const [type, scheme] of [
      ['sms', 'sms:'],
      ['email', 'mailto:'],
      ['geo', 'geo:'],
      ['phone', 'tel:'],
    ] as const) {
      await page.goto(shareOf(type));
      await eventually(() => expect(asked).to.have.length(1));
      expect(asked.pop()).to.match(new RegExp(`^${scheme}`));
    }
    // On a busy machine, the browser is still looking for the app, which ends a reload.
    await eventually(() => page.reload());
    await page.goto(shareOf('text'));
    await page.goBack();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('A phone');
    // It would have asked by now, because it does when it is opened as if for the first time.
    await page.evaluate('sessionStorage.clear()');
    await page.goto(shareOf('text'));
    await page.goto(shareOf('phone'));
    await eventually(() => expect(asked).to.have.length.at.least(1));
    expect(asked).to.have.length(1);
  });

  it('stay whole at 320 px, whatever their text is, and run nothing', async () => {
    const visitor = await newVisitor(narrowPhone);
    const { page } = visitor;
    await withAppleMaps(visitor);
    // Few types show more than the first 250 characters.
    for (const [index, type] of pageTypes.entries()) {
      const text = `${markup[index % markup.length]}${'x'.repeat(1_400)}`;
      for (const content of contentsWith(type, text)) {
        const code = { name: nameWith(text), type, content, errorCorrection: 'L' };
        await page.goto(`/r/${(await createCode(api, code)).shareToken}`);
        const seen = await page.evaluate<Record<string, unknown>>(`({
          hacked: window.__hacked,
          overflow: document.documentElement.scrollWidth - innerWidth,
          children: [...document.body.children].map((child) => child.localName).join(' '),
          foreign: document.querySelectorAll('main script, main style, main link, main iframe, main b').length,
          tooSmall: [...document.querySelectorAll('main a, main button')].map((target) => target.getBoundingClientRect())
            .filter(({ height }) => height > 0 && height < 44).length,
          schemes: [...document.links].map(({ protocol }) => protocol)
            .filter((scheme) => !${JSON.stringify(allowedSchemes)}.includes(scheme)),
        })`);
        expect(seen, `${type}: ${content}`).to.deep.equal({
          hacked: undefined,
          overflow: 0,
          children: 'main footer script',
          foreign: 0,
          tooSmall: 0,
          schemes: [],
        });
      }
    }
  });
});

async function clipboardOf(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // Pasted by the browser, because the page may have no clipboard to read.
  await page.evaluate(
    "document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))",
  );
  await page.locator('#paste').focus();
  await page.keyboard.press('Control+V');
  return page.locator('#paste').inputValue();
}
