import { expect } from 'chai';
import { loadSecrets } from '../../../src/accounts/secrets.ts';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { readMutedNotices } from '../../../src/notices/owners.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { startService, type TestService } from '../../support/service.ts';

let mails: MailServer;

async function start(): Promise<TestService> {
  mails = await startMailServer();
  return startService({ config: { mail: mails.config } });
}

inABrowser('Mails about codes', start, (site) => {
  after(async () => {
    await site.service.stop();
    await mails.stop();
  });

  it('have a switch each on the page Account, and a page behind the link of each mail', async () => {
    const email = 'chooser@example.com';
    const { page } = await site.visitAs(email, narrowPhone);
    const { id } = await findUserByEmail(site.service.db, email);
    await page.goto('/account');
    await expectAccessible(page);
    await page.getByLabel('Summary of the week').uncheck();
    await page.getByRole('button', { name: 'Save choice' }).click();
    await page.getByText('Your choice of emails was saved.').waitFor();
    expect(await page.getByLabel('Summary of the week').isChecked()).to.equal(false);
    expect(await page.getByLabel('first time').isChecked()).to.equal(true);
    expect(await readMutedNotices(site.service.db, id)).to.deep.equal(['weekly']);

    const { unsubscribeToken } = await loadSecrets(site.service.db);
    const { page: stranger } = await site.visit(narrowPhone);
    await stranger.goto(`/unsubscribe/${unsubscribeToken(id, 'silence')}`);
    await expectAccessible(stranger);
    await stranger.getByRole('button', { name: 'Stop these emails' }).click();
    await stranger.getByText('You no longer get emails of this kind').waitFor();
    await expectAccessible(stranger);
    expect(await readMutedNotices(site.service.db, id)).to.deep.equal(['weekly', 'silence']);
  });
});
