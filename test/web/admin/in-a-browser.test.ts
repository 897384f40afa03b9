import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { blockAccount } from '../../../src/accounts/account-blocks.ts';
import { recordAction } from '../../../src/accounts/operator-actions.ts';
import { findOrCreateUser, setAdmin, type User } from '../../../src/accounts/users.ts';
import { connectToQueues } from '../../../src/queue/queue-connection.ts';
import { packScans } from '../../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../../src/queue/scan-queue.ts';
import { newScanId } from '../../../src/scans/scan-id.ts';
import { saveReport } from '../../../src/store/process-reports.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, iPhone, narrowPhone } from '../../support/browser.ts';
import { hourMs } from '../../../src/runtime/units.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { testLog } from '../../support/test-log.ts';
import { isTooWide } from '../../support/web-visitor.ts';

const operatorEmail = 'operator@example.com';
let service: TestService;

inABrowser(
  'The pages for operators',
  async () => {
    service = await startService({ worker: true, eagerQueue: true });
    return service;
  },
  (site) => {
    let user: User;
    before(async () => {
      const { db } = site.service;
      const now = new Date();
      await setAdmin(db, await findOrCreateUser(db, operatorEmail, now), true, now);
      user = await findOrCreateUser(
        db,
        `somebody-with-a-long-name-${'x'.repeat(30)}@${'x'.repeat(60)}.example.com`,
        now,
      );
      const created = { operatorId: undefined, action: 'key.create', target: user.id, note: 'Shop' } as const;
      await recordAction(db, created, now);
      const blocked = await findOrCreateUser(db, 'blocked@example.com', now);
      await blockAccount(db, blocked.id, 'Phishing, reported by three banks', now);
      await saveReport(db, {
        id: '01890000-0000-4000-8000-000000000001',
        kind: 'worker',
        host: 'worker-with-a-long-name.region.internal',
        pid: 4_194_304,
        version: '0.2.0',
        uptimeMs: 1_000,
        isStopped: false,
        state: { memoryBytes: 1e9 },
        errors: [
          {
            level: 'error',
            message: 'a request failed unexpectedly',
            cause: `53200: ${'x'.repeat(100)}`,
            times: 3,
            lastAt: now.toISOString(),
          },
        ],
        spanMs: 70_000,
        counts: { redirects: 700, recorded: 600, lagMs: 60_000, errors: 2 },
        longestLagMs: 400,
      });
      await failJob();
    });
    after(() => service?.stop());

    async function failJob(): Promise<void> {
      const queue = connectToQueues({ redisUrl: undefined, databaseUrl: service.databaseUrl }, testLog());
      const scan = {
        userAgent: 'x',
        address: '81.2.69.142',
        codeId: 'no-uuid',
        id: newScanId(Date.now() - 25 * hourMs),
      };
      const job = await queue
        .queue(scanQueue)
        .add(scanQueue.jobName, packScans([scan], randomBytes(32)), { attempts: 1 });
      await eventually(async () => expect(await job.getState()).to.equal('failed'));
      await queue.close();
    }

    it('are accessible in both themes and fit every screen, lead from the app to each other, and work by keyboard', async () => {
      const { page } = await site.visitAs(operatorEmail, narrowPhone);
      await page.setViewportSize(desktop);
      await page.goto('/codes');
      await page.getByRole('banner').getByRole('link', { name: 'Admin' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await expectLabelsApart(page);
      await page.setViewportSize(desktop);
      for (const name of ['Users', 'Blocks', 'Queues', 'Audit log', 'Overview']) {
        await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await expectToFit(page);
        if (name === 'Queues') {
          await page
            .getByRole('button', { name: /^Retry job / })
            .first()
            .focus();
          await page.keyboard.press('Enter');
          await page.getByRole('status').getByText('The job is back in the queue.').waitFor();
        }
        if (name === 'Audit log') {
          const row = page.getByRole('row', { name: /Created an API key/ });
          expect(await row.locator('[data-label=Note]').innerText()).to.equal('Key “Shop”');
        }
      }
      await page.getByRole('banner').getByRole('link', { name: 'QR codes' }).click();
      await page.waitForURL('**/codes');
    });

    it('are accessible and fit every screen for one user, and where none is found', async () => {
      const { page } = await site.visitAs(operatorEmail, narrowPhone);
      for (const path of [`/admin/users/${user.id}`, '/admin/users?q=nobody-like-this']) {
        await page.goto(path);
        await expectToFit(page);
      }
    });

    /** The same page on each screen, without loading it again. */
    async function expectToFit(page: Page): Promise<void> {
      await page.setViewportSize(narrowPhone.viewport);
      expect(await isTooWide(page), page.url()).to.equal(false);
      for (const size of [iPhone.viewport, desktop]) {
        await page.setViewportSize(size);
        expect(await isTooWide(page), page.url()).to.equal(false);
        await expectAccessible(page);
      }
    }

    async function expectLabelsApart(page: Page): Promise<void> {
      await page.setViewportSize(iPhone.viewport);
      const [label, column] = await page
        .locator('td[data-label="Last report"]')
        .first()
        .evaluate((cell) => {
          const text = document.createElement('span');
          text.textContent = cell.dataset.label ?? '';
          document.body.append(text);
          const { width } = text.getBoundingClientRect();
          text.remove();
          return [width, Number.parseFloat(getComputedStyle(cell).gridTemplateColumns)];
        });
      expect(column).to.be.above(label + 4);
    }

    it('refresh the overview when told to, and stop again', async () => {
      const { page } = await site.visitAs(operatorEmail);
      await page.goto('/admin');
      const button = page.getByRole('button', { name: 'Refresh every 10 s' });
      expect(await button.getAttribute('aria-pressed')).to.equal('false');
      await saveAnotherProcess('started-later');
      await button.click();
      await page.getByText('started-later').first().waitFor();
      expect(await button.getAttribute('aria-pressed')).to.equal('true');
      await button.click();
      expect(await button.getAttribute('aria-pressed')).to.equal('false');
      expect(await page.locator('#announcement').textContent()).to.equal(
        'The figures are no longer refreshed.',
      );
    });

    it('help a user to sign in, who chooses a password on a phone', async () => {
      const { page } = await site.visitAs(operatorEmail);
      const link = await createLink(page);
      await page.reload();
      expect(await page.content()).not.to.contain(link);
      // The user's own browser.
      await page.context().clearCookies();
      await page.setViewportSize(iPhone.viewport);
      await page.goto(new URL(link).pathname);
      await expectAccessible(page);
      await page.getByLabel('New password').fill('short');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByText('New password must have at least 10 characters.').waitFor();
      await expectAccessible(page);
      await page.getByLabel('New password').fill('correct horse battery staple 7');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.waitForURL('**/codes');
      await page.context().clearCookies();
      await page.goto(new URL(link).pathname);
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
      await expectAccessible(page);
    });

    async function saveAnotherProcess(host: string): Promise<void> {
      await saveReport(service.db, {
        id: '01890000-0000-4000-8000-000000000002',
        kind: 'web',
        host,
        pid: 1,
        version: '0.2.0',
        uptimeMs: 1,
        isStopped: false,
        state: { memoryBytes: 1 },
        errors: [],
        spanMs: 1,
        counts: {},
        longestLagMs: undefined,
      });
    }

    async function createLink(page: Page): Promise<string> {
      await page.goto('/admin/users');
      await page.getByLabel('Search by email').fill('somebody-with');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: /^somebody-with/ }).click();
      await page.getByRole('button', { name: 'Create sign-in link' }).click();
      await expectAccessible(page);
      return page.getByLabel('Link', { exact: true }).inputValue();
    }
  },
);
