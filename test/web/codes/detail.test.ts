import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadConfig } from '../../../src/config.ts';
import { recordScans } from '../../../src/scans/record-scans.ts';
import type { ScanRow } from '../../../src/scans/scan.ts';
import { openWebService, type WebService } from '../../../src/web-service.ts';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService } from '../../support/service.ts';
import { createCode, openShare, type SharedCode } from '../../support/share.ts';
import { testLog } from '../../support/test-log.ts';
import { isTooWide, type WebVisitor } from '../../support/web-visitor.ts';

const dayMs = 86_400_000;
const missingId = '01890000-0000-7000-8000-000000000000';

const withWorker = () => startService({ worker: true });

inABrowser('The page of a code', withWorker, (site) => {
  let visitor: WebVisitor;
  let page: Page;
  let email: string;
  let api: ApiClient;
  let code: SharedCode;
  let users = 0;

  after(() => site.service?.stop());
  beforeEach(async () => {
    email = `code-page-${(users += 1)}@example.com`;
    visitor = await site.visitAs(email);
    ({ page } = visitor);
    api = apiClient(site.service.url, await site.service.makeKey({ email }));
    code = await createCode(api, { name: 'Poster «Café»' });
  });

  const inWords = (date: string) =>
    new Date(date).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  const record = (rows: [days: number, changes?: Partial<ScanRow>][]) =>
    recordScans(
      site.service.db,
      rows.map(([days, changes]) => scanRow(code.id, daysAgo(days), changes)),
    );
  const variety = () =>
    record([
      [0],
      [
        0,
        { country: 'DE', region: 'BE', city: 'Berlin', device: 'desktop', browser: 'Firefox', os: 'Linux' },
      ],
      [1, { country: 'DE', region: 'BE', city: 'Berlin', browser: 'Chrome', os: 'Android' }],
      [5, { country: 'ZZ', region: null, city: null, device: 'unknown', browser: 'Unknown', os: 'Unknown' }],
      [20, { country: 'US', region: 'IL', city: 'Springfield' }],
      [20, { country: 'US', region: 'MA', city: 'Springfield' }],
      [200, { country: 'SG', region: '', city: 'Singapore', device: 'tablet' }],
    ]);
  const tableRows = async (caption: string): Promise<string[][]> =>
    page
      .getByRole('table', { name: caption, exact: true })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? '').trim())),
      );

  it('shows the numbers of the API for each period', async () => {
    await variety();
    for (const days of [7, 30, 90, 365]) {
      const answer = await page.goto(`/codes/${code.id}?days=${days}`);
      const { body: figures } = await api(`/qrcodes/${code.id}/analytics?days=${days}`);
      expect(await page.locator('#total-scans').textContent()).to.equal(String(figures.totalScans));
      expect(await page.locator('#totals dd').allTextContents()).to.deep.equal(
        [figures.totalScans, 2, figures.uniqueCountries, figures.uniqueCities].map(String),
      );
      await page.getByText('Table of scans per day').click();
      expect(await tableRows('Scans per day, newest first')).to.deep.equal(
        figures.timeline
          .toReversed()
          .map(({ date, scans }: { date: string; scans: number }) => [inWords(date), String(scans)]),
      );
      const bars = await page
        .locator('#timeline rect')
        .evaluateAll((rects) => rects.map((rect) => Number(rect.getAttribute('data-scans'))));
      expect(bars.length).to.equal(days === 365 ? 52 : days);
      expect(bars.reduce((sum, scans) => sum + scans, 0)).to.equal(figures.totalScans);
      const share = (count: number) => `${((count / figures.totalScans) * 100).toFixed(1)} %`;
      const rows = (list: Record<string, string | number>[], key: string) =>
        list.map((entry) => [entry[key], String(entry['count']), share(entry['count'] as number)]);
      expect(await tableRows('Browsers')).to.deep.equal(rows(figures.byBrowser, 'browser'));
      expect(await tableRows('Systems')).to.deep.equal(rows(figures.byOs, 'os'));
      const lower = (await tableRows('Devices')).map(([name = '', ...rest]) => [name.toLowerCase(), ...rest]);
      expect(lower).to.deep.equal(rows(figures.byDevice, 'device'));
      expect((await tableRows('Countries')).map(([, count]) => Number(count))).to.deep.equal(
        figures.byCountry.map(({ count }: { count: number }) => count),
      );
      expect((await tableRows('Cities')).length).to.equal(figures.uniqueCities);
      const html = (await answer?.text()) ?? '';
      const map = /<svg class="world".*?<\/svg>/s.exec(html)?.[0] ?? '';
      expect(map.length).to.be.within(10_000, 60_000);
      expect(html.length - map.length).to.be.below(100_000);
    }
    expect(await page.locator('.world title').allTextContents()).to.have.members([
      'Germany: 2',
      'United Kingdom: 1',
      'United States: 2',
    ]);
    expect((await tableRows('Cities')).map(([name]) => name)).to.deep.equal([
      'Berlin, Germany',
      'St Albans, United Kingdom',
      'Singapore, Singapore',
      'Springfield, IL, United States',
      'Springfield, MA, United States',
    ]);
    expect((await tableRows('Countries')).map(([name]) => name)).to.include('Unknown');
    await page.goto(`/codes/${code.id}?days=7`);
    await page.getByText('Table of scans per day').click();
    await expectAccessible(page);
  });

  it('opens with 30 days, and ignores unknown periods', async () => {
    await record([[0]]);
    for (const query of ['', '?days=8', '?days=30.0', '?before=no-id']) {
      await page.goto(`/codes/${code.id}${query}`);
      const current = page.getByRole('navigation', { name: 'Period' }).locator('[aria-current]');
      expect(await current.textContent()).to.equal('30 days');
    }
    await expectAccessible(page);
  });

  it('has a text instead of empty charts until the first scan', async () => {
    await page.goto(`/codes/${code.id}`);
    expect(await page.getByRole('heading', { name: 'No scans yet' }).isVisible()).to.equal(true);
    expect(await page.getByRole('link', { name: 'its share link' }).getAttribute('href')).to.equal(
      code.shareUrl,
    );
    expect(await page.locator('#timeline, .ranking, #scans').count()).to.equal(0);
    await expectAccessible(page);
    // With only old scans there is a chart, without a highest bar.
    await record([[100]]);
    await page.goto(`/codes/${code.id}`);
    expect(await page.locator('.timeline figcaption').textContent()).to.equal('No scans in these 30 days');
    expect(await page.locator('.ranking').count()).to.equal(0);
    expect((await tableRows('Scans, newest first')).length).to.equal(1);
  });

  it('has an axis of round numbers, and marks the incomplete bar', async () => {
    await record(Array.from({ length: 21 }, () => [1]));
    await page.goto(`/codes/${code.id}?days=7`);
    expect(await page.locator('.axis span').allTextContents()).to.deep.equal(['24', '12', '0']);
    const last = page.locator('#timeline rect').last();
    const today = `${inWords(daysAgo(0))} (so far): 0`;
    expect(await last.textContent()).to.equal(today);
    expect(await page.locator('.timeline figcaption').textContent()).to.equal(
      'Scans per day (UTC). Today so far is fainter.',
    );
    expect(await page.locator('.ends span').allTextContents()).to.deep.equal(
      [daysAgo(6), daysAgo(0)].map(inWords),
    );
    const tip = page.locator('.tip');
    const yesterday = `${inWords(daysAgo(1))}: 21`;
    const { width = 0 } = (await page.locator('#timeline').boundingBox()) ?? {};
    await page.locator('#timeline').hover({ position: { x: width * 0.8, y: 5 } });
    expect(await tip.allTextContents()).to.deep.equal([yesterday]);
    await page.locator('h1').hover();
    expect(await tip.count()).to.equal(0);
    // One tab stop: the arrow keys move between the bars.
    await page.getByRole('link', { name: '365 days' }).focus();
    await page.keyboard.press('Tab');
    expect(await tip.allTextContents()).to.deep.equal([today]);
    await page.keyboard.press('ArrowLeft');
    expect(await tip.allTextContents()).to.deep.equal([yesterday]);
    expect(await page.locator('#announcement').textContent()).to.equal(yesterday);
    await expectAccessible(page);
    await page.keyboard.press('Tab');
    expect(await tip.count()).to.equal(0);
    expect(await page.locator(':focus').textContent()).to.equal('Table of scans per day');
    expect(await page.locator('#timeline').getAttribute('aria-label')).to.contain('21 in total, at most 21');
  });

  it('shows content, creation and end', async () => {
    const links = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://example.com/${name}`);
    const socialLinks = links.join('\n');
    const contents: [Record<string, unknown>, Record<string, string>][] = [
      [{ content: 'https://example.com/a?b=c' }, { 'Leads to': 'https://example.com/a?b=c' }],
      [{ type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:let me in;;' }, { Network: 'Guests' }],
      [{ type: 'text', content: 'Two\nlines' }, { Text: 'Two\nlines' }],
      [
        { type: 'sms', content: 'sms:+44207946?&body=Hi' },
        { Number: '+44207946', Message: 'Hi' },
      ],
      [{ type: 'geo', content: 'geo:51.5,-0.1' }, { Coordinates: '51.5, -0.1' }],
      [{ type: 'social', content: socialLinks }, { Links: `${links.slice(0, 4).join('')}1 more${links[4]}` }],
    ];
    for (const [changes, facts] of contents) {
      const { id } = await createCode(api, changes);
      await page.goto(`/codes/${id}`);
      const shown = Object.fromEntries(
        await page
          .locator('.facts > div')
          .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ''))),
      ) as Record<string, string>;
      expect(shown).to.include(facts);
      expect(Object.keys(shown)).to.have.members([...Object.keys(facts), 'Created', 'Works until']);
      expect(await page.locator('.facts').textContent()).not.to.contain('let me in');
      const { body } = await api(`/qrcodes/${id}`);
      expect(
        await page
          .locator('.facts time')
          .evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))),
      ).to.deep.equal([body.createdAt, body.expiresAt]);
    }
    // The last of them has links, each of them one.
    expect(
      await page.locator('.facts a').evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
    ).to.deep.equal(links);
    await page.goto(`/codes/${code.id}`);
    expect(await page.locator('.facts a').getAttribute('rel')).to.equal('noreferrer');
    const text = `${'Long text. '.repeat(60)}The end.`;
    const { id } = await createCode(api, { type: 'text', content: text });
    await page.goto(`/codes/${id}`);
    await page.getByText('Show all').click();
    expect(await page.locator('.facts .whole').innerText()).to.equal(text);
    expect(await page.locator('.facts .gist').isVisible()).to.equal(false);
  });

  it('can be made favorite, private and public, and links back to the list', async () => {
    await page.goto(`/codes/${code.id}`);
    await page.getByRole('button', { name: 'Favorite: Poster «Café»' }).click();
    await page.getByRole('status').filter({ hasText: 'Added to your favorites.' }).waitFor();
    expect(await page.locator('.star').getAttribute('aria-pressed')).to.equal('true');
    await page.getByRole('button', { name: 'Make private' }).click();
    expect(await page.getByRole('status').first().textContent()).to.contain('The code is private now');
    expect(await page.locator('.notice').count()).to.equal(1);
    expect((await api(`/qrcodes/${code.id}`)).body).to.include({ isPublic: false, isFavorite: true });
    await page.getByRole('button', { name: 'Make public' }).click();
    expect((await api(`/qrcodes/${code.id}`)).body).to.include({ isPublic: true });
    expect(new URL(page.url()).pathname).to.equal(`/codes/${code.id}`);
    await page.getByRole('link', { name: 'All QR codes' }).click();
    await page.waitForURL('**/codes');
  });

  /** A file of each kind for each of the two texts, which a decoder reads in the PNGs. */
  async function expectDownloads(): Promise<void> {
    const links = await page.locator('.downloads a').all();
    const texts: (string | undefined)[] = [];
    const names: (string | undefined)[] = [];
    for (const link of links) {
      const answer = await page.request.get((await link.getAttribute('href')) ?? '');
      expect(answer.status()).to.equal(200);
      names.push(/^attachment; filename="([^"]+)"/.exec(answer.headers()['content-disposition'] ?? '')?.[1]);
      if (answer.headers()['content-type'] === 'image/png')
        texts.push((await scan(await answer.body()))?.toString());
    }
    expect(names).to.deep.equal([
      'Poster _Caf__.svg',
      'Poster _Caf__.png',
      'Poster _Caf__.direct.svg',
      'Poster _Caf__.direct.png',
    ]);
    expect(texts).to.deep.equal([code.shareUrl, code.content]);
  }

  it('has the picture, downloads, a share link to copy, and warnings without API names', async () => {
    const { body } = await api(`/qrcodes/${code.id}`, {
      method: 'PATCH',
      body: { foregroundColor: '#cccccc', backgroundColor: '#ffffff', category: 'Spring' },
    });
    await page.goto(`/codes/${code.id}`);
    expect(await page.title()).to.equal('Poster «Café» · Qrelay');
    expect(await page.getByLabel('Share link').inputValue()).to.equal(body.shareUrl);
    const picture = page.getByRole('img', { name: 'QR code of Poster «Café»' });
    await eventually(async () =>
      expect(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).to.be.above(0),
    );
    expect(await page.locator('.notice').textContent())
      .to.contain('Choose a darker foreground color')
      .and.not.to.contain('foregroundColor');
    await expectDownloads();
    expect(await page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Public', 'Spring']);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(body.shareUrl);
    await expectAccessible(page);
  });

  it('shows the direct code of a network, and which scans are counted', async () => {
    const content = 'WIFI:T:WPA;S:Guests;P:let me in;;';
    const { id, shareUrl } = await createCode(api, { name: 'Guests', type: 'wifi', content });
    await page.goto(`/codes/${id}`);
    const picture = page.getByRole('img', { name: 'QR code of Guests' });
    expect((await scan(await picture.screenshot()))?.toString()).to.equal(content);
    const read = [];
    for (const name of ['Download direct code as PNG', 'Download link code as PNG']) {
      const href = (await page.getByLabel(name).getAttribute('href')) ?? '';
      read.push((await scan(await (await page.request.get(href)).body()))?.toString());
    }
    expect(read).to.deep.equal([content, shareUrl]);
    const downloads = page.locator('.downloads');
    expect(await downloads.locator('> .hint').textContent()).to.equal(
      'Joins at once and works offline. Scans are not counted. Print it again when the network changes.',
    );
    await page.getByText('Link code', { exact: true }).click();
    expect(await downloads.locator('details .hint').innerText()).to.equal(
      'Opens a page with the network and its password. Needs mobile data. Scans are counted.',
    );
    expect(await page.locator('#no-scans').textContent()).to.contain('its scans are not counted');
    await expectAccessible(page);
    await page.goto(`/codes/${id}/edit`);
    const preview = page.getByRole('img', { name: 'Preview of the QR code' });
    expect((await scan(await preview.screenshot()))?.toString()).to.equal(content);
  });

  it('keeps all actions reachable beside the scans, also in a low window', async () => {
    await variety();
    // The warning makes it taller than the window.
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { foregroundColor: '#eeeeee' } });
    await page.setViewportSize({ width: 1280, height: 870 });
    await page.goto(`/codes/${code.id}`);
    const side = page.locator('.code-side');
    expect(await side.evaluate((card) => card.scrollHeight - card.clientHeight)).to.equal(0);
    await page.evaluate('scrollTo(0, 600)');
    await eventually(async () => {
      const { y = 0, height = 0 } = (await side.getByRole('link', { name: 'Delete' }).boundingBox()) ?? {};
      expect([y > 0, y + height < 870]).to.deep.equal([true, true]);
    });
  });

  it('prints only the name and the picture at 60 mm, always light', async () => {
    await variety();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await page.setViewportSize({ width: 794, height: 1123 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ media: 'screen', colorScheme });
      await page.goto(`/codes/${code.id}`);
      await page.emulateMedia({ media: 'print', colorScheme });
      expect((await page.locator('body').innerText()).trim()).to.equal('Poster «Café»');
      const { width, height } = (await page.locator('.code-side > img').boundingBox()) ?? {};
      expect([width, height].map((pixels) => Math.round(pixels ?? 0))).to.deep.equal([227, 227]);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
        'rgb(255, 255, 255)',
      );
      expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).to.equal(
        'rgb(0, 0, 0)',
      );
      expect((await scan(await page.screenshot()))?.toString()).to.equal(code.shareUrl);
      const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
      expect(pages?.length).to.equal(1);
    }
  });

  it('formats days and times in the locale of the viewer, and names the time zone', async () => {
    await variety();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { expiresAt: '2031-01-01T09:30:00.000Z' } });
    const german = { locale: 'de-DE', timezoneId: 'Asia/Tokyo' };
    const scripted = await site.visitAs(email, german);
    const plain = await site.visitAs(email, { ...german, javaScriptEnabled: false });
    const shown = async ({ page: viewed }: WebVisitor) => {
      await viewed.goto(`/codes/${code.id}?days=7`);
      const times = await viewed
        .locator('time')
        .evaluateAll((all) =>
          all.map((time) => [
            time.getAttribute('datetime') ?? '',
            time.textContent ?? '',
            time.getAttribute('lang'),
          ]),
        );
      const note = await viewed.locator('[data-zone]').textContent();
      return { times, note };
    };
    const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
    const time = { ...day, hour: 'numeric', minute: '2-digit' } as const;
    const expectTimes = (times: (string | null)[][], timeZone: string) => {
      const zoned = { ...time, timeZone, timeZoneName: 'short' } as const;
      for (const [index, [written, text, lang]] of times.entries()) {
        const at = String(written);
        expect(lang).to.equal('de-DE');
        // The two facts beside the picture say their time zone each, the scans once for all of them.
        const wanted =
          at.length === 10 ? { ...day, timeZone: 'UTC' } : index < 2 ? zoned : { ...time, timeZone };
        expect(text, at).to.equal(new Intl.DateTimeFormat('de-DE', wanted).format(new Date(at)));
      }
    };
    const withScript = await shown(scripted);
    expect(withScript.times.length).to.be.above(10);
    expectTimes(withScript.times, 'Asia/Tokyo');
    expect(withScript.times[1]?.[1]).to.match(/^1\. Jan\. 2031, 18:30 /);
    expect(withScript.note).to.equal('Times in your time zone, Asia/Tokyo');
    const without = await shown(plain);
    expectTimes(without.times, 'UTC');
    expect(without.note).to.equal('Times in UTC');
    expect(await scripted.page.locator('.timeline figcaption').textContent()).to.contain('per day (UTC)');
    expect(await scripted.page.locator('#totals dt').allTextContents()).to.include('Today (UTC)');
    await expectAccessible(scripted.page);
  });

  it('shows why the share link does not work, and the button that fixes it', async () => {
    const solidButtons = () => page.locator('main :is(button, .button):not(.quiet, .star)').allTextContents();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await page.goto(`/codes/${code.id}`);
    expect(await page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Private']);
    expect(await solidButtons()).to.deep.equal(['Make public']);
    await expectAccessible(page);
    await expectDownloads();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { isPublic: true, expiresAt: daysAgo(1) } });
    await page.goto(`/codes/${code.id}`);
    expect(await page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Expired']);
    expect(await solidButtons()).to.deep.equal(['Renew']);
    expect(await page.locator('.live-mark').count()).to.equal(0);
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Renew' }).click();
    await page.getByLabel('Last day').fill('2030-12-31');
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect(await page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Public']);
    expect(await solidButtons()).to.deep.equal(['Copy link']);
    expect(await page.locator('.facts').textContent()).to.contain('Last dayDec 31, 2030 (UTC)');
    const { body } = await api(`/qrcodes/${code.id}`);
    expect(body.expiresAt).to.equal('2031-01-01T00:00:00.000Z');
  });

  it('lists every scan once, 20 per page', async () => {
    await record(Array.from({ length: 45 }, (_, index) => [index / 100, { city: `City ${index}` }]));
    await page.goto(`/codes/${code.id}?days=7`);
    const places: string[] = [];
    for (let more = true; more; ) {
      const rows = await tableRows('Scans, newest first');
      expect(rows.length).to.be.at.most(20);
      places.push(...rows.map(([, place = '']) => place));
      const next = page.getByRole('link', { name: 'Earlier scans' });
      more = (await next.count()) > 0;
      if (more) await next.click();
    }
    expect(places).to.deep.equal(Array.from({ length: 45 }, (_, index) => `City ${index}, United Kingdom`));
    await page.getByRole('link', { name: 'Newest scans' }).click();
    expect((await tableRows('Scans, newest first')).length).to.equal(20);
    expect(page.url()).to.contain('days=7');
  });

  describe('while it is open', () => {
    let second: WebService | undefined;
    let viewerOfSecond: WebVisitor | undefined;
    const openSecond = async () => {
      const config = { ...loadConfig({ BASE_URL: 'https://qr.test' }), host: '127.0.0.1', port: 0 };
      second = await openWebService({
        config,
        databaseUrl: site.service.databaseUrl,
        log: testLog(),
        nowMs: Date.now,
        drainGraceMs: 0,
      });
      const viewer = await site.visitAs(email, {}, `http://127.0.0.1:${second.port}`);
      const stream = viewer.page.waitForResponse('**/events');
      await viewer.page.goto(`/codes/${code.id}`);
      await stream;
      viewerOfSecond = viewer;
      return viewer;
    };
    afterEach(async () => {
      // An open page would reconnect to a process that has ended.
      await viewerOfSecond?.page.close();
      viewerOfSecond = undefined;
      await second?.close();
      second = undefined;
    });

    /** The time at which the page shows that many scans, by its own clock, without the delay of the test. */
    const momentOf = (viewer: Page, scans: number) =>
      viewer.evaluate<number>(`new Promise((resolve) => {
        const look = () => {
          const total = document.getElementById('total-scans')?.textContent;
          const rows = document.querySelectorAll('#scans tbody tr').length;
          if (total === '${scans}' && rows === ${scans}) resolve(Date.now());
          else setTimeout(look, 10);
        };
        look();
      })`);

    it('shows a scan within 2 seconds, whichever process received it [timed]', async () => {
      const stream = page.waitForResponse('**/events');
      await page.goto(`/codes/${code.id}`);
      await stream;
      const elsewhere = await openSecond();
      for (const scans of [1, 2, 3]) {
        const shown = Promise.all([page, elsewhere.page].map((viewer) => momentOf(viewer, scans)));
        await openShare(site.service.url, code.shareToken);
        const scannedAt = Date.now();
        for (const shownAt of await shown) expect(shownAt - scannedAt).to.be.below(2_000);
      }
      // The charts follow some seconds later.
      await eventually(
        async () => expect((await tableRows('Devices'))[0]).to.deep.equal(['Mobile', '3', '100.0 %']),
        8_000,
      );
      expect((await tableRows('Scans, newest first'))[0]?.slice(1)).to.deep.equal([
        'Unknown',
        'Mobile',
        'Mobile Safari',
        'iOS',
      ]);
      // No map while no country is known.
      expect(await page.locator('.world').count()).to.equal(0);
      expect(await page.getByText('No cities known for these scans.').isVisible()).to.equal(true);
      await record([[0]]);
      await page.locator('.world').waitFor();
      expect((await tableRows('Cities'))[0]).to.deep.equal(['St Albans, United Kingdom', '1', '25.0 %']);
      expect(await page.locator('#timeline rect').last().getAttribute('data-scans')).to.equal('4');
      expect(await page.locator('#total-today').textContent()).to.equal('4');
      expect(await page.locator('#timeline').getAttribute('aria-label')).to.contain(': 4 in total');
      expect(await page.locator('#announcement').textContent()).to.equal('1 new scan');
      expect(await page.getByText('No scans yet').isVisible()).to.equal(false);
      expect(await page.getByText('Live', { exact: true }).isVisible()).to.equal(true);
      await page.reload();
      expect((await tableRows('Scans, newest first')).length).to.equal(4);
    });

    it('catches up when it becomes visible long after it was opened', async () => {
      await record(Array.from({ length: 15 }, () => [0]));
      await page.route('**/events', (route) => route.abort());
      visitor.provoked.push(/net::ERR_FAILED/);
      await page.goto(`/codes/${code.id}`);
      expect(await page.getByRole('link', { name: 'Earlier scans' }).count()).to.equal(0);
      await record(Array.from({ length: 15 }, () => [0, { device: 'desktop' as const }]));
      await page.unroute('**/events');
      await page.evaluate('dispatchEvent(new Event("pagehide")); dispatchEvent(new Event("pageshow"))');
      await eventually(async () => {
        expect(await page.locator('#total-scans').textContent()).to.equal('30');
        expect((await tableRows('Devices')).map(([, count]) => count)).to.deep.equal(['15', '15']);
      }, 8_000);
      await page.getByRole('link', { name: 'Earlier scans' }).click();
      expect((await tableRows('Scans, newest first')).length).to.equal(10);
    });

    it('does not delay the shutdown of its process', async () => {
      const viewer = await openSecond();
      viewer.provoked.push(/net::ERR_CONNECTION/); // when the page asks again
      // A stream that outlives the drain is cut, and then its request fails instead.
      const ended = viewer.page.waitForEvent('requestfinished', (request) =>
        request.url().endsWith('/events'),
      );
      await second?.close();
      second = undefined;
      await ended;
    });

    it('stops receiving events when the code is deleted', async () => {
      await page.goto(`/codes/${code.id}`);
      visitor.provoked.push(/^404 .*\/events$/);
      const again = page.waitForResponse(
        (answer) => answer.url().endsWith('/events') && answer.status() === 404,
      );
      await api(`/qrcodes/${code.id}`, { method: 'DELETE' });
      await again;
    });
  });

  it('exports the scans as CSV without formulas', async () => {
    const at = new Date(Date.now() - 60_000);
    const rows = [
      scanRow(code.id, at.toISOString()),
      scanRow(code.id, new Date(at.getTime() - 1_000).toISOString(), {
        region: '-1',
        city: '=HYPERLINK("http://x","y")',
        browser: '@SUM(A1), "quoted"',
        os: '+line\r\nbreak',
      }),
      scanRow(code.id, new Date(at.getTime() - 2_000).toISOString(), {
        country: 'ZZ',
        region: null,
        city: null,
        latitude: null,
        longitude: null,
        browser: '\tTab',
        os: 'Café 中文',
      }),
    ];
    await recordScans(site.service.db, rows);
    await page.goto(`/codes/${code.id}`);
    const file = await readInPage(page, `/codes/${code.id}/scans.csv`);
    expect(file.status).to.equal(200);
    expect(file.type).to.equal('text/csv; charset=utf-8');
    expect(file.disposition).to.equal(
      `attachment; filename="Poster _Caf__ scans.csv"; filename*=UTF-8''Poster%20%C2%ABCaf%C3%A9%C2%BB%20scans.csv`,
    );
    const [first, second, third] = rows.map(({ id, scannedAt }) => `${id},${scannedAt.toISOString()}`);
    expect(file.text).to.equal(
      [
        '\uFEFFid,scannedAt,country,region,city,latitude,longitude,device,browser,os',
        `${first},GB,ENG,St Albans,51.753,-0.3256,mobile,Mobile Safari,iOS`,
        `${second},GB,'-1,"'=HYPERLINK(""http://x"",""y"")",51.753,-0.3256,mobile,"'@SUM(A1), ""quoted""","'+line\r\nbreak"`,
        `${third},ZZ,,,,,mobile,'\tTab,Café 中文`,
        '',
      ].join('\r\n'),
    );
  });

  it('exports all scans, also in several reads', async () => {
    await record(Array.from({ length: 2_001 }, (_, index) => [index / 100]));
    await page.goto(`/codes/${code.id}`);
    const { text } = await readInPage(page, `/codes/${code.id}/scans.csv`);
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 36));
    expect(ids.length).to.equal(2_001);
    expect(ids).to.deep.equal([...new Set(ids)].toSorted().toReversed());
  });

  it('does not exist for other accounts', async () => {
    await record([[0]]);
    const stranger = await site.visitAs(`stranger-of-${email}`);
    for (const path of ['', '/events', '/scans.csv']) {
      const answers = [];
      for (const id of [code.id, missingId]) {
        const answer = await stranger.page.goto(`/codes/${id}${path}`);
        const main = await stranger.page.getByRole('main').textContent();
        answers.push({ status: answer?.status(), main: main?.replace(/[0-9a-f-]{36}/g, '') });
      }
      expect(answers[0]?.status).to.equal(404);
      expect(answers[1]).to.deep.equal(answers[0]);
    }
    const anyone = await fetch(`${site.service.url}/codes/${code.id}`, { redirect: 'manual' });
    expect(anyone.headers.get('location')).to.equal(
      `/signin?next=${encodeURIComponent(`/codes/${code.id}`)}`,
    );
    // As a browser requests a stream, which cannot show the sign-in page.
    const headers = { Accept: 'text/event-stream' };
    expect((await fetch(`${site.service.url}/codes/${code.id}/events`, { headers })).status).to.equal(404);
  });

  it('fits the narrowest phone', async () => {
    await variety();
    await record([
      [0, { city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch', browser: 'x'.repeat(80) }],
    ]);
    ({ page } = await site.visitAs(email, narrowPhone));
    for (const days of [365, 7]) {
      await page.goto(`/codes/${code.id}?days=${days}`);
      await page.getByText('Table of scans per day').click();
      expect(await isTooWide(page)).to.equal(false);
    }
    await expectAccessible(page);
    await site.service.db('scan_counters').where({ qr_code_id: code.id }).increment('count', 123_456_788);
    await page.goto(`/codes/${code.id}?days=7`);
    const total = page.locator('#total-today');
    for (const [ofToday, isLive] of [
      ['123,456,791', false],
      ['123,456,792', true],
    ] as const) {
      if (isLive) await record([[0]]);
      await eventually(async () =>
        expect(await total.locator('[title]').getAttribute('title')).to.equal(ofToday),
      );
      // The visible text and that for screen readers.
      expect(await total.textContent()).to.equal(`123.5M${ofToday}`);
      expect(await total.ariaSnapshot())
        .to.contain(ofToday)
        .and.not.to.contain('123.5M');
      expect(await isTooWide(page)).to.equal(false);
    }
    const [, ofMobile] = (await tableRows('Devices'))[0] ?? [];
    expect(ofMobile).to.match(/^\d{3}(?:\.\d)?M\d{3},\d{3},\d{3}$/);
    await expectAccessible(page);
  });
});

async function readInPage(page: Page, path: string) {
  return page.evaluate(async (address) => {
    const answer = await fetch(address);
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      disposition: answer.headers.get('content-disposition'),
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer()),
    };
  }, path);
}
