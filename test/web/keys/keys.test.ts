import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, narrowPhone } from '../../support/browser.ts';
import { signedIn } from '../../support/form-client.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { mainText } from '../../support/operator.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

describe('API keys (contract 5.4)', () => {
  it('of other accounts do not exist for the visitor', async () => {
    const service = await sharedService();
    const owner = await signedIn(service, 'key-owner@example.com');
    await owner.get('/keys');
    expect((await owner.post('/keys', { name: 'Not for strangers' })).status).to.equal(303);
    const [row] = (await service.db('api_keys').where({ name: 'Not for strangers' })) as { id: string }[];
    expect((await owner.get(`/keys/${row?.id}/revoke`)).status).to.equal(200);
    const stranger = await signedIn(service, 'key-stranger@example.com');
    const answers = [];
    for (const id of [row?.id, '01890000-0000-7000-8000-000000000000', 'no-id']) {
      const answer = await stranger.get(`/keys/${id}/revoke`);
      answers.push({ status: answer.status, text: await mainText(answer) });
    }
    expect(answers[0]?.status).to.equal(404);
    expect(answers).to.deep.equal(Array(3).fill(answers[0]));
  });
});

inABrowser('API keys (contract 5.4, 5.5)', sharedService, (site) => {
  let page: Page;

  const statusWith = async (key: string) =>
    (await fetch(`${site.service.url}/api/v1/qrcodes`, { headers: { Authorization: `Bearer ${key}` } }))
      .status;

  async function tabTo(name: string | RegExp, role: 'button' | 'link' | 'textbox'): Promise<void> {
    const wanted = await page.getByRole(role, { name }).elementHandle();
    for (let press = 0; press < 40; press += 1) {
      await page.keyboard.press('Tab');
      if (await wanted?.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  it('can be created, copied, used and revoked, all with the keyboard, and are shown once', async () => {
    ({ page } = await site.visitAs('keys@example.com', narrowPhone));
    await page.setViewportSize(desktop);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/keys');
    expect(await page.title()).to.equal('API keys · Qrelay');
    expect(await page.getByRole('heading', { name: 'No keys yet' }).isVisible()).to.equal(true);
    await tabTo('Name', 'textbox');
    await page.keyboard.type('Shop');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys/created');
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    expect(key).to.match(/^qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(await page.locator('#try-it').textContent()).to.contain(`Authorization: Bearer ${key}`);
    expect(await statusWith(key)).to.equal(200);
    await expectAccessible(page);
    await tabTo('Copy key', 'button');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key);

    await tabTo('Back to all keys', 'link');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys');
    expect(await page.content()).not.to.contain(key);
    await page.goBack();
    expect(await page.content()).not.to.contain(key);
    await page.reload();
    expect(new URL(page.url()).pathname).to.equal('/w/keys/keys');
    expect(await page.content()).not.to.contain(key);
    expect(await page.getByRole('row', { name: /Shop/ }).textContent())
      .to.contain('19 of 20')
      .and.to.contain('active');
    await expectAccessible(page);

    await tabTo('Revoke Shop', 'link');
    await page.keyboard.press('Enter');
    // Over the page, and closed again with Escape or by keeping the key.
    const dialog = page.getByRole('dialog', { name: 'Revoke key' });
    await dialog.waitFor();
    expect(new URL(page.url()).pathname).to.equal('/w/keys/keys');
    // The card fills the dialog, without the margins and the border that it has as a page.
    const edges = await dialog.locator('.card').evaluate((card) => {
      const [inner, outer] = [card.getBoundingClientRect(), card.parentElement?.getBoundingClientRect()];
      return [inner.top - (outer?.top ?? 0), (outer?.bottom ?? 0) - inner.bottom, card.clientTop];
    });
    expect(edges).to.deep.equal([0, 0, 0]);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await dialog.getByRole('link', { name: 'Keep it' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(await statusWith(key)).to.equal(200);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo('Revoke', 'button');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The key was revoked.').waitFor();
    expect(await page.getByRole('status').textContent()).to.equal('The key was revoked.');
    expect(await page.getByRole('row', { name: /Shop/ }).textContent()).to.contain('revoked');
    expect(await statusWith(key)).to.equal(401);
    // On the next visit it is in the closed list of revoked and expired keys.
    await page.goto('/keys');
    expect(await page.getByRole('row', { name: /Shop/ }).count()).to.equal(0);
    await page.getByText('1 revoked or expired key').click();
    expect(await page.getByRole('row', { name: /Shop/ }).count()).to.equal(1);
    expect(await page.getByRole('columnheader').allTextContents()).to.deep.equal([
      'Name',
      'Key',
      'Permissions',
      'Created',
      'Last used',
      'Expires',
      'State',
    ]);
    await expectAccessible(page);

    // A key for some things, until a day; then another name for it.
    await page.getByLabel('Name').fill('Till');
    expect(await page.getByRole('checkbox', { name: 'Analytics' }).isVisible()).to.equal(false);
    await page.getByRole('radio', { name: 'Everything' }).press('ArrowRight');
    await page.getByRole('checkbox', { name: 'Analytics' }).check();
    await page.getByRole('button', { name: '30 days' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.waitForURL('**/keys/created');
    expect(await page.getByText('only this: analytics').textContent()).to.match(/works through .*\(UTC\)/);
    expect(await statusWith(await page.getByLabel('Key', { exact: true }).inputValue())).to.equal(403);
    await page.goto('/keys');
    await page.getByRole('link', { name: 'Rename Till' }).click();
    await page.getByRole('heading', { name: 'Rename key' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Till 3');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('status').getByText('The key was renamed.').waitFor();
    expect(await page.getByRole('row', { name: /Till 3/ }).textContent()).to.contain('analytics');

    // Names in any script, on the narrowest phone.
    await page.getByLabel('Name', { exact: true }).fill(`<script>alert(1)</script> مفتاح ${'x'.repeat(60)}`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.waitForURL('**/keys/created');
    await page.setViewportSize(narrowPhone.viewport);
    await page.goto('/keys');
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
  });
});
