import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

inABrowser('The docs', sharedService, (site) => {
  let page: Page;

  before(async () => {
    ({ page } = await site.visit({ viewport: desktop, reducedMotion: 'reduce' }));
  });

  const focusedLink = () => page.evaluate<string | null>('document.activeElement.getAttribute("href")');
  const sample = (id: string, language: string) => page.locator(`#${id}-example-${language}`);

  it('lets the keyboard reach every page in the navigation', async () => {
    await page.goto('/docs');
    await page.locator('#docs-q').focus();
    await page.keyboard.press('Tab');
    expect(await focusedLink(), 'the first page').to.equal('/docs');
    await page.keyboard.press('Tab');
    expect(await focusedLink(), 'the second page').to.equal('/docs/authentication');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/authentication');
    expect(await page.locator('h1').textContent()).to.equal('Authentication');
  });

  it('finds a section while somebody types, by keyboard alone', async () => {
    await page.goto('/docs/errors');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate secret');
    const options = page.getByRole('option');
    await options.first().waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await options.first().getAttribute('aria-selected')).to.equal('true');
    await page.keyboard.press('Escape');
    expect(await options.first().isVisible()).to.equal(false);
    await page.keyboard.type('s');
    await page.keyboard.press('Backspace');
    await options.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/webhooks#rotateWebhookSecret');
    // Without a choice, Enter asks the server.
    await page.keyboard.press('/');
    await page.keyboard.type('logo');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs?q=logo');
    await expectAccessible(page);
  });

  it('remembers the language of the examples, without moving the one that is looked at', async () => {
    await page.goto('/docs/qr-codes');
    expect(await sample('createQrCode', 'curl').isVisible()).to.equal(true);
    const choice = page.locator('#readQrCode').getByRole('radio', { name: 'Python' });
    await choice.scrollIntoViewIfNeeded();
    const top = async () => Math.round((await choice.boundingBox())?.y ?? -1);
    const before = await top();
    await choice.check({ force: true });
    expect(await top()).to.be.closeTo(before, 2);
    for (const id of ['createQrCode', 'readQrCode']) {
      expect(await sample(id, 'python').isVisible()).to.equal(true);
      expect(await sample(id, 'curl').isVisible()).to.equal(false);
    }
    await page.goto('/docs/account');
    expect(await sample('readAccount', 'python').isVisible()).to.equal(true);
    expect(await page.getByRole('radio', { name: 'Python' }).isChecked()).to.equal(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /, Python$/ }).click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
      await sample('readAccount', 'python').textContent(),
    );
    await page.getByRole('radio', { name: 'curl' }).check({ force: true });
  });

  it('chooses a language without scripts, too', async () => {
    const { page: plain } = await site.visit({ javaScriptEnabled: false });
    await plain.goto('/docs/account');
    expect(await plain.locator('.docs-try').isVisible()).to.equal(false);
    const [curl, php] = [plain.locator('.docs-sample.curl'), plain.locator('.docs-sample.php')];
    expect([await curl.isVisible(), await php.isVisible()]).to.deep.equal([true, false]);
    await plain.locator('input[value=php]').check({ force: true });
    expect([await curl.isVisible(), await php.isVisible()]).to.deep.equal([false, true]);
  });

  it('follows links to anchors of the former single page', async () => {
    for (const [old, now] of [
      ['/docs#replayWebhook', '/docs/webhook-deliveries#replayWebhook'],
      ['/docs#event-scan.recorded', '/docs/webhook-events#event-scan.recorded'],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(old);
      await page.waitForURL(`**${now}`);
      const { y } = (await page.locator(`[id="${now.split('#')[1]}"]`).boundingBox()) ?? { y: -1 };
      expect(y, 'the section in the window').to.be.within(-1, desktop.height - 100);
    }
  });

  it('sends a request with the own key and no cookie, and asks before a change', async () => {
    const email = 'docs-try@example.com';
    const { page: own } = await site.visitAs(email, { viewport: desktop, reducedMotion: 'reduce' });
    const key = await site.service.makeKey({ email });
    await own.goto('/docs/qr-codes');
    // axe-core takes seconds for tables, which other pages have as well.
    await own.evaluate(
      'for (const each of document.querySelectorAll("#listQrCodes, #updateQrCode, #deleteQrCode, table")) each.remove()',
    );
    const cookies: (string | undefined)[] = [];
    own.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/')) cookies.push(request.headers()['cookie']);
    });
    const create = own.locator('#createQrCode .docs-try');
    await create.getByText('Try it').click();
    await create.getByLabel('API key').fill(` ${key} `);
    await create.getByLabel('Body').fill('{"name":"Tried","content":"https://example.com/tried"}');
    await create.getByRole('button', { name: 'Send POST request' }).click();
    const dialog = own.getByRole('dialog', { name: 'Send it for real?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(cookies, 'requests before the confirmation').to.deep.equal([]);
    await create.getByRole('button', { name: 'Send POST request' }).click();
    await expectAccessible(own);
    await dialog.getByRole('button', { name: 'Send POST request' }).click();
    await create.getByText('201 Created').waitFor();
    const created = JSON.parse((await create.locator('pre').textContent()) ?? '') as { id: string };

    // The other forms of the tab have the key already.
    const read = own.locator('#readQrCode .docs-try');
    await read.getByText('Try it').click();
    await read.getByLabel('id').fill(created.id);
    await read.getByRole('button').click();
    await read.getByText('200 OK').waitFor();
    expect(await read.locator('pre').textContent()).to.contain('"name": "Tried"');
    expect(await read.locator('dl').textContent()).to.match(/X-RateLimit-Remaining98/);
    expect(cookies).to.deep.equal([undefined, undefined]);
    await expectAccessible(own);
    await own.goto('/docs/account');
    expect(await own.locator('[data-key]').inputValue(), 'the key on the next page').to.equal(key);
    expect(await own.evaluate('Object.values(localStorage).join()')).to.not.contain('qrl_');

    // Whoever uses the tab next does not get it.
    const kept = () => own.evaluate<string>('Object.values(sessionStorage).join()');
    expect(await kept()).to.contain('qrl_');
    await own.getByRole('button', { name: 'Sign out' }).click();
    await own.waitForURL((url) => !url.pathname.startsWith('/docs'));
    await own.waitForFunction('!Object.values(sessionStorage).join().includes("qrl_")');
    await own.goto('/docs/account');
    expect(await own.locator('[data-key]').inputValue(), 'after signing out').to.equal('');
    await own.getByText('Try it').click();
    await own.getByLabel('API key').fill(key);
    await own.getByLabel('API key').blur();
    expect(await kept()).to.contain('qrl_');
    const { page: other } = await site.visitAs('docs-next@example.com');
    await own.context().addCookies(await other.context().cookies());
    await own.goto('/docs/account');
    expect(await own.locator('[data-key]').inputValue(), 'in another account').to.equal('');
    expect(await kept()).to.not.contain('qrl_');
  });

  it('is accessible, also with everything open', async () => {
    for (const path of ['/docs', '/docs/errors', '/docs/scans-and-analytics', '/docs/webhook-events']) {
      await page.goto(path);
      await unfold(page);
      await expectAccessible(page);
    }
  });

  it('fits the narrowest phone, with its navigation closed', async () => {
    const { page: phone } = await site.visit({ ...narrowPhone, reducedMotion: 'reduce' });
    await phone.goto('/docs');
    const menu = phone.locator('.docs-menu');
    const errors = menu.getByRole('link', { name: 'Errors' });
    expect(await errors.isVisible(), 'links before the title').to.equal(false);
    await menu.getByText('All pages').click();
    await errors.click();
    await phone.waitForURL('**/docs/errors');
    for (const path of ['/docs', '/docs/scans-and-analytics', '/docs?q=logo']) {
      await phone.goto(path);
      await unfold(phone);
      expect(await isTooWide(phone), path).to.equal(false);
      await expectAccessible(phone);
    }
  });
});

async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
}
