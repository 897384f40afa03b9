import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { createCode } from '../../support/share.ts';
import { codePage, daysAgo } from './code-page.ts';

inABrowser('The page of a code', sharedService, (site) => {
  const current = codePage(site);

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
    const { page, api } = current;
    await page.goto('/codes');
    for (const [changes, facts] of contents) {
      const { id } = await createCode(api, changes);
      const { rows, times, hrefs } = await readFacts(page, `/codes/${id}`);
      const shown = Object.fromEntries(rows);
      expect(shown).to.include(facts);
      expect(Object.keys(shown)).to.have.members([...Object.keys(facts), 'Created', 'Expires']);
      expect(JSON.stringify(rows)).not.to.contain('let me in');
      const { body } = await api(`/qrcodes/${id}`);
      // Half of a year before the end, scans begin to renew it.
      const renewedFrom = new Date(Date.parse(body.expiresAt) - 182.5 * 86_400_000)
        .toISOString()
        .slice(0, 10);
      expect(times).to.deep.equal([body.createdAt, body.expiresAt, renewedFrom]);
      // Each link is one.
      if (changes['type'] === 'social') expect(hrefs).to.deep.equal(links);
    }
    await page.goto(`/codes/${current.code.id}`);
    expect(await page.locator('.facts a').getAttribute('rel')).to.equal('noreferrer');
    const text = `${'Long text. '.repeat(60)}The end.`;
    const { id } = await createCode(current.api, { type: 'text', content: text });
    await current.page.goto(`/codes/${id}`);
    await current.page.getByText('Show all').click();
    expect(await current.page.locator('.facts .whole').innerText()).to.equal(text);
    expect(await current.page.locator('.facts .gist').isVisible()).to.equal(false);
  });

  it('can be made favorite, private and public, and links back to the list', async () => {
    await current.page.goto(`/codes/${current.code.id}`);
    await current.page.getByRole('button', { name: 'Favorite: Poster «Café»' }).click();
    await current.page.getByRole('status').filter({ hasText: 'Added to your favorites.' }).waitFor();
    expect(await current.page.locator('.star').getAttribute('aria-pressed')).to.equal('true');
    await current.page.getByRole('button', { name: 'Make private' }).click();
    expect(await current.page.getByRole('status').first().textContent()).to.contain(
      'The code is private now',
    );
    expect(await current.page.locator('.notice').count()).to.equal(1);
    expect((await current.api(`/qrcodes/${current.code.id}`)).body).to.include({
      isPublic: false,
      isFavorite: true,
    });
    await current.page.getByRole('button', { name: 'Make public' }).click();
    expect((await current.api(`/qrcodes/${current.code.id}`)).body).to.include({ isPublic: true });
    expect(new URL(current.page.url()).pathname).to.equal(`/codes/${current.code.id}`);
    await current.page.getByRole('link', { name: 'All QR codes' }).click();
    await current.page.waitForURL('**/codes');
  });

  /** A file of each kind for each of the two texts, which a decoder reads in the PNGs. */
  async function expectDownloads(): Promise<void> {
    const links = await current.page.locator('.downloads a').all();
    const texts: (string | undefined)[] = [];
    const names: (string | undefined)[] = [];
    for (const link of links) {
      const answer = await current.page.request.get((await link.getAttribute('href')) ?? '');
      expect(answer.status()).to.equal(200);
      names.push(/^attachment; filename="([^"]+)"/.exec(answer.headers()['content-disposition'] ?? '')?.[1]);
      if (answer.headers()['content-type'] === 'image/png')
        texts.push((await scan(await answer.body()))?.toString());
    }
    expect(names).to.deep.equal([
      'Poster _Caf__.svg',
      'Poster _Caf__.png',
      'Poster _Caf__.pdf',
      'Poster _Caf__.direct.svg',
      'Poster _Caf__.direct.png',
      'Poster _Caf__.direct.pdf',
    ]);
    expect(texts).to.deep.equal([current.code.shareUrl, current.code.content]);
  }

  it('has the picture, downloads, a share link to copy, and warnings without API names', async () => {
    const { body } = await current.api(`/qrcodes/${current.code.id}`, {
      method: 'PATCH',
      body: { foregroundColor: '#cccccc', backgroundColor: '#ffffff', category: 'Spring' },
    });
    await current.page.goto(`/codes/${current.code.id}`);
    expect(await current.page.title()).to.equal('Poster «Café» · Qrelay');
    expect(await current.page.getByLabel('Share link').inputValue()).to.equal(body.shareUrl);
    const picture = current.page.getByRole('img', { name: 'QR code of Poster «Café»' });
    await eventually(async () =>
      expect(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).to.be.above(0),
    );
    expect(await current.page.locator('.notice').textContent())
      .to.contain('Choose a darker foreground color')
      .and.not.to.contain('foregroundColor');
    await expectDownloads();
    expect(await current.page.locator('.badge').allTextContents()).to.deep.equal([
      'Web address',
      'Public',
      'Spring',
    ]);
    await current.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await current.page.getByRole('button', { name: 'Copy link' }).click();
    await current.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await current.page.evaluate('navigator.clipboard.readText()')).to.equal(body.shareUrl);
    await expectAccessible(current.page);
  });

  it('shows the direct code of a network, and which scans are counted', async () => {
    const content = 'WIFI:T:WPA;S:Guests;P:let me in;;';
    const { id, shareUrl } = await createCode(current.api, { name: 'Guests', type: 'wifi', content });
    await current.page.goto(`/codes/${id}`);
    const picture = current.page.getByRole('img', { name: 'QR code of Guests' });
    expect((await scan(await picture.screenshot()))?.toString()).to.equal(content);
    const read = [];
    for (const name of ['Download direct code as PNG', 'Download link code as PNG']) {
      const href = (await current.page.getByLabel(name).getAttribute('href')) ?? '';
      read.push((await scan(await (await current.page.request.get(href)).body()))?.toString());
    }
    expect(read).to.deep.equal([content, shareUrl]);
    const downloads = current.page.locator('.downloads');
    expect(await downloads.locator('> .hint').textContent()).to.equal(
      'Joins at once and works offline. Scans are not counted. Print it again when the network changes.',
    );
    await current.page.getByText('Link code', { exact: true }).click();
    expect(await downloads.locator('details .hint').innerText()).to.equal(
      'Opens a page with the network and its password. Needs mobile data. Scans are counted.',
    );
    expect(await current.page.locator('#no-scans').textContent()).to.contain('its scans are not counted');
    await expectAccessible(current.page);
    await current.page.goto(`/codes/${id}/edit`);
    const preview = current.page.getByRole('img', { name: 'Preview of the QR code' });
    expect((await scan(await preview.screenshot()))?.toString()).to.equal(content);
  });

  it('keeps all actions reachable beside the scans, also in a low window', async () => {
    await current.recordVariety();
    // The warning makes it taller than the window.
    await current.api(`/qrcodes/${current.code.id}`, {
      method: 'PATCH',
      body: { foregroundColor: '#eeeeee' },
    });
    await current.page.setViewportSize({ width: 1280, height: 870 });
    await current.page.goto(`/codes/${current.code.id}`);
    const side = current.page.locator('.code-side');
    expect(await side.evaluate((card) => card.scrollHeight - card.clientHeight)).to.equal(0);
    await current.page.evaluate('scrollTo(0, 600)');
    await eventually(async () => {
      const { y = 0, height = 0 } = (await side.getByRole('link', { name: 'Delete' }).boundingBox()) ?? {};
      expect([y > 0, y + height < 870]).to.deep.equal([true, true]);
    });
  });

  it('prints only the name and the picture at 60 mm, always light', async () => {
    await current.recordVariety();
    await current.api(`/qrcodes/${current.code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await current.page.setViewportSize({ width: 794, height: 1123 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await current.page.emulateMedia({ media: 'screen', colorScheme });
      await current.page.goto(`/codes/${current.code.id}`);
      await current.page.emulateMedia({ media: 'print', colorScheme });
      expect((await current.page.locator('body').innerText()).trim()).to.equal('Poster «Café»');
      const { width, height } = (await current.page.locator('.code-side > img').boundingBox()) ?? {};
      expect([width, height].map((pixels) => Math.round(pixels ?? 0))).to.deep.equal([227, 227]);
      expect(await current.page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
        'rgb(255, 255, 255)',
      );
      expect(await current.page.evaluate('getComputedStyle(document.querySelector("h1")).color')).to.equal(
        'rgb(0, 0, 0)',
      );
      expect((await scan(await current.page.screenshot()))?.toString()).to.equal(current.code.shareUrl);
      const pages = (await current.page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
      expect(pages?.length).to.equal(1);
    }
  });

  it('shows why the share link does not work, and the button that fixes it', async () => {
    const solidButtons = () =>
      current.page.locator('main :is(button, .button):not(.quiet, .star)').allTextContents();
    await current.api(`/qrcodes/${current.code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await current.page.goto(`/codes/${current.code.id}`);
    expect(await current.page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Private']);
    expect(await solidButtons()).to.deep.equal(['Make public']);
    await expectAccessible(current.page);
    await expectDownloads();
    await current.api(`/qrcodes/${current.code.id}`, {
      method: 'PATCH',
      body: { isPublic: true, expiresAt: daysAgo(1) },
    });
    await current.page.goto(`/codes/${current.code.id}`);
    expect(await current.page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Expired']);
    expect(await solidButtons()).to.deep.equal(['Renew']);
    expect(await current.page.locator('.live-mark').count()).to.equal(0);
    await expectAccessible(current.page);

    await current.page.getByRole('link', { name: 'Change when it expires' }).click();
    await current.page.getByLabel('Last day').fill('2030-12-31');
    await current.page.getByRole('button', { name: 'Save changes' }).click();
    expect(await current.page.locator('.badge').allTextContents()).to.deep.equal(['Web address', 'Public']);
    expect(await solidButtons()).to.deep.equal(['Copy link']);
    expect(await current.page.locator('.facts').textContent()).to.contain('ExpiresDec 31, 2030 (UTC)');
    const { body } = await current.api(`/qrcodes/${current.code.id}`);
    expect(body.expiresAt).to.equal('2031-01-01T00:00:00.000Z');
  });
});

interface Facts {
  rows: [name: string, value: string][];
  times: string[];
  hrefs: string[];
}

/** Of a page that is parsed but not shown, which takes much longer. */
function readFacts(page: Page, path: string): Promise<Facts> {
  return page.evaluate<Facts>(`(async () => {
    const html = await (await fetch('${path}')).text();
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    const all = (selector) => [...parsed.querySelectorAll(selector)];
    return {
      rows: all('.facts > div').map((row) => [...row.children].map((cell) => cell.textContent)),
      times: all('.facts time').map((time) => time.getAttribute('datetime')),
      hrefs: all('.facts a').map((link) => link.getAttribute('href')),
    };
  })()`);
}
