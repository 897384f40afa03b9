import { expect } from 'chai';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

inABrowser('The front page', sharedService, (site) => {
  it('explains the service and links to the sign-up', async () => {
    const { page } = await site.visit();
    await page.goto('/');
    expect(await page.title()).to.equal('Qrelay');
    const main = page.getByRole('main');
    expect(await main.getByText('A code works as long as it is used: for a year').count()).to.equal(1);
    await expectAccessible(page);
    await main.getByRole('link', { name: 'Sign up' }).click();
    await page.waitForURL('**/signup');
  });

  it('has a QR code of the base URL that scans in both themes', async () => {
    const { page } = await site.visit();
    await page.goto('/');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const png = await page.getByRole('img', { name: 'QR code' }).screenshot();
      expect(String(await scan(png))).to.equal('https://qr.test/');
    }
  });

  it('shows example analytics whose numbers add up', async () => {
    const { page } = await site.visit();
    await page.goto('/');
    const example = page.getByRole('region', { name: 'What you see' });
    expect(await example.getByText('Example', { exact: true }).isVisible()).to.equal(true);
    const figures = async (place: string) =>
      (await example.locator(place).allTextContents()).map((text) => Number(text.replace(',', '')));
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    const [scans, countries] = await figures('.totals dd');
    const bars = await example.locator('rect[data-value]').all();
    const days = await Promise.all(bars.map((bar) => bar.getAttribute('data-value')));
    expect(sum(days.map(Number)))
      .to.equal(scans)
      .and.greaterThan(0);
    const byCountry = await figures('tbody td:nth-child(2)');
    expect([sum(byCountry), byCountry.length]).to.deep.equal([scans, countries]);
  });

  it('has an API request that works when pasted', async () => {
    const { page } = await site.visit();
    await page.goto('/');
    const curl = (await page.locator('#front-curl').textContent()) ?? '';
    expect(curl.startsWith('curl https://qr.test/api/v1/qrcodes ')).to.equal(true);
    expect(curl.split('\n')).to.have.length(3);
    const body = /-d '(.*)'$/.exec(curl)?.[1] ?? '';
    const answer = await fetch(`${site.service.url}/api/v1/qrcodes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await site.service.makeKey()}`,
        'Content-Type': 'application/json',
      },
      body,
    });
    expect(answer.status).to.equal(201);
  });

  it('links to codes and keys for a signed-in visitor', async () => {
    const { page } = await site.visitAs('front@example.com');
    await page.goto('/');
    const main = page.getByRole('main');
    expect(await main.getByRole('link', { name: 'Sign up' }).count()).to.equal(0);
    expect(await main.getByRole('link', { name: 'Your codes' }).getAttribute('href')).to.equal('/codes');
    expect(await main.getByRole('link', { name: 'Your API keys' }).getAttribute('href')).to.equal('/keys');
    await expectAccessible(page);
  });

  it('fits the narrowest phone and loads less than 100 KB', async () => {
    const { page } = await site.visit(narrowPhone);
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => sizes.push(response.body().then((body) => body.length)));
    await page.goto('/', { waitUntil: 'networkidle' });
    expect(await isTooWide(page)).to.equal(false);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).to.be.within(1_000, 100_000);
    await expectAccessible(page);
  });
});
