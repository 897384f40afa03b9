import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { hasChineseFont } from '../../support/chinese-font.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { canRenderPdf, findCodes, pageSizesMm, pdfText, renderPdf } from '../../support/render-pdf.ts';
import { provingService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, type PlainOwner, plainOwner } from './code-owner.ts';

const a4: [number, number] = [210, 297];
const letter: [number, number] = [215.9, 279.4];
/** A share link of the tests has 29 modules, and 8 for the margin. */
const symbolShare = 29 / 37;
const linkOf = ({ shareToken }: { shareToken: string }) => `https://qr.test/r/${shareToken}`;
const framed = { moduleShape: 'rounded', frame: 'band', frameText: 'Scan me' };

inABrowser('The print page of a code', provingService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  const print = async () =>
    Buffer.from(await owner.page.pdf({ preferCSSPageSize: true, printBackground: false }));
  /** One page. Chromium rounds its size down to a multiple of 0.24 points. */
  async function expectOnePage(pdf: Buffer, [width, height]: [number, number]): Promise<void> {
    const sizes = await pageSizesMm(pdf);
    expect(sizes).to.have.length(1);
    expect(sizes[0]?.[0]).to.be.closeTo(width, 0.2);
    expect(sizes[0]?.[1]).to.be.closeTo(height, 0.2);
  }
  /** That many, all of the same link and width. */
  async function expectCodes(
    pdf: Buffer,
    code: { shareToken: string },
    count: number,
    symbolMm: number,
    dotsPerInch = 150,
  ) {
    const [page] = await renderPdf(pdf, dotsPerInch);
    if (!page) throw new Error('nothing was printed');
    const found = await findCodes(page);
    expect(found.map(({ text }) => text)).to.deep.equal(Array(count).fill(linkOf(code)));
    for (const each of found) expect(each.widthMm).to.be.closeTo(symbolMm, 0.5);
    return { page, found };
  }

  it('prints one page with name, text and the code in its size, from light and dark screens', async function () {
    if (!canRenderPdf()) return this.skip();
    const { page } = owner;
    const code = await owner.store({ name: 'Summer menu' });
    await page.goto(`/codes/${code.id}`);
    await page.getByRole('link', { name: 'Print', exact: true }).click();
    await expectAccessible(page);
    await owner.fillIn({ 'Width (mm)': '100', 'Text (optional)': 'Order at your table' });
    // No button has to be pressed.
    await page.getByText('100 mm wide: phones read it from up to about 80 cm.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const pdf = await print();
      await expectOnePage(pdf, a4);
      expect((await pdfText(pdf)).trim().split(/\n+/)).to.deep.equal(['Summer menu', 'Order at your table']);
      const { page: paper, found } = await expectCodes(pdf, code, 1, 100 * symbolShare);
      expect(found[0]?.xMm).to.be.closeTo(105, 0.5);
      // White paper: the corner of the page has no ink.
      expect(paper.dots[0]).to.equal(255);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    // A choice is shown at once.
    await page.getByLabel('Format').selectOption('tent');
    await page.waitForURL(/format=tent/);
  });

  const cards = [
    { query: 'format=tent&paper=Letter&language=de', size: letter, codes: 2, widthMm: 80, text: 'Scan mich' },
    { query: 'format=sticker&paper=A4&language=fr', size: a4, codes: 12, widthMm: 40, text: 'Scannez-moi' },
    { query: 'format=card&paper=Letter&language=zh', size: letter, codes: 10, widthMm: 32, text: '扫一扫' },
  ];
  for (const { query, size, codes, widthMm, text } of cards) {
    it(`prints table tents, stickers and business cards, in another language and on Letter: ${query}`, async function () {
      if (!canRenderPdf()) return this.skip();
      if (query.endsWith('zh') && !hasChineseFont()) return this.skip();
      const code = await owner.store({ name: 'x'.repeat(100) });
      await owner.page.goto(`/codes/${code.id}/print?${query}`);
      const pdf = await print();
      await expectOnePage(pdf, size);
      expect(await pdfText(pdf)).to.include(text);
      await expectCodes(pdf, code, codes, widthMm * symbolShare);
    });
  }

  it('prints a framed code as wide as asked, says its text once, and from how far its smaller symbol reads', async function () {
    if (!canRenderPdf()) return this.skip();
    const { page } = owner;
    const code = await owner.store({ name: 'Framed menu' });
    const saved = await (await owner.api())(`/qrcodes/${code.id}/design`, { method: 'PUT', body: framed });
    expect(saved.status).to.equal(200);
    await page.goto(`/codes/${code.id}/print?paper=A4&shown=poster&width=100`);
    await page.getByText('100 mm wide with its frame: phones read it from up to about 70 cm.').waitFor();
    const poster = await print();
    await expectOnePage(poster, a4);
    // The text of the frame is drawn.
    expect((await pdfText(poster)).trim()).to.equal('Framed menu');
    // The border of the frame is a module wide.
    await expectCodes(poster, code, 1, (100 * 29) / 39, 300);
    for (const [format, copies, widthMm] of [
      ['tent', 2, 68],
      ['sticker', 16, 34],
      ['card', 10, 27],
    ] as const) {
      await page.goto(`/codes/${code.id}/print?format=${format}&paper=Letter`);
      expect(await page.getByLabel('Width (mm)').inputValue(), format).to.equal(String(widthMm));
      const widths = await page
        .locator('.sheet svg')
        .evaluateAll((all) => all.map((svg) => svg.getAttribute('width')));
      expect(widths).to.deep.equal(Array(copies).fill(`${widthMm}mm`));
      await expectOnePage(await print(), letter);
    }
    const { browser } = await plainOwner(site.service, owner.email);
    await browser.open(`/codes/${code.id}/print?shown=poster&width=155`);
    expect(browser.text('.error')).to.equal('Enter a number from 10 to 154.');
    await browser.open(`/codes/${code.id}/print?format=sticker&shown=sticker&width=14`);
    expect(browser.text('main')).to.contain('Print this code at least 20 mm wide with its frame.');
  });

  it('fits narrow phones', async () => {
    const { page } = await site.visitAs(owner.email, narrowPhone);
    const code = await owner.store({ name: 'Menu '.repeat(20).trim() });
    for (const format of ['poster', 'tent', 'sticker', 'card']) {
      await page.goto(`/codes/${code.id}/print?format=${format}&paper=Letter`);
      expect(await isTooWide(page), format).to.equal(false);
    }
    await expectAccessible(page);
  });
});

describe('The settings of the print page', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await provingService();
    owner = await plainOwner(service);
  });
  const open = (id: string, query = '') => owner.browser.open(`/codes/${id}/print?${query}`);

  it('choose the network itself for Wi-Fi, or the link', async () => {
    const { browser } = owner;
    const content = 'WIFI:T:WPA;S:Guests;P:secret12;;';
    const { id } = await owner.store({ name: 'Guests', type: 'wifi', content });
    await open(id);
    expect(browser.value('Code')).to.equal('content');
    expect(browser.attributes('.sheet image', 'href')[0]).to.match(/print\.svg\?encode=content$/);
    expect(browser.text('.sheet')).to.include('Scan to join the Wi-Fi');
    browser.fillIn({ Code: 'link' });
    await browser.press('Update the preview');
    expect(browser.path).to.contain('holds=link');
    expect(browser.attributes('.sheet image', 'href')[0]).to.match(/print\.svg$/);
  });

  it('give a long title of stickers more lines in a smaller font, and say where it does not fit', async () => {
    const { browser } = owner;
    const { id } = await owner.store();
    const sticker = async (title: string, width = '40') => {
      await open(
        id,
        `format=sticker&shown=sticker&paper=A4&width=${width}&${new URLSearchParams({ title })}`,
      );
      expect(browser.texts('.panel .title')[0]).to.equal(title);
      return {
        copies: browser.count('.panel'),
        isTall: browser.count('.is-tall') === 1,
        hint: browser.text('#field-title-hint'),
      };
    };
    expect(await sticker('Café Linden')).to.include({ copies: 16, isTall: false });
    expect(await sticker('Café Linden, Große Freiheit 39, 22767 Hamburg')).to.include({ copies: 16 });
    expect(browser.count('.is-small')).to.equal(1);
    const long = 'Café Linden, Große Freiheit 39, 22767 Hamburg, open daily from eight to eight';
    const tall = await sticker(long);
    expect(tall).to.include({ copies: 12, isTall: true });
    expect(tall.hint).not.to.contain('Too long');
    expect((await sticker(long, '12')).hint).to.equal(
      'Too long for stickers of this width: shorten it, or print them wider.',
    );
  });

  it('say what is too small or not a width, and warn before a private code is printed', async () => {
    const { browser } = owner;
    const { id } = await owner.store();
    await open(id, 'format=sticker&shown=sticker&width=10');
    expect(browser.text('main')).to.contain('Print this code at least 12 mm wide.');
    for (const width of ['9', '91', 'wide', '-1', '1e2', '']) {
      await open(id, `format=sticker&shown=sticker&width=${width}`);
      expect(browser.texts('.error'), width).to.deep.equal(
        width === '' ? [] : ['Enter a number from 10 to 90.'],
      );
    }
    await owner.api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    await open(id);
    expect(browser.text('[role=alert]')).to.include('This code is private');
  });
});
