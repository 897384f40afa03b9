import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const start = () =>
  startService({ worker: true, config: { webhooks: { networks: ['127.0.0.0/8'], timeoutSeconds: 5 } } });

inABrowser('Webhooks', start, (site) => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver?.stop();
    await site.service?.stop();
  });

  it('can be created, tested, looked at in the log, changed and deleted, and fit on a narrow phone', async () => {
    const { page } = await site.visitAs('webhooks@example.com', narrowPhone);
    await page.setViewportSize(desktop);
    const expectToFitAPhone = async () => {
      await page.setViewportSize(narrowPhone.viewport);
      expect(await isTooWide(page), page.url()).to.equal(false);
      await page.setViewportSize(desktop);
    };
    await page.goto('/webhooks');
    expect(await page.getByRole('heading', { name: 'No webhooks yet' }).isVisible()).to.equal(true);
    await page.getByRole('link', { name: 'New webhook' }).click();
    await expectToFitAPhone();

    // What is wrong with an address that is not public is said, and the rest of the form is kept.
    await page.getByLabel('Name').fill('CRM');
    const address = page.getByLabel('Address', { exact: true });
    await address.fill('http://169.254.169.254/latest/meta-data/');
    await page.getByLabel('Codes are scanned').uncheck();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const refusal = 'Address must lead to a public IP address, not to a private or local network.';
    expect(await page.getByText(refusal).isVisible()).to.equal(true);
    expect(await page.getByText('Choose at least one event.').isVisible()).to.equal(true);
    expect(await page.getByLabel('Name').inputValue()).to.equal('CRM');
    await expectAccessible(page);

    await address.fill(`${receiver.url}/crm`);
    await page.getByLabel('Codes are scanned').check();
    await page.getByLabel('A code is created').check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    receiver.secrets.set('/crm', await page.getByLabel('Secret', { exact: true }).inputValue());
    await expectAccessible(page);
    await expectToFitAPhone();
    expect(await page.getByRole('link', { name: 'Continue to the webhook' }).getAttribute('href')).to.match(
      /^\/w\/webhooks\/webhooks\/[\da-f-]{36}$/,
    );
    await page.reload();
    expect(new URL(page.url()).pathname).to.equal('/w/webhooks/webhooks');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    expect(await page.getByRole('status').textContent()).to.contain('A test is being sent.');
    await eventually(() => expect(receiver.of('ping')).to.have.length(1));
    await eventually(async () => {
      await page.reload();
      const row = await page.getByRole('row', { name: /ping/ }).textContent();
      expect(row).to.match(/delivered200 in \d+ ms/);
    });
    await expectAccessible(page);
    await expectToFitAPhone();

    await page.getByRole('link', { name: 'ping' }).click();
    expect(await page.getByRole('row', { name: /200/ }).textContent()).to.contain('thank you');
    expect(await page.getByRole('region', { name: 'Body of the request' }).textContent()).to.contain(
      '"ping"',
    );
    await expectAccessible(page);
    await expectToFitAPhone();
    await page.getByRole('button', { name: 'Resend' }).click();
    expect(await page.getByRole('status').textContent()).to.contain('The event is being sent again.');
    await eventually(() => expect(receiver.of('ping')).to.have.length(2));
    expect(receiver.of('ping')[1]?.id).to.equal(receiver.of('ping')[0]?.id);

    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Only these categories').fill('Menus\nTables');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only codes in Menus, Tables').waitFor();
    await page.getByLabel('More actions').click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Disable' }).click();
    expect(await page.getByRole('alert').textContent()).to.equal('You disabled this webhook.');
    expect(await page.getByRole('status').count()).to.equal(0);
    await page.getByRole('button', { name: 'Enable' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The webhook is enabled again.');
    await page.getByLabel('More actions').click();
    await page.getByRole('link', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.locator('.menu[open]').count(), 'menus behind the dialog').to.equal(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The webhook was deleted.');
  });
});
