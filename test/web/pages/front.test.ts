import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { scan } from '../../codes/image/zxing.ts';
import { iPhone, openBrowser, openBrowserDeadlineMs } from '../../support/browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectAccessible, signUp, visit, type WebVisitor } from '../../support/web-visitor.ts';

describe('The front page in a browser', function () {
  this.timeout(60_000);
  let service: TestService;
  let browser: Browser;
  let visitor: WebVisitor;

  before(async function () {
    this.timeout(openBrowserDeadlineMs);
    const opened = await openBrowser();
    if (!opened) return this.skip();
    browser = opened;
    service = await startService();
  });
  after(() => service?.stop());
  beforeEach(async () => {
    visitor = await visit(browser, service.url);
  });
  afterEach(async () => {
    expect(visitor.complaints).to.deep.equal([]);
    await visitor.leave();
  });

  it('says what this is, and leads a stranger to the sign-up', async () => {
    const { page } = visitor;
    await page.goto('/');
    expect(await page.title()).to.equal('Qrelay');
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
    await page.waitForURL('**/signup');
  });

  it('has a picture that leads to the address of the service, in both themes', async () => {
    const { page } = visitor;
    await page.goto('/');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const png = await page.getByRole('img', { name: 'QR code' }).screenshot();
      expect(String(await scan(png))).to.equal('https://qr.test/');
    }
  });

  it('has a request to paste, with the address of the service', async () => {
    const { page } = visitor;
    await page.goto('/');
    const curl = (await page.locator('#front-curl').textContent()) ?? '';
    expect(curl.startsWith('curl https://qr.test/api/v1/qrcodes ')).to.equal(true);
    expect(curl.split('\n')).to.have.length(3);
    const body = /-d '(.*)'$/.exec(curl)?.[1] ?? '';
    const answer = await fetch(`${service.url}/api/v1/qrcodes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await service.makeKey()}`, 'Content-Type': 'application/json' },
      body,
    });
    expect(answer.status).to.equal(201);
  });

  it('leads whoever is signed in to their codes and keys', async () => {
    const { page } = visitor;
    await signUp(visitor, 'front@example.com', 'correct horse battery');
    await page.goto('/');
    const main = page.getByRole('main');
    expect(await main.getByRole('link', { name: 'Sign up' }).count()).to.equal(0);
    expect(await main.getByRole('link', { name: 'Your codes' }).getAttribute('href')).to.equal('/codes');
    expect(await main.getByRole('link', { name: 'Your API keys' }).getAttribute('href')).to.equal('/keys');
    await expectAccessible(page);
  });

  it('is whole on the narrowest phone, and weighs less than 100 KB', async () => {
    await visitor.leave();
    visitor = await visit(browser, service.url, { ...iPhone, viewport: { width: 320, height: 640 } });
    const { page } = visitor;
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => sizes.push(response.body().then((body) => body.length)));
    await page.goto('/', { waitUntil: 'networkidle' });
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).to.equal(0);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).to.be.within(1_000, 100_000);
    await expectAccessible(page);
  });
});
