import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

inABrowser('API Keys (contract 5.4, 5.5)', sharedService, (site) => {
  let page: Page;
  let users = 0;

  beforeEach(async () => {
    ({ page } = await site.visitAs(`keys-${(users += 1)}@example.com`));
    await page.goto('/keys');
  });

  async function createKey(name: string): Promise<string> {
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create key' }).click();
    return page.getByLabel('Key', { exact: true }).inputValue();
  }
  const statusWith = async (key: string) =>
    (await fetch(`${site.service.url}/api/v1/qrcodes`, { headers: { Authorization: `Bearer ${key}` } }))
      .status;

  it('can be created, used and revoked, after which requests get 401', async () => {
    expect(await page.title()).to.equal('API Keys · Qrelay');
    expect(await page.getByRole('heading', { name: 'No keys yet' }).isVisible()).to.equal(true);
    const key = await createKey('Shop');
    expect(key).to.match(/^qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(await page.locator('#try-it').textContent()).to.contain(`Authorization: Bearer ${key}`);
    expect(await statusWith(key)).to.equal(200);

    await page.getByRole('link', { name: 'Back to all keys' }).click();
    const row = page.getByRole('row', { name: /Shop/ });
    expect(await row.textContent())
      .to.contain('19 of 20')
      .and.to.contain('active');
    await expectAccessible(page);
    await row.getByRole('link', { name: 'Revoke Shop' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The key was revoked.');
    expect(await page.getByRole('row', { name: /Shop/ }).textContent()).to.contain('revoked');
    expect(await statusWith(key)).to.equal(401);
    // On the next visit it is in the closed list of revoked keys.
    await page.goto('/keys');
    expect(await page.getByRole('row', { name: /Shop/ }).count()).to.equal(0);
    await page.getByText('1 revoked key').click();
    expect(await page.getByRole('row', { name: /Shop/ }).count()).to.equal(1);
    expect(await page.getByRole('columnheader').allTextContents()).to.deep.equal([
      'Name',
      'Key',
      'Created',
      'Last used',
      'State',
    ]);
    await expectAccessible(page);
  });

  it('are shown once, and not again after a reload, with the back button, or in the list', async () => {
    const key = await createKey('Once');
    await expectAccessible(page);
    await page.reload();
    expect(new URL(page.url()).pathname).to.equal('/keys');
    expect(await page.content()).not.to.contain(key);
    await page.goBack();
    expect(await page.content()).not.to.contain(key);
    expect(await page.getByRole('row', { name: /Once/ }).count()).to.equal(1);
  });

  it('can be copied with a button', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = await createKey('Copied');
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key);
  });

  it('can be created and revoked with the keyboard', async () => {
    const tabTo = async (name: string | RegExp, role: 'button' | 'link' | 'textbox') => {
      const wanted = page.getByRole(role, { name });
      for (let press = 0; press < 40; press += 1) {
        await page.keyboard.press('Tab');
        if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    await tabTo('Name', 'textbox');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys/created');
    await tabTo('Back to all keys', 'link');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys');
    await tabTo('Revoke By keyboard', 'link');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/revoke');
    await tabTo('Revoke', 'button');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys');
    expect(await page.getByRole('row', { name: /By keyboard/ }).textContent()).to.contain('revoked');
  });

  it('of other accounts do not exist for the visitor', async () => {
    await createKey('Mine');
    const [row] = (await site.service.db('api_keys').where({ name: 'Mine' })) as { id: string }[];
    const stranger = await site.visitAs('stranger@example.com');
    const answers = [];
    for (const id of [row?.id, '01890000-0000-7000-8000-000000000000', 'no-id']) {
      const answer = await stranger.page.goto(`/keys/${id}/revoke`);
      answers.push({
        status: answer?.status(),
        text: await stranger.page.getByRole('main').textContent(),
      });
    }
    expect(answers[0]?.status).to.equal(404);
    expect(answers).to.deep.equal(Array(3).fill(answers[0]));
  });

  it('may have names in any script, and fit the narrowest phone', async () => {
    ({ page } = await site.visitAs('phone@example.com', narrowPhone));
    await page.goto('/keys');
    await createKey(`<script>alert(1)</script> مفتاح ${'x'.repeat(60)}`);
    await page.goto('/keys');
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
  });
});
