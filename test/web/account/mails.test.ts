import { expect } from 'chai';
import { loadSecrets } from '../../../src/accounts/secrets.ts';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { readMutedNotices } from '../../../src/notices/owners.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signInStatus } from '../../support/sign-in.ts';

const email = 'phone@example.com';
const password = 'a long and rare password';
const newPassword = 'another long and rare password';
let mails: MailServer;

async function start(): Promise<TestService> {
  mails = await startMailServer();
  return startService({ worker: true, config: { mail: mails.config } });
}

inABrowser('The pages around mails', start, (site) => {
  after(async () => {
    await site.service?.stop();
    await mails?.stop();
  });
  const pathIn = async (count: number) =>
    new URL(linkIn((await mails.mailsTo(email, count)).at(-1)!)).pathname;

  it('lead a narrow phone from signing up over choosing mails to a new password', async () => {
    const { page } = await site.visit(narrowPhone);
    await page.goto('/signup');
    await expectAccessible(page);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Email me the link' }).click();
    await page.getByRole('status').waitFor();
    await expectAccessible(page);
    await page.goto(await pathIn(1));
    await expectAccessible(page);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.waitForURL('**/codes');

    // A switch for each kind on the page Account, and a page behind the link of each mail.
    const { id } = await findUserByEmail(site.service.db, email);
    await page.goto('/account');
    await expectAccessible(page);
    await page.getByLabel('Summary of the week').uncheck();
    await page.getByRole('button', { name: 'Save choice' }).click();
    await page.getByText('Your choice of emails was saved.').waitFor();
    expect(await page.getByLabel('Summary of the week').isChecked()).to.equal(false);
    expect(await page.getByLabel('first time').isChecked()).to.equal(true);
    expect(await readMutedNotices(site.service.db, id)).to.deep.equal(['weekly']);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL('**/');
    const { unsubscribeToken } = await loadSecrets(site.service.db);
    await page.goto(`/unsubscribe/${unsubscribeToken(id, 'silence')}`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop these emails' }).click();
    await page.getByText('You no longer get emails of this kind').waitFor();
    await expectAccessible(page);
    expect(await readMutedNotices(site.service.db, id)).to.deep.equal(['weekly', 'silence']);

    await page.goto('/signin');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.waitForURL('**/signin/forgot');
    await expectAccessible(page);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('status').waitFor();
    await expectAccessible(page);
    await page.goto(await pathIn(2));
    await expectAccessible(page);
    await page.getByLabel('New password').fill(newPassword);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.waitForURL('**/codes');
    expect(await signInStatus(site.service.url, email, newPassword)).to.equal(303);
  });
});
