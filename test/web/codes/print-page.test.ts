import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { hasChineseFont } from '../../support/chinese-font.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { canRenderPdf, findCodes, pageSizesMm, pdfText, renderPdf } from '../../support/render-pdf.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner } from './code-owner.ts';

const a4: [number, number] = [210, 297];
const letter: [number, number] = [215.9, 279.4];
/** A share link of the tests has 29 modules, and 8 for the margin. */
const symbolShare = 29 / 37;

inABrowser('The print page of a code', sharedService, (site) => {
  const owner = codeOwner(site);

  const print = async () =>
    Buffer.from(await owner.page.pdf({ preferCSSPageSize: true, printBackground: false }));
  /** One page. Chromium rounds its size down to a multiple of 0.24 points. */
  async function expectOnePage(pdf: Buffer, [width, height]: [number, number]): Promise<void> {
    const sizes = await pageSizesMm(pdf);
    expect(sizes).to.have.length(1);
    expect(sizes[0]?.[0]).to.be.closeTo(width, 0.2);
    expect(sizes[0]?.[1]).to.be.closeTo(height, 0.2);
  }
  const linkOf = ({ shareToken }: { shareToken: string }) => `https://qr.test/r/${shareToken}`;

  for (const colorScheme of ['light', 'dark'] as const)
    it(`prints one page with name, text and the code in its size, from a ${colorScheme} screen`, async function () {
      if (!canRenderPdf()) return this.skip();
      await owner.enter({ colorScheme });
      const code = await owner.store({ name: 'Summer menu' });
      await owner.page.goto(`/codes/${code.id}`);
      await owner.page.getByRole('link', { name: 'Print', exact: true }).click();
      await expectAccessible(owner.page);
      await owner.fillIn({ 'Width (mm)': '100', 'Text (optional)': 'Order at your table' });
      await owner.page.getByRole('button', { name: 'Update the preview' }).click();
      await owner.page.getByText('100 mm wide: phones read it from up to about 80 cm.').waitFor();

      const pdf = await print();
      await expectOnePage(pdf, a4);
      expect((await pdfText(pdf)).trim().split(/\n+/)).to.deep.equal(['Summer menu', 'Order at your table']);
      const [page] = await renderPdf(pdf);
      if (!page) throw new Error('nothing was printed');
      const [found, ...more] = await findCodes(page);
      expect(more).to.deep.equal([]);
      expect(found?.text).to.equal(linkOf(code));
      expect(found?.widthMm).to.be.closeTo(100 * symbolShare, 0.5);
      expect(found?.xMm).to.be.closeTo(105, 0.5);
      // White paper: the corner of the page has no ink.
      expect(page.dots[0]).to.equal(255);
    });

  const cards = [
    { query: 'format=tent&paper=Letter&language=de', size: letter, codes: 2, widthMm: 80, text: 'Scan mich' },
    { query: 'format=sticker&paper=A4&language=fr', size: a4, codes: 16, widthMm: 40, text: 'Scannez-moi' },
    { query: 'format=card&paper=Letter&language=zh', size: letter, codes: 10, widthMm: 32, text: '扫一扫' },
  ];
  for (const { query, size, codes, widthMm, text } of cards) {
    it(`prints table tents, stickers and business cards, in another language and on Letter: ${query}`, async function () {
      if (!canRenderPdf()) return this.skip();
      if (query.endsWith('zh') && !hasChineseFont()) return this.skip();
      await owner.enter();
      const code = await owner.store({ name: 'x'.repeat(100) });
      await owner.page.goto(`/codes/${code.id}/print?${query}`);
      const pdf = await print();
      await expectOnePage(pdf, size);
      expect(await pdfText(pdf)).to.include(text);
      const [page] = await renderPdf(pdf);
      const found = await findCodes(page as NonNullable<typeof page>);
      expect(found.map((each) => each.text)).to.deep.equal(Array(codes).fill(linkOf(code)));
      for (const each of found) expect(each.widthMm).to.be.closeTo(widthMm * symbolShare, 0.5);
    });
  }

  it('prints a framed code as wide as asked, says its text once, and from how far its smaller symbol reads', async function () {
    if (!canRenderPdf()) return this.skip();
    await owner.enter();
    const code = await owner.store({ name: 'Framed menu' });
    const design = { moduleShape: 'rounded', frame: 'band', frameText: 'Scan me' };
    const saved = await (await owner.api())(`/qrcodes/${code.id}/design`, { method: 'PUT', body: design });
    expect(saved.status).to.equal(200);
    await owner.page.goto(`/codes/${code.id}/print?paper=A4&shown=poster&width=100`);
    await owner.page
      .getByText('100 mm wide with its frame: phones read it from up to about 70 cm.')
      .waitFor();
    const poster = await print();
    await expectOnePage(poster, a4);
    // The text of the frame is drawn.
    expect((await pdfText(poster)).trim()).to.equal('Framed menu');
    // The border of the frame is a module wide.
    await expectCodes(poster, 1, (100 * 29) / 39);

    for (const [format, copies, widthMm] of [
      ['tent', 2, 68],
      ['sticker', 16, 34],
      ['card', 10, 27],
    ] as const) {
      await owner.page.goto(`/codes/${code.id}/print?format=${format}&paper=Letter`);
      expect(await owner.page.getByLabel('Width (mm)').inputValue(), format).to.equal(String(widthMm));
      const pdf = await print();
      await expectOnePage(pdf, letter);
      await expectCodes(pdf, copies, (widthMm * 29) / 39);
    }
    await owner.page.goto(`/codes/${code.id}/print?shown=poster&width=155`);
    await owner.page.getByText('Width (mm) must be a number from 10 to 154.').waitFor();
    await owner.page.goto(`/codes/${code.id}/print?format=sticker&shown=sticker&width=14`);
    await owner.page.getByText('Print this code at least 20 mm wide with its frame.').waitFor();

    async function expectCodes(pdf: Buffer, count: number, symbolMm: number): Promise<void> {
      const [page] = await renderPdf(pdf);
      const found = await findCodes(page as NonNullable<typeof page>);
      expect(found.map(({ text }) => text)).to.deep.equal(Array(count).fill(linkOf(code)));
      for (const each of found) expect(each.widthMm).to.be.closeTo(symbolMm, 0.5);
    }
  });

  it('prints the network itself for Wi-Fi, and the link if asked to', async () => {
    await owner.enter();
    const wifi = await owner.store({
      name: 'Guests',
      type: 'wifi',
      content: 'WIFI:T:WPA;S:Guests;P:secret12;;',
    });
    await owner.page.goto(`/codes/${wifi.id}/print`);
    expect(await owner.page.getByLabel('Code', { exact: true }).inputValue()).to.equal('content');
    expect(await owner.page.locator('.sheet image').getAttribute('href')).to.match(
      /print\.svg\?encode=content$/,
    );
    expect(await owner.page.locator('.sheet').textContent()).to.include('Scan to join the Wi-Fi');
    await owner.page.getByLabel('Code', { exact: true }).selectOption('link');
    await owner.page.waitForURL(/holds=link/);
    expect(await owner.page.locator('.sheet image').getAttribute('href')).to.match(/print\.svg$/);
  });

  it('says what is too small or not a width, and warns before a private code is printed', async () => {
    await owner.enter();
    const code = await owner.store();
    await owner.page.goto(`/codes/${code.id}/print?format=sticker&shown=sticker&width=10`);
    await owner.page.getByText('Print this code at least 12 mm wide.').waitFor();
    for (const width of ['9', '91', 'wide', '-1', '1e2', '']) {
      await owner.page.goto(`/codes/${code.id}/print?format=sticker&shown=sticker&width=${width}`);
      const errors = await owner.page.getByText('Width (mm) must be a number from 10 to 90.').count();
      expect(errors, width).to.equal(width === '' ? 0 : 1);
    }
    await (await owner.api())(`/qrcodes/${code.id}`, { method: 'PATCH', body: { isPublic: false } });
    await owner.page.goto(`/codes/${code.id}/print`);
    expect(await owner.page.getByRole('alert').textContent()).to.include('This code is private');
  });

  it('fits narrow phones', async () => {
    await owner.enter(narrowPhone);
    const code = await owner.store({ name: 'Menu '.repeat(20).trim() });
    for (const format of ['poster', 'tent', 'sticker', 'card']) {
      await owner.page.goto(`/codes/${code.id}/print?format=${format}&paper=Letter`);
      expect(await isTooWide(owner.page), format).to.equal(false);
    }
    await expectAccessible(owner.page);
  });
});
