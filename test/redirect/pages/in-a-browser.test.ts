import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { composeContent, contentFields, fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import { type CodeType, codeTypes, contentType } from '../../../src/codes/content/content-types.ts';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible, strictestRules } from '../../support/accessible.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { androidPhone, iPhone, narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';
import { appsAskedFor, type WebVisitor } from '../../support/web-visitor.ts';

type PageType = Exclude<CodeType, 'url'>;

const pageTypes = codeTypes.filter((type) => type !== 'url');

/** The content of a code of each type that has a page: written here, or the example of its type. */
const contents = {
  ...Object.fromEntries(pageTypes.map((type) => [type, contentType(type).example])),
  phone: '+44 20 7946 0958',
  sms: 'SMSTO:+15550100:Table for two?',
  email: 'mailto:hello@example.com?subject=Soup&body=Is%20it%20vegan%3F',
  geo: 'geo:52.5163,13.3777?q=52.5163,13.3777(Brandenburg Gate)',
  wifi: 'WIFI:T:WPA;S:Cafe Guests;P:latte\\;art 42;;',
  vcard: [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:Example;Ada;;;',
    'FN:Ada Example',
    'ORG:Example Engines',
    'TEL;TYPE=WORK:+442079460958',
    'EMAIL:ada@example.com',
    'END:VCARD',
  ].join('\r\n'),
  text: 'Opening hours\nMon to Fri 8 to 18',
  social: 'Find us:\nhttps://social.example/@cafe\nhttps://video.example/cafe',
  whatsapp: 'Write to us or see https://one.example/ and https://two.example/',
} as Record<PageType, string>;

inABrowser('The share pages', sharedService, (site) => {
  let api: ApiClient;
  const tokens = new Map<PageType, string>();

  before(async () => {
    api = apiClient(site.service.url, await site.service.makeKey());
    for (const [type, content] of Object.entries(contents)) {
      const { shareToken } = await createCode(api, { name: `A ${type}`, type, content });
      tokens.set(type as PageType, shareToken);
    }
  });

  const shareOf = (type: PageType) => `/r/${tokens.get(type)}`;
  const newVisitor = (options: BrowserContextOptions = iPhone) => site.visit({ locale: 'en-GB', ...options });

  async function open(type: PageType, options?: BrowserContextOptions): Promise<WebVisitor> {
    const visitor = await newVisitor(options);
    await visitor.page.goto(shareOf(type));
    return visitor;
  }

  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

  it('offers to call a number', async () => {
    const { page } = await open('phone');
    expect(await link(page, 'Call').getAttribute('href')).to.equal('tel:+442079460958');
    expect(await page.getByRole('main').innerText()).to.contain('+44 20 7946 0958');
  });

  it('offers to write a message, and shows it', async () => {
    const { page } = await open('sms');
    expect(await link(page, 'Write message').getAttribute('href')).to.match(/^sms:\+15550100\b.*Table/);
    expect(await page.getByRole('main').innerText()).to.contain('Table for two?');
  });

  it('offers to write an email, and shows it', async () => {
    const { page } = await open('email');
    expect(await link(page, 'Write email').getAttribute('href')).to.match(
      /^mailto:hello@example\.com\?.*Soup/,
    );
    expect(await page.getByRole('main').innerText()).to.contain('Is it vegan?');
  });

  const appleMaps = 'https://maps.apple.com/?ll=52.5163,13.3777&q=Brandenburg%20Gate';
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

  it('offers the maps app of Android and of Apple, and only the map elsewhere', async () => {
    const android = await open('geo', androidPhone);
    expect(await link(android.page, 'Open in maps').getAttribute('href')).to.match(/^geo:52\.5163,13\.3777/);
    expect(await link(android.page, 'Show on map').getAttribute('href')).to.match(/^https:/);
    const apple = await newVisitor(iPhone);
    const asked = await withAppleMaps(apple);
    await apple.page.goto(shareOf('geo'));
    expect(await link(apple.page, 'Open in maps').getAttribute('href')).to.equal(appleMaps);
    expect(await link(apple.page, 'Show on map').getAttribute('href')).to.match(/^https:/);
    await eventually(() => expect(asked).to.deep.equal([appleMaps]));
    const desktop = await open('geo', { viewport: { width: 1200, height: 800 } });
    expect(await link(desktop.page, 'Open in maps').count()).to.equal(0);
    expect(await link(desktop.page, 'Show on map').getAttribute('class')).to.equal('button primary');
  });

  it('prints the code of a network at 60 mm with its name and nothing else, never dark', async () => {
    const { page } = await newVisitor({ viewport: { width: 800, height: 800 }, colorScheme: 'dark' });
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

  it('saves a contact as a .vcf that has the details', async () => {
    const { page } = await open('vcard', androidPhone);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Ada Example');
    expect(await link(page, '+44 20 7946 0958').getAttribute('href')).to.equal('tel:+442079460958');
    const download = page.waitForEvent('download');
    await link(page, 'Save contact').click();
    const saved = await download;
    expect(saved.suggestedFilename()).to.match(/\.vcf$/);
    const lines = (await readFile(await saved.path(), 'utf8')).split('\r\n');
    expect(lines.slice(0, 2)).to.deep.equal(['BEGIN:VCARD', 'VERSION:3.0']);
    expect(lines.slice(-2)).to.deep.equal(['END:VCARD', '']);
    expect(lines).to.include('FN:Ada Example').and.include('ORG:Example Engines');
  });

  it('has a button for every address of several, without telling where the reader came from', async () => {
    const { page } = await newVisitor();
    for (const type of ['social', 'whatsapp'] as const) {
      await page.goto(shareOf(type));
      const links = await page.getByRole('main').getByRole('link').all();
      expect(links).to.have.length(2);
      for (const each of links) {
        const href = (await each.getAttribute('href')) ?? '';
        expect(href).to.match(/^https:\/\/\w+\.example\//);
        expect(await each.getAttribute('title')).to.equal(href);
        expect(await each.innerText())
          .to.contain(new URL(href).host)
          .and.contain(href);
        expect(await each.getAttribute('rel')).to.equal('noopener noreferrer nofollow');
      }
    }
  });

  for (const { via, script } of [
    { via: 'the clipboard', script: '' },
    {
      via: 'a selection, as on plain http',
      script: "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })",
    },
  ]) {
    it(`copies a password and a text through ${via}`, async () => {
      const { page } = await newVisitor();
      if (script) await page.addInitScript(script);
      for (const [type, button, text] of [
        ['wifi', 'Copy password', 'latte;art 42'],
        ['text', 'Copy text', contents.text],
      ] as const) {
        await page.goto(shareOf(type));
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
        expect(await clipboardOf(page)).to.equal(text);
      }
    });
  }

  it('shows the network, its password and the code to join it with', async () => {
    const { page } = await open('wifi');
    const text = await page.getByRole('main').innerText();
    expect(text).to.contain('Cafe Guests').and.contain('latte;art 42');
    const picture = page.getByRole('img', { name: 'QR code to join' });
    expect(await picture.getAttribute('src')).to.equal(`/r/${tokens.get('wifi')}.svg?encode=content`);
    expect(await page.evaluate("document.querySelector('main img').naturalWidth")).to.be.greaterThan(0);
  });

  it('speaks the language of the browser', async () => {
    const { page } = await open('phone', { ...iPhone, locale: 'de-AT' });
    expect(await link(page, 'Anrufen').count()).to.equal(1);
    expect(await page.locator('html').getAttribute('lang')).to.equal('de');
  });

  it('works without scripts: links are there, buttons that could do nothing are not', async () => {
    const { page } = await open('phone', { ...iPhone, javaScriptEnabled: false });
    expect(await link(page, 'Call').count()).to.equal(1);
    await page.goto(shareOf('geo'));
    expect(await page.getByRole('main').getByRole('link').count()).to.equal(2);
    await page.goto(shareOf('wifi'));
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await page.getByText('latte;art 42').isVisible()).to.equal(true);
    expect(await page.locator('.actions').isVisible(), 'a gap where it would be').to.equal(false);
  });

  it('opens the app once: not again after a reload or on the way back', async () => {
    for (const [type, scheme] of [
      ['phone', 'tel:'],
      ['sms', 'sms:'],
      ['email', 'mailto:'],
      ['geo', 'geo:'],
    ] as const) {
      const { page } = await newVisitor(androidPhone);
      const asked = await appsAskedFor(page);
      await page.goto(shareOf(type));
      await eventually(() => expect(asked).to.have.length(1));
      expect(asked[0]).to.match(new RegExp(`^${scheme}`));
      await page.reload();
      await page.goto(shareOf('text'));
      await page.goBack();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal(`A ${type}`);
      // It would have asked by now, because it does when it is opened as if for the first time.
      await page.evaluate('sessionStorage.clear()');
      await page.goto(shareOf('text'));
      await page.goto(shareOf(type));
      await eventually(() => expect(asked).to.have.length.at.least(2));
      expect(asked).to.have.length(2);
    }
  });

  it('opens no app by itself on a desktop, which may know none', async () => {
    const { page } = await open('phone', { viewport: { width: 1200, height: 800 } });
    const remembered = 'new Promise((done) => setTimeout(done)).then(() => sessionStorage.length)';
    expect(await page.evaluate(remembered)).to.equal(0);
    expect(await link(page, 'Call').isVisible()).to.equal(true);
  });

  it('has nothing that axe objects to on any page', async () => {
    const visitor = await newVisitor();
    const { page } = visitor;
    await withAppleMaps(visitor);
    const expired = await createCode(api);
    await api(`/qrcodes/${expired.id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
    for (const token of [...tokens.values(), 'AAAAAAAAAA', expired.shareToken]) {
      await page.goto(`/r/${token}`);
      await expectAccessible(page, strictestRules);
    }
  });

  const markup = [
    '<script>window.__hacked=1;alert(1)</script></title></style></script><script>alert(1)</script>',
    `"'><img src=x onerror="window.__hacked=1"><a href='https://evil.example/'>`,
    '<img src="https://evil.example/x.png"><link rel=stylesheet href=//evil.example>',
  ];
  const hostile: [what: string, text: string][] = [
    ['markup', markup.join('')],
    ['javascript:', 'javascript:window.__hacked=1'],
    ['a long word', 'x'.repeat(1_500)],
    ['line ends, emoji and other directions', 'a\r\nb\u2028👩🏽‍🚒 שלום ‮ مرحبا <b>'],
  ];
  /** A name has room for one of them. The codes take turns. */
  const names = [...markup, ...hostile.slice(1).map(([, text]) => text)].map((text) =>
    text.replace(/[\r\n]/g, ' ').slice(0, 90),
  );

  /** The text where each type has room for it, in the form in which it is usually written. */
  const payloads: Partial<Record<PageType, (text: string) => string[]>> = {
    phone: (text) => [text, `tel:+15550100;x=${text}`],
    sms: (text) => [text, `SMSTO:+15550100:${text}`],
    email: (text) => [
      text,
      `mailto:a@example.com?subject=${encodeURIComponent(text)}&body=${encodeURIComponent(text.slice(0, 300))}`,
    ],
    geo: (text) => [text, `geo:1,2?q=1,2(${text})`],
    wifi: (text) => [text, `WIFI:T:WPA;S:${text.slice(0, 700)};P:${text.slice(0, 700)};;`],
    vcard: (text) => {
      const line = text.replace(/[\r\n]/g, '\\n').slice(0, 250);
      return [
        text,
        `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${line}\r\nORG:${line}\r\nTEL:${line}\r\nEMAIL:${line}\r\nURL:${line}\r\nNOTE:${line}\r\nEND:VCARD`,
      ];
    },
    text: (text) => [text],
    social: (text) => [text, `https://one.example/\n${text}\nhttps://two.example/`],
    whatsapp: (text) => [text, `https://one.example/\n${text}\nhttps://two.example/`],
  };

  /** The fields of the example, with the text in those that are typed. */
  function inEveryField(type: PageType, text: string): string[] {
    const fields = { ...fieldsOfContent(type, contentType(type).example) };
    for (const { name, input = 'text' } of contentFields(type))
      if (input === 'text' || input === 'area') fields[name] = text.slice(0, 250);
    return [text, composeContent(type, fields)];
  }

  for (const type of pageTypes) {
    it(`leaves the page of a ${type} whole at 320 px, whatever its text is, and runs nothing`, async () => {
      const own = apiClient(site.service.url, await site.service.makeKey());
      const visitor = await newVisitor(narrowPhone);
      const { page } = visitor;
      await withAppleMaps(visitor);
      let made = 0;
      for (const [what, text] of hostile) {
        for (const content of payloads[type]?.(text) ?? inEveryField(type, text)) {
          const name = names[(made += 1) % names.length];
          const { shareToken } = await createCode(own, { name, type, content, errorCorrection: 'L' });
          await page.goto(`/r/${shareToken}`);
          const seen = await page.evaluate<Record<string, unknown>>(`({
            hacked: window.__hacked,
            overflow: document.documentElement.scrollWidth - innerWidth,
            children: [...document.body.children].map((child) => child.localName).join(' '),
            foreign: document.querySelectorAll('main script, main style, main link, main iframe, main b').length,
            tooSmall: [...document.querySelectorAll('main a, main button')].map((target) => target.getBoundingClientRect())
              .filter(({ height }) => height > 0 && height < 44).length,
            schemes: [...document.links].map(({ protocol }) => protocol)
              .filter((scheme) => !['http:', 'https:', 'tel:', 'sms:', 'mailto:', 'geo:'].includes(scheme)),
          })`);
          expect(seen, `${what} in ${type}`).to.deep.equal({
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
  }
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
