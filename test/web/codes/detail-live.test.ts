import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadConfig } from '../../../src/config.ts';
import { openWebService, type WebService } from '../../../src/web-service.ts';
import { openWorkerService, type WorkerService } from '../../../workers/worker-service.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { openQueueLazily } from '../../support/lazy-queue.ts';
import { sharedService } from '../../support/shared-service.ts';
import { sharedImages, sharedPasswords } from '../../support/shared-threads.ts';
import { openShare } from '../../support/share.ts';
import { testLog } from '../../support/test-log.ts';
import { type WebVisitor } from '../../support/web-visitor.ts';
import { codePage, tableRows } from './code-page.ts';

inABrowser('The page of a code', sharedService, (site) => {
  const current = codePage(site);

  describe('while it is open', () => {
    let second: WebService | undefined;
    let worker: WorkerService | undefined;
    let viewerOfSecond: WebVisitor | undefined;
    const openSecond = async () => {
      const config = { ...loadConfig({ BASE_URL: 'https://qr.test' }), host: '127.0.0.1', port: 0 };
      second = await openWebService({
        config,
        databaseUrl: site.service.databaseUrl,
        log: testLog(),
        nowMs: Date.now,
        drainGraceMs: 0,
        passwords: sharedPasswords(),
        images: sharedImages(),
        openQueue: openQueueLazily,
      });
      const viewer = await site.visitAs(current.email, {}, `http://127.0.0.1:${second.port}`);
      const stream = viewer.page.waitForResponse('**/events');
      await viewer.page.goto(`/codes/${current.code.id}`);
      await stream;
      viewerOfSecond = viewer;
      return viewer;
    };
    afterEach(async () => {
      // An open page would reconnect to a process that has ended.
      await viewerOfSecond?.page.close();
      viewerOfSecond = undefined;
      await second?.close();
      second = undefined;
      await worker?.close();
      worker = undefined;
    });

    /** The time at which the page shows that many scans, by its own clock, without the delay of the test. */
    const momentOf = (viewer: Page, scans: number) =>
      viewer.evaluate<number>(`new Promise((resolve) => {
        const look = () => {
          const total = document.getElementById('total-scans')?.textContent;
          const rows = document.querySelectorAll('#scans tbody tr').length;
          if (total === '${scans}' && rows === ${scans}) resolve(Date.now());
          else setTimeout(look, 10);
        };
        look();
      })`);

    it('shows a scan within 2 seconds, whichever process received it [timed]', async () => {
      const { databaseUrl } = site.service;
      const config = loadConfig({ BASE_URL: 'https://qr.test' });
      worker = await openWorkerService({ databaseUrl, redisUrl: undefined }, testLog(), { config });
      const stream = current.page.waitForResponse('**/events');
      await current.page.goto(`/codes/${current.code.id}`);
      await stream;
      const elsewhere = await openSecond();
      for (const scans of [1, 2, 3]) {
        const shown = Promise.all([current.page, elsewhere.page].map((viewer) => momentOf(viewer, scans)));
        await openShare(site.service.url, current.code.shareToken);
        const scannedAt = Date.now();
        for (const shownAt of await shown) expect(shownAt - scannedAt).to.be.below(2_000);
      }
      // The charts follow some seconds later.
      await eventually(
        async () =>
          expect((await tableRows(current.page, 'Devices'))[0]).to.deep.equal(['Mobile', '3', '100.0%']),
        8_000,
      );
      expect((await tableRows(current.page, 'Scans, newest first'))[0]?.slice(1)).to.deep.equal([
        'Unknown',
        'Mobile',
        'Mobile Safari',
        'iOS',
      ]);
      // No map while no country is known.
      expect(await current.page.locator('.world').count()).to.equal(0);
      expect(await current.page.getByText('No cities known for these scans.').isVisible()).to.equal(true);
      await current.record([[0]]);
      await current.page.locator('.world').waitFor();
      expect((await tableRows(current.page, 'Cities'))[0]).to.deep.equal([
        'St Albans, United Kingdom',
        '1',
        '25.0%',
      ]);
      expect(await current.page.locator('#timeline rect').last().getAttribute('data-value')).to.equal('4');
      expect(await current.page.locator('#total-today').textContent()).to.equal('4');
      expect(await current.page.locator('#timeline').getAttribute('aria-label')).to.contain(': 4 in total');
      expect(await current.page.locator('#announcement').textContent()).to.equal('1 new scan');
      expect(await current.page.getByText('No scans yet').isVisible()).to.equal(false);
      expect(await current.page.getByText('Live', { exact: true }).isVisible()).to.equal(true);
      await current.page.reload();
      expect((await tableRows(current.page, 'Scans, newest first')).length).to.equal(4);
    });

    it('catches up when it becomes visible long after it was opened', async () => {
      await current.record(Array.from({ length: 15 }, () => [0]));
      await current.page.route('**/events', (route) => route.abort());
      current.visitor.provoked.push(/net::ERR_FAILED/);
      await current.page.goto(`/codes/${current.code.id}`);
      expect(await current.page.getByRole('link', { name: 'Earlier scans' }).count()).to.equal(0);
      await current.record(Array.from({ length: 15 }, () => [0, { device: 'desktop' as const }]));
      await current.page.unroute('**/events');
      await current.page.evaluate(
        'dispatchEvent(new Event("pagehide")); dispatchEvent(new Event("pageshow"))',
      );
      await eventually(async () => {
        expect(await current.page.locator('#total-scans').textContent()).to.equal('30');
        expect((await tableRows(current.page, 'Devices')).map(([, count]) => count)).to.deep.equal([
          '15',
          '15',
        ]);
      });
      await current.page.getByRole('link', { name: 'Earlier scans' }).click();
      expect((await tableRows(current.page, 'Scans, newest first')).length).to.equal(10);
    });

    it('does not delay the shutdown of its process', async () => {
      const viewer = await openSecond();
      viewer.provoked.push(/net::ERR_CONNECTION/); // when the page asks again
      // A stream that outlives the drain is cut, and then its request fails instead.
      const ended = viewer.page.waitForEvent('requestfinished', (request) =>
        request.url().endsWith('/events'),
      );
      await second?.close();
      second = undefined;
      await ended;
    });

    it('stops receiving events when the code is deleted', async () => {
      await current.page.goto(`/codes/${current.code.id}`);
      current.visitor.provoked.push(/^404 .*\/events$/);
      const again = current.page.waitForResponse(
        (answer) => answer.url().endsWith('/events') && answer.status() === 404,
      );
      await current.api(`/qrcodes/${current.code.id}`, { method: 'DELETE' });
      await again;
    });
  });
});
