import { expect } from 'chai';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { createCode } from '../../support/share.ts';
import { isTooWide, type WebVisitor } from '../../support/web-visitor.ts';
import { codePage, daysAgo, inWords, tableRows } from './code-page.ts';

/** What the page of a code does and looks like. What it contains is in detail-pages.test.ts. */
inABrowser('The page of a code', sharedService, (site) => {
  const current = codePage(site);
  const path = () => `/codes/${current.code.id}`;

  it('shows the picture, prints only it and the name, copies the share link, and opens what is folded', async () => {
    const { page, api, code } = current;
    await current.recordVariety();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await page.goto(path());
    const picture = page.getByRole('img', { name: 'QR code of Poster «Café»' });
    await eventually(async () =>
      expect(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).to.be.above(0),
    );
    await expectAccessible(page);

    await page.setViewportSize({ width: 794, height: 1123 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ media: 'print', colorScheme });
      expect((await page.locator('body').innerText()).trim()).to.equal('Poster «Café»');
      const { width, height } = (await page.locator('.code-side > img').boundingBox()) ?? {};
      // 60 mm
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
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(code.shareUrl);

    const text = `${'Long text. '.repeat(60)}The end.`;
    const { id } = await createCode(api, { type: 'text', content: text });
    await page.goto(`/codes/${id}`);
    await page.getByText('Show all').click();
    expect(await page.locator('.facts .whole').innerText()).to.equal(text);
    expect(await page.locator('.facts .gist').isVisible()).to.equal(false);
  });

  it('shows the static code of a network, on its page', async () => {
    const { page, api } = current;
    const content = 'WIFI:T:WPA;S:Guests;P:let me in;;';
    const { id } = await createCode(api, { name: 'Guests', type: 'wifi', content });
    await page.goto(`/codes/${id}`);
    const picture = page.getByRole('img', { name: 'QR code of Guests' });
    expect((await scan(await picture.screenshot()))?.toString()).to.equal(content);
    await page.getByText('Dynamic code', { exact: true }).click();
    await expectAccessible(page);
  });

  it('has an axis of round numbers, marks the incomplete bar, and shows bars by pointer and keyboard', async () => {
    const { page } = current;
    await current.record(Array.from({ length: 21 }, () => [1]));
    // Expired, with a warning that makes the actions taller than the window.
    await current.api(`/qrcodes/${current.code.id}`, {
      method: 'PATCH',
      body: { foregroundColor: '#eeeeee', expiresAt: daysAgo(1) },
    });
    await page.setViewportSize({ width: 1280, height: 870 });
    await page.goto(`${path()}?days=7`);
    expect(await page.locator('.axis span').allTextContents()).to.deep.equal(['24', '12', '0']);
    const last = page.locator('#timeline rect').last();
    const today = `${inWords(daysAgo(0))} (so far): 0`;
    expect(await last.textContent()).to.equal(today);
    expect(await page.locator('.timeline figcaption').textContent()).to.equal(
      'Scans per day (UTC). Today so far is fainter.',
    );
    // The days of the bars in between are without their year.
    const ends = await page.locator('.ends span').allTextContents();
    expect([ends[0], ends.at(-1)]).to.deep.equal([daysAgo(6), daysAgo(0)].map(inWords));
    expect(ends.slice(1, -1)).to.deep.equal(
      [5, 3, 1].map((days) => inWords(daysAgo(days)).replace(/, \d+$/, '')),
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
    expect(await page.locator(':focus').textContent(), 'the menu of other periods').to.equal('Custom');
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
    await page.getByText('Table of scans per day').click();
    expect((await tableRows(page, 'Scans per day, newest first')).length).to.equal(7);

    // The code and its files stay beside the scans, also in a low window.
    const side = page.locator('.code-side');
    expect(await side.evaluate((card) => card.scrollHeight - card.clientHeight)).to.equal(0);
    await page.evaluate('scrollTo(0, 600)');
    await eventually(async () => {
      const { y = 0, height = 0 } =
        (await side
          .getByRole('link', { name: /as PDF$/ })
          .first()
          .boundingBox()) ?? {};
      expect([y > 0, y + height < 870]).to.deep.equal([true, true]);
    });
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
      await viewed.goto(`${path()}?days=7`);
      const times = await viewed
        .locator('time')
        .evaluateAll((all) =>
          all.map((time) => [
            time.getAttribute('datetime') ?? '',
            time.textContent ?? '',
            time.getAttribute('lang'),
            time.closest('.ends > :not(:first-child, :last-child)')
              ? 'between'
              : time.closest('.code-side') && 'side',
          ]),
        );
      const note = await viewed.locator('[data-zone]').textContent();
      return { times, note };
    };
    const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
    const time = { ...day, hour: 'numeric', minute: '2-digit' } as const;
    const expectTimes = (times: (string | null)[][], timeZone: string) => {
      const zoned = { ...time, timeZone, timeZoneName: 'short' } as const;
      for (const [written, text, lang, place] of times) {
        const at = String(written);
        expect(lang).to.equal('de-DE');
        if (place === 'between') {
          const short = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
          expect(text, at).to.equal(new Intl.DateTimeFormat('de-DE', short).format(new Date(at)));
          continue;
        }
        // The facts beside the picture say their time zone each, the scans once for all of them.
        const wanted =
          at.length === 10 ? { ...day, timeZone: 'UTC' } : place === 'side' ? zoned : { ...time, timeZone };
        expect(text, at).to.equal(new Intl.DateTimeFormat('de-DE', wanted).format(new Date(at)));
      }
    };
    const withScript = await shown(scripted);
    expect(withScript.times.length).to.be.above(10);
    expectTimes(withScript.times, 'Asia/Tokyo');
    const [, , expiry] = withScript.times.filter(([, , , place]) => place === 'side');
    expect(expiry?.[1]).to.match(/^1\. Jan\. 2031, 18:30 /);
    expect(withScript.note).to.equal('Times in your time zone, Asia/Tokyo');
    const without = await shown(plain);
    expectTimes(without.times, 'UTC');
    expect(without.note).to.equal('Times in UTC');
    // Controls that need a script are hidden.
    expect(await plain.page.locator('[data-copy]').count()).to.equal(1);
    expect(await plain.page.locator('[data-copy]').isVisible()).to.equal(false);
    expect(await scripted.page.locator('.timeline figcaption').textContent()).to.contain('per day (UTC)');
    expect(await scripted.page.locator('#totals dt').allTextContents()).to.include('Today (UTC)');
    await expectAccessible(scripted.page);
  });

  it('fits the narrowest phone, with any numbers', async () => {
    await current.recordVariety();
    await current.record([
      [0, { city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch', browser: 'x'.repeat(80) }],
    ]);
    const { page } = await site.visitAs(current.email, narrowPhone);
    await page.goto(`${path()}?days=365`);
    await page.getByText('Table of scans per day').click();
    expect(await isTooWide(page)).to.equal(false);
    await site.service
      .db('scan_counters')
      .where({ qr_code_id: current.code.id })
      .increment('count', 123_456_788);
    await page.goto(`${path()}?days=7`);
    await page.getByText('Table of scans per day').click();
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
