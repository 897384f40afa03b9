import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const start = () =>
  startService({ worker: true, config: { webhooks: { networks: ['127.0.0.0/8'], timeoutSeconds: 5 } } });

inABrowser('Webhooks', start, (site) => {
  let page: Page;
  let receiver: Receiver;
  let users = 0;

  beforeEach(async () => {
    receiver = await startReceiver();
    ({ page } = await site.visitAs(`webhooks-${(users += 1)}@example.com`));
    await page.goto('/webhooks');
  });
  afterEach(() => receiver.stop());
  after(() => site.service.stop());

  async function create(): Promise<void> {
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByLabel('Name').fill('CRM');
    await page.getByLabel('Address', { exact: true }).fill(`${receiver.url}/crm`);
    await page.getByLabel('A code is created').check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    receiver.secrets.set('/crm', await page.getByLabel('Secret', { exact: true }).inputValue());
  }

  it('can be created, tested, looked at in the log, changed and deleted', async () => {
    expect(await page.getByRole('heading', { name: 'No webhooks yet' }).isVisible()).to.equal(true);
    await create();
    await expectAccessible(page);
    await page.reload();
    expect(new URL(page.url()).pathname).to.equal('/webhooks');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    expect(await page.getByRole('status').textContent()).to.contain('A test is being sent.');
    await eventually(() => expect(receiver.of('ping')).to.have.length(1));
    await eventually(async () => {
      await page.reload();
      expect(await page.getByRole('row', { name: /ping/ }).textContent()).to.contain('delivered');
    });
    await expectAccessible(page);

    await page.getByRole('link', { name: 'ping' }).click();
    expect(await page.getByRole('row', { name: /200/ }).textContent()).to.contain('thank you');
    expect(await page.getByRole('region', { name: 'Body of the request' }).textContent()).to.contain(
      '"ping"',
    );
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Resend' }).click();
    expect(await page.getByRole('status').textContent()).to.contain('The event is being sent again.');
    await eventually(() => expect(receiver.of('ping')).to.have.length(2));
    expect(receiver.of('ping')[1]?.id).to.equal(receiver.of('ping')[0]?.id);

    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Only these categories').fill('Menus\nTables');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByText('Only for codes in Menus, Tables.').isVisible()).to.equal(true);
    await page.getByRole('button', { name: 'Disable' }).click();
    expect(await page.getByRole('alert').textContent()).to.equal('You disabled this webhook.');
    expect(await page.getByRole('status').count()).to.equal(0);
    await page.getByRole('button', { name: 'Enable' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The webhook is enabled again.');
    await page.getByRole('link', { name: 'Delete' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The webhook was deleted.');
  });

  it('say what is wrong with an address that is not public, and keep the rest of the form', async () => {
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByLabel('Name').fill('Metadata');
    await page.getByLabel('Address', { exact: true }).fill('http://169.254.169.254/latest/meta-data/');
    await page.getByLabel('Codes are scanned').uncheck();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    expect(
      await page
        .getByText('Address must lead to a public IP address, not to a private or local network.')
        .isVisible(),
    ).to.equal(true);
    expect(await page.getByText('Choose at least one event.').isVisible()).to.equal(true);
    expect(await page.getByLabel('Name').inputValue()).to.equal('Metadata');
    await expectAccessible(page);
  });

  it('fit on a narrow phone', async () => {
    ({ page } = await site.visitAs(`webhooks-${(users += 1)}@example.com`, narrowPhone));
    await page.goto('/webhooks');
    await create();
    expect(await isTooWide(page)).to.equal(false);
    await page.getByRole('link', { name: 'Continue to the webhook' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    expect(await isTooWide(page)).to.equal(false);
    await page.getByRole('link', { name: 'ping' }).click();
    expect(await isTooWide(page)).to.equal(false);
    await page.goto('/webhooks/new');
    expect(await isTooWide(page)).to.equal(false);
  });
});
