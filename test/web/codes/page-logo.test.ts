import { expect } from 'chai';
import { png, svg } from '../../codes/files/logo-files.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner } from './code-owner.ts';

inABrowser('The logo of a share page', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  it('is chosen below the form of the code, shown on the page, described and removed', async () => {
    const { page } = owner;
    const code = await owner.store({ type: 'text', content: 'Hello' });
    await page.goto(`/codes/${code.id}/edit`);
    await page.getByText('Title and color of the page').click();
    await page.getByRole('link', { name: 'Logo of the page' }).click();
    const choose = (buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('What it shows').fill('Café Linden');
    await save.click();
    await page.getByText('Logo must be chosen.').waitFor();
    await choose(svg('<script>alert(1)</script>'));
    await save.click();
    await page.getByText('Logo is an SVG with <script>: export it as PNG.').waitFor();
    await expectAccessible(page);
    await choose(png());
    await save.click();
    await page.getByText('The logo was saved.').waitFor();
    await page.getByRole('img', { name: 'Café Linden' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('What it shows').fill('Café Linden, Bonn');
    await save.click();
    await page.getByRole('img', { name: 'Café Linden, Bonn' }).waitFor();
    const scanner = await site.visit();
    await scanner.page.goto(`/r/${code.shareToken}`);
    const logo = scanner.page.getByRole('img', { name: 'Café Linden, Bonn' });
    await logo.waitFor();
    expect(await logo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).to.equal(
      64,
    );
    await expectAccessible(scanner.page);
    await page.getByRole('button', { name: 'Remove the logo' }).click();
    await page.getByText('The logo was removed.').waitFor();
    expect(await page.getByRole('img').count()).to.equal(0);
  });
});
