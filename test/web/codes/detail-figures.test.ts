import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide, type WebVisitor } from '../../support/web-visitor.ts';
import { codePage, daysAgo, inWords, tableRows } from './code-page.ts';

inABrowser('The figures of a code', sharedService, (site) => {
  const current = codePage(site);

  it('shows the numbers of the API for each period', async () => {
    await current.recordVariety();
    const { page, api, code } = current;
    await page.goto(`/codes/${code.id}?days=7`);
    for (const days of [7, 30, 90, 365]) {
      const { html, totals, bars, tables, countries } = await readFigures(
        page,
        `/codes/${code.id}?days=${days}`,
      );
      const { body: figures } = await api(`/qrcodes/${code.id}/analytics?days=${days}`);
      expect(totals).to.deep.equal(
        [figures.totalScans, 2, figures.uniqueCountries, figures.uniqueCities].map(String),
      );
      expect(tables['Scans per day, newest first']).to.deep.equal(
        figures.timeline
          .toReversed()
          .map(({ date, scans }: { date: string; scans: number }) => [inWords(date), String(scans)]),
      );
      expect(bars.length).to.equal(days === 365 ? 52 : days);
      expect(bars.reduce((sum, scans) => sum + scans, 0)).to.equal(figures.totalScans);
      const share = (count: number) => `${((count / figures.totalScans) * 100).toFixed(1)} %`;
      const rows = (list: Record<string, string | number>[], key: string) =>
        list.map((entry) => [entry[key], String(entry['count']), share(entry['count'] as number)]);
      expect(tables['Browsers']).to.deep.equal(rows(figures.byBrowser, 'browser'));
      expect(tables['Systems']).to.deep.equal(rows(figures.byOs, 'os'));
      const lower = tables['Devices']?.map(([name = '', ...rest]) => [name.toLowerCase(), ...rest]);
      expect(lower).to.deep.equal(rows(figures.byDevice, 'device'));
      expect(tables['Countries']?.map(([, count]) => Number(count))).to.deep.equal(
        figures.byCountry.map(({ count }: { count: number }) => count),
      );
      expect(tables['Cities']?.length).to.equal(figures.uniqueCities);
      const map = /<svg class="world".*?<\/svg>/s.exec(html)?.[0] ?? '';
      expect(map.length).to.be.within(10_000, 60_000);
      expect(html.length - map.length).to.be.below(100_000);
      if (days !== 365) continue;
      expect(countries).to.have.members(['Germany: 2', 'United Kingdom: 1', 'United States: 2']);
      expect(tables['Cities']?.map(([name]) => name)).to.deep.equal([
        'Berlin, Germany',
        'St Albans, United Kingdom',
        'Singapore, Singapore',
        'Springfield, IL, United States',
        'Springfield, MA, United States',
      ]);
      expect(tables['Countries']?.map(([name]) => name)).to.include('Unknown');
    }
    expect(await page.locator('#total-scans').textContent()).to.equal('4');
    await page.getByText('Table of scans per day').click();
    expect((await tableRows(page, 'Scans per day, newest first')).length).to.equal(7);
    await expectAccessible(page);
  });

  it('has a text instead of empty charts until the first scan', async () => {
    await current.page.goto(`/codes/${current.code.id}`);
    expect(await current.page.getByRole('heading', { name: 'No scans yet' }).isVisible()).to.equal(true);
    expect(await current.page.getByRole('link', { name: 'its share link' }).getAttribute('href')).to.equal(
      current.code.shareUrl,
    );
    expect(await current.page.locator('#timeline, .ranking, #scans').count()).to.equal(0);
    await expectAccessible(current.page);
    // With only old scans there is a chart, without a highest bar.
    await current.record([[100]]);
    await current.page.goto(`/codes/${current.code.id}`);
    expect(await current.page.locator('.timeline figcaption').textContent()).to.equal(
      'No scans in these 30 days',
    );
    expect(await current.page.locator('.ranking').count()).to.equal(0);
    expect((await tableRows(current.page, 'Scans, newest first')).length).to.equal(1);
  });

  it('has an axis of round numbers, and marks the incomplete bar', async () => {
    await current.record(Array.from({ length: 21 }, () => [1]));
    await current.page.goto(`/codes/${current.code.id}?days=7`);
    expect(await current.page.locator('.axis span').allTextContents()).to.deep.equal(['24', '12', '0']);
    const last = current.page.locator('#timeline rect').last();
    const today = `${inWords(daysAgo(0))} (so far): 0`;
    expect(await last.textContent()).to.equal(today);
    expect(await current.page.locator('.timeline figcaption').textContent()).to.equal(
      'Scans per day (UTC). Today so far is fainter.',
    );
    expect(await current.page.locator('.ends span').allTextContents()).to.deep.equal(
      [daysAgo(6), daysAgo(0)].map(inWords),
    );
    const tip = current.page.locator('.tip');
    const yesterday = `${inWords(daysAgo(1))}: 21`;
    const { width = 0 } = (await current.page.locator('#timeline').boundingBox()) ?? {};
    await current.page.locator('#timeline').hover({ position: { x: width * 0.8, y: 5 } });
    expect(await tip.allTextContents()).to.deep.equal([yesterday]);
    await current.page.locator('h1').hover();
    expect(await tip.count()).to.equal(0);
    // One tab stop: the arrow keys move between the bars.
    await current.page.getByRole('link', { name: '365 days' }).focus();
    await current.page.keyboard.press('Tab');
    expect(await tip.allTextContents()).to.deep.equal([today]);
    await current.page.keyboard.press('ArrowLeft');
    expect(await tip.allTextContents()).to.deep.equal([yesterday]);
    expect(await current.page.locator('#announcement').textContent()).to.equal(yesterday);
    await expectAccessible(current.page);
    await current.page.keyboard.press('Tab');
    expect(await tip.count()).to.equal(0);
    expect(await current.page.locator(':focus').textContent()).to.equal('Table of scans per day');
    expect(await current.page.locator('#timeline').getAttribute('aria-label')).to.contain(
      '21 in total, at most 21',
    );
  });

  it('formats days and times in the locale of the viewer, and names the time zone', async () => {
    await current.recordVariety();
    await current.api(`/qrcodes/${current.code.id}`, {
      method: 'PATCH',
      body: { expiresAt: '2031-01-01T09:30:00.000Z' },
    });
    const german = { locale: 'de-DE', timezoneId: 'Asia/Tokyo' };
    const scripted = await site.visitAs(current.email, german);
    const plain = await site.visitAs(current.email, { ...german, javaScriptEnabled: false });
    const shown = async ({ page: viewed }: WebVisitor) => {
      await viewed.goto(`/codes/${current.code.id}?days=7`);
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

  it('fits the narrowest phone', async () => {
    await current.recordVariety();
    await current.record([
      [0, { city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch', browser: 'x'.repeat(80) }],
    ]);
    const { page } = await site.visitAs(current.email, narrowPhone);
    for (const days of [365, 7]) {
      await page.goto(`/codes/${current.code.id}?days=${days}`);
      await page.getByText('Table of scans per day').click();
      expect(await isTooWide(page)).to.equal(false);
    }
    await expectAccessible(page);
    await site.service
      .db('scan_counters')
      .where({ qr_code_id: current.code.id })
      .increment('count', 123_456_788);
    await page.goto(`/codes/${current.code.id}?days=7`);
    const total = page.locator('#total-today');
    for (const [ofToday, isLive] of [
      ['123,456,791', false],
      ['123,456,792', true],
    ] as const) {
      if (isLive) await current.record([[0]]);
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
    const [, ofMobile] = (await tableRows(page, 'Devices'))[0] ?? [];
    expect(ofMobile).to.match(/^\d{3}(?:\.\d)?M\d{3},\d{3},\d{3}$/);
    await expectAccessible(page);
  });
});

interface Figures {
  html: string;
  totals: string[];
  bars: number[];
  tables: Record<string, string[][]>;
  countries: string[];
}

/** Of a page that is parsed but not shown, which takes much longer. */
function readFigures(page: Page, path: string): Promise<Figures> {
  return page.evaluate<Figures>(`(async () => {
    const html = await (await fetch('${path}')).text();
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    const all = (selector) => [...parsed.querySelectorAll(selector)];
    const texts = (elements) => [...elements].map(({ textContent }) => textContent.trim());
    const rowsOf = (table) => [...table.querySelectorAll('tbody tr')].map((row) => texts(row.children));
    return {
      html,
      totals: texts(all('#totals dd')),
      bars: all('#timeline rect').map((rect) => Number(rect.getAttribute('data-value'))),
      tables: Object.fromEntries(all('table').map((table) => [table.caption.textContent, rowsOf(table)])),
      countries: texts(all('.world title')),
    };
  })()`);
}
