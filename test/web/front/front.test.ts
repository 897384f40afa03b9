import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, narrowPhone } from '../../support/browser.ts';
import { formClient, signedIn } from '../../support/form-client.ts';
import { elementsIn } from '../../support/html.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

const maxBytes = 180_000;

inABrowser('The landing page', sharedService, (site) => {
  let page: Page;
  let bytes = 0;

  before(async () => {
    ({ page } = await site.visit(narrowPhone));
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => sizes.push(response.body().then((body) => body.length)));
    await page.goto('/', { waitUntil: 'networkidle' });
    page.removeAllListeners('response');
    bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  });

  it('fits the narrowest phone, loads less than 180 KB before compression, and moves nothing', async () => {
    expect(await isTooWide(page)).to.equal(false);
    expect(bytes).to.be.within(1_000, maxBytes);
    await expectAccessible(page);
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => setTimeout(() => resolve(sum)));
        }),
    );
    expect(shift).to.equal(0);
  });

  it('has a designed code that scans on every screen in both themes, and text as its largest element', async () => {
    for (const viewport of [narrowPhone.viewport, desktop])
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const code = page.locator('.tent-code').getByRole('img', { name: 'QR code' });
        const png = await code.screenshot({ animations: 'disabled' });
        expect(String(await scan(png)), `${viewport.width} ${colorScheme}`).to.equal(
          'https://qr.test/demo/scan',
        );
      }
    const largest = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          new PerformanceObserver((list) => {
            const last = list.getEntries().at(-1) as unknown as { element: { tagName: string } | null };
            resolve(last.element?.tagName ?? '');
          }).observe({ type: 'largest-contentful-paint', buffered: true });
        }),
    );
    expect(largest).to.be.oneOf(['H1', 'P', 'SPAN']);
  });

  it('shows example analytics whose numbers add up', async () => {
    const example = page.getByRole('region', { name: 'Analytics' });
    expect(await example.getByText('Example', { exact: true }).isVisible()).to.equal(true);
    const figures = async (place: string) =>
      (await example.locator(place).allTextContents()).map((text) => Number(text.replace(',', '')));
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    const [scans] = await figures('figcaption strong');
    const days = await example
      .locator('rect[data-value]')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('data-value'))));
    expect(sum(days)).to.equal(scans).and.greaterThan(0);
    expect(sum(await figures('tbody td'))).to.equal(scans);
  });

  it('has an API request that works when pasted', async () => {
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

  it('leads to the sign-up, and at one click into the demo and back', async () => {
    expect(await page.title()).to.equal('Qrelay');
    await expectAccessible(page);
    const main = page.getByRole('main');
    expect(
      await main.getByRole('link', { name: 'Create your first code' }).first().getAttribute('href'),
    ).to.equal('/signup');
    await main.getByRole('link', { name: 'See the live demo' }).first().click();
    await page.waitForURL('**/codes');
    await page.getByText('Nothing here can be changed', { exact: false }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Menu, table cards' }).first().click();
    await page.waitForURL('**/codes/*');
    await page.getByRole('button', { name: 'Leave the demo' }).click();
    await page.waitForURL(`${site.service.url}/`);
  });
});

describe('The landing page for others', () => {
  const links = async (response: Response) =>
    elementsIn(await response.text(), 'a').map(({ attributes }) => attributes['href']);

  it('leads signed-in visitors to their codes and keys', async () => {
    const service = await sharedService();
    const page = await (await signedIn(service, 'front@example.com')).get('/');
    expect(await links(page))
      .to.include.members(['/codes', '/keys'])
      .and.not.to.include.members(['/signup']);
  });

  it('offers neither sign-up nor demo where there is none, and its code opens the page itself', async () => {
    const service = await startService({ config: { hasDemo: false, signUps: 'closed' } });
    const page = await formClient(service.url).get('/');
    const text = await page.clone().text();
    expect(await links(page))
      .to.include('/signin')
      .and.not.to.include('/signup')
      .and.not.to.include('/demo');
    expect(text).to.contain('Scan it to open this page on a phone');
    await service.stop();
  });

  it('is the sign-in page, or the list of codes, where LANDING_PAGE is off', async () => {
    const service = await startService({ config: { hasLandingPage: false } });
    const locationFor = async (client: ReturnType<typeof formClient>) => {
      const answer = await client.get('/');
      return [answer.status, answer.headers.get('location')];
    };
    expect(await locationFor(formClient(service.url))).to.deep.equal([303, '/signin']);
    expect(await locationFor(await signedIn(service, 'private@example.com'))).to.deep.equal([303, '/codes']);
    await service.stop();
  });
});
