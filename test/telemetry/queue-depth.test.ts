import { expect } from 'chai';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { openQueueWorker, type QueueWorker, TryLaterError } from '../../src/queue/queue-worker.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/figures.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

const token = 'a-token-for-the-figures';

onBothQueues('How full the queue is', (redisUrl) => {
  const log = testLog();
  let service: TestService;
  let api: ApiClient;
  let worker: QueueWorker | undefined;

  before(async () => {
    service = await startService({ redisUrl: redisUrl(), config: { metricsToken: token } });
    api = apiClient(service.url, await service.makeKey());
  });
  after(async () => {
    await worker?.close();
    await service.stop();
  });

  it('is in the metrics of the web process, with the age of the oldest job, also while jobs are delayed', async () => {
    const place = { databaseUrl: service.databaseUrl, redisUrl: redisUrl() };
    const queue = openQueueClient({ place, log });
    await waitUntilReady(queue);
    const none = { waiting: 0, active: 0, delayed: 0, scheduled: 0, failed: 0 };
    expect(await queue.depths()).to.deep.equal(
      allQueues.map(({ name }) => ({ queue: name, jobs: none, oldestWaitingMs: 0 })),
    );
    const depthOfScans = async () => (await queue.depths()).find(({ queue: name }) => name === 'scans');

    const { shareToken } = await createCode(api);
    const before = Date.now();
    await openShare(service.url, shareToken);
    const after = Date.now();
    for (let scans = 1; scans < 3; scans += 1) await openShare(service.url, shareToken);
    const waiting = await eventually(async () => {
      const depth = await depthOfScans();
      expect(depth?.jobs).to.deep.equal({ ...none, waiting: 3 });
      expect(depth?.oldestWaitingMs).to.be.above(50);
      return depth;
    });
    expect(waiting?.oldestWaitingMs).to.be.within(0, Date.now() - before);
    const told = await eventually(async () => {
      const figures = await scrape(`${service.url}/metrics`, token);
      expect(figures.get('qrelay_queue_jobs', { queue: 'scans', state: 'waiting' })).to.equal(3);
      expect(figures.get('qrelay_queue_up')).to.equal(1); // probed once a second
      return figures;
    });
    expect(told.get('qrelay_queue_oldest_job_seconds', { queue: 'scans' })).to.be.within(
      0,
      (Date.now() - before) / 1000,
    );

    worker = openQueueWorker(place, scanQueue, () => Promise.reject(new TryLaterError('not now')), log);
    await eventually(async () => {
      const askedAt = Date.now();
      const depth = await depthOfScans();
      expect(depth?.jobs).to.include({ waiting: 0, active: 0, delayed: 3 });
      expect(depth?.oldestWaitingMs).to.be.at.least(askedAt - after);
    });
    await queue.close();
  });
});
