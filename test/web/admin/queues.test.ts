import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { listActions } from '../../../src/accounts/operator-actions.ts';
import { packScans } from '../../../src/queue/scan-jobs.ts';
import { connectToQueues } from '../../../src/queue/queue-connection.ts';
import { scanQueue } from '../../../src/queue/scan-queue.ts';
import { newScanId } from '../../../src/scans/scan-id.ts';
import { hourMs } from '../../../src/runtime/units.ts';
import { eventually } from '../../support/eventually.ts';
import type { FormClient } from '../../support/form-client.ts';
import { freePort } from '../../support/free-port.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { onBothQueues } from '../../support/queue-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { testLog } from '../../support/test-log.ts';

onBothQueues('The page of queues', (redisUrl) => {
  let service: TestService;
  let operator: FormClient;
  before(async () => {
    service = await startService({ redisUrl: redisUrl(), worker: true });
    operator = await signedInOperator(service);
  });
  after(() => service?.stop());

  /** Encrypted with the key of another installation, so that no worker can decrypt it. */
  async function failJob(): Promise<string> {
    const scan = { userAgent: 'Secret browser', address: '81.2.69.142', codeId: 'no-uuid' };
    const scans = [{ ...scan, id: newScanId(Date.now() - 25 * hourMs) }];
    const queue = connectToQueues({ redisUrl: redisUrl(), databaseUrl: service.databaseUrl }, testLog());
    const job = await eventually(() =>
      queue.queue(scanQueue).add(scanQueue.jobName, packScans(scans, randomBytes(32)), { attempts: 1 }),
    );
    await eventually(async () => expect(await job.getState()).to.equal('failed'));
    await queue.close();
    return String(job.id);
  }
  async function done(fields: Record<string, string>): Promise<string> {
    const answer = await operator.post('/admin/queues/retry', fields);
    expect(answer.status, await answer.clone().text()).to.equal(303);
    return mainText(await operator.get(answer.headers.get('Location') ?? ''));
  }

  it('lists failed jobs with their reason, without data about people, and retries one or all', async () => {
    expect(await mainText(await operator.get('/admin/queues'))).to.contain('No failed jobs');
    const ids = [await failJob(), await failJob(), await failJob()];
    const shown = await mainText(await operator.get('/admin/queues'));
    expect(shown).to.contain('Failed jobs of scans').and.to.contain('3 jobs failed');
    expect(shown)
      .to.contain('encrypted with a root secret that this process does not have')
      .and.to.contain('1 scan');
    expect(shown).not.to.contain('Secret browser').and.not.to.contain('81.2.69');

    expect(await done({ queue: 'scans', job: ids[0] ?? '' })).to.contain('The job is back in the queue.');
    expect((await listActions(service.db, { limit: 1 }))[0]).to.include({
      operatorEmail: 'operator@example.com',
      action: 'queue.retry',
      target: 'scans',
      note: `Job ${ids[0]}`,
    });
    expect(await done({ queue: 'scans' })).to.contain('The failed jobs are back in the queue.');
    expect((await listActions(service.db, { limit: 1 }))[0]).to.include({ note: 'All failed jobs' });
    expect(await done({ queue: 'scans', job: 'no-such-job' })).to.contain('This job has not failed');
  });

  it('knows no other queues or jobs', async () => {
    for (const fields of [{ queue: 'nonsense' }, {}, { queue: 'scans', job: 'x'.repeat(500) }] as Record<
      string,
      string
    >[])
      expect((await operator.post('/admin/queues/retry', fields)).status).to.equal(404);
  });
});

describe('The pages for operators while Redis is down', () => {
  it('say so, and the overview still shows the rest', async () => {
    const service = await startService({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
    try {
      const operator = await signedInOperator(service);
      const queues = await operator.get('/admin/queues');
      expect(queues.status).to.equal(503);
      expect(await mainText(queues)).to.contain('The queue cannot be reached.');
      const overview = await operator.get('/admin');
      expect(overview.status).to.equal(200);
      expect(await mainText(overview))
        .to.contain('The queue does not respond')
        .and.to.contain('Processes');
    } finally {
      await service.stop();
    }
  });
});
