import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { inABrowser } from '../../support/in-a-browser.ts';
import { canRenderPdf, findCodes, renderPdf } from '../../support/render-pdf.ts';
import { openShare } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';
import { signUp } from '../../support/web-visitor.ts';
import { newCodePage } from './code-owner.ts';

inABrowser('A restaurant', sharedService, (site) => {
  /** What the codes on the paper hold. */
  async function readPaper(pdf: Buffer): Promise<string[]> {
    const [page] = await renderPdf(pdf);
    if (!page) throw new Error('nothing was printed');
    return (await findCodes(page)).map(({ text }) => text);
  }

  it('signs up, designs the code of its menu, prints it, and changes the menu without printing again', async function () {
    if (!canRenderPdf()) return this.skip();
    const { page } = await site.visit({ locale: 'en-GB' });
    await signUp(page, 'restaurant@example.com', 'a long and rare password');
    await page.getByRole('link', { name: 'Create your first code' }).click();
    await page.getByLabel('Web address', { exact: true }).fill('example.com/menu-may');
    await page.getByLabel('Name', { exact: true }).fill('Menu');
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);

    await page.getByRole('link', { name: 'Design', exact: true }).click();
    await page.getByRole('link', { name: 'Banner' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Our menu');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved. Reads at').waitFor();

    await page.getByRole('link', { name: 'Back to the code' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download link code as PDF' }).click(),
    ]);
    await page.getByRole('link', { name: 'Print', exact: true }).click();
    await page.getByLabel('Format').selectOption('tent');
    await page.waitForURL(/format=tent/);
    const tent = Buffer.from(await page.pdf({ preferCSSPageSize: true, printBackground: false }));
    const [link = '', ...others] = [
      ...(await readPaper(await readFile(await download.path()))),
      ...(await readPaper(tent)),
    ];
    expect(link).to.match(/^https:\/\/qr\.test\/r\/\w{10}$/);
    expect(others).to.deep.equal([link, link]);

    const scanPaper = async () => {
      const response = await openShare(site.service.url, link.slice(-10));
      return [response.status, response.headers.get('Location')];
    };
    expect(await scanPaper()).to.deep.equal([302, 'https://example.com/menu-may']);
    await page.getByRole('link', { name: 'Back to the code' }).click();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Web address', { exact: true }).fill('example.com/menu-june');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.waitForURL(newCodePage);
    expect(await scanPaper()).to.deep.equal([302, 'https://example.com/menu-june']);
  });
});
