import { expect } from 'chai';
import { createCode, findCode } from '../../src/codes/codes.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { defaultLimits } from '../../src/limits.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { expectAccessible } from '../support/accessible.ts';
import { eventually } from '../support/eventually.ts';
import { inABrowser } from '../support/in-a-browser.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startService, type TestService } from '../support/service.ts';

const [anna, ben] = ['anna@example.com', 'ben@example.com'];
const [former, wrong] = ['https://example.com/menu', 'https://example.com/wrong'];

describe('Two people', () => {
  let mails: MailServer;
  let service: TestService;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config } });
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  inABrowser(
    'with two browsers',
    () => service,
    (site) => {
      it('invite, join from the mail, change a code, put it back, and remove', async () => {
        const { page: owner } = await site.visitAs(anna);
        const { db } = service;
        const user = await findUserByEmail(db, anna);
        await db('users').where({ id: user.id }).update({ confirmed_email: anna });
        const own = ownWorkspaceId(user);
        const code = await createCode(
          db,
          own,
          { ...createDefaults, name: 'Menu', content: former },
          { lifetimeDays: 365, limits: defaultLimits, now: new Date() },
        );

        await owner.goto('/members');
        await expectAccessible(owner);
        await owner.getByLabel('Email addresses').fill(ben);
        await owner.getByLabel('Role', { exact: true }).first().selectOption('editor');
        await owner.getByRole('button', { name: 'Send invitations' }).click();
        await owner.getByRole('row', { name: new RegExp(ben) }).waitFor();

        const colleague = await site.visit({ viewport: { width: 390, height: 800 } });
        const { page } = colleague;
        const [mail] = await mails.mailsTo(ben);
        await page.goto(new URL(linkIn(mail!)).pathname);
        expect(await page.getByRole('main').textContent()).to.contain(anna);
        await expectAccessible(page);
        await page.getByRole('link', { name: 'Create an account to join' }).click();
        await page
          .getByLabel(/password/i)
          .first()
          .fill('a long and rare password');
        await page.getByRole('button', { name: /Create|Join/ }).click();
        await page.waitForURL('**/w/anna/codes');
        await page.goto(`/w/anna/codes/${code.id}/edit`);
        await page.getByLabel('Address', { exact: false }).first().fill(wrong);
        await page.getByRole('button', { name: 'Save' }).first().click();
        await page.waitForURL(`**/w/anna/codes/${code.id}`);
        expect((await findCode(db, own, code.id)).content).to.equal(wrong);
        const liveMark = page.locator('.live-mark').first();
        await liveMark.waitFor();

        await owner.goto(`/w/anna/codes/${code.id}/history`);
        await expectAccessible(owner);
        const entry = owner.locator('li.entry').filter({ hasText: wrong });
        expect(await entry.textContent())
          .to.contain(ben)
          .and.to.contain(former);
        await entry.getByRole('button', { name: /^Put back/ }).click();
        await owner.getByRole('status').filter({ hasText: 'put back' }).waitFor();
        expect((await findCode(db, own, code.id)).content).to.equal(former);

        await owner.goto('/w/anna/members');
        colleague.provoked.push(/\/events/, /404/);
        await owner.getByRole('link', { name: `Remove ${ben}` }).click();
        await owner.getByRole('button', { name: 'Remove', exact: false }).last().click();
        await eventually(async () => expect(await owner.getByText(ben).count()).to.equal(0));
        await liveMark.waitFor({ state: 'hidden' });
        expect((await page.reload())?.status()).to.equal(404);
        const [, told] = await mails.mailsTo(ben, 2);
        expect(told?.text).to.contain('anna');
      });
    },
  );
});
