import { UnrecoverableError } from 'bullmq';
import { expect } from 'chai';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import type { QueuePlace } from '../../src/queue/queue-connection.ts';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { countScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { eventually } from '../support/eventually.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const log = testLog();

onBothQueues('qrelay queue', (redisUrl) => {
  let database: TestDatabase;
  let place: QueuePlace;
  let queue: QueueClient;

  before(async () => {
    database = await createTestDatabase();
    place = { databaseUrl: database.url, redisUrl: redisUrl() };
    queue = openQueueClient({ place, log });
    await eventually(() => expect(queue.isReady()).to.equal(true));
  });
  after(async () => {
    await queue?.close();
    await database?.drop();
  });

  const qrelay = (...args: string[]) =>
    runQrelayHere(['queue', ...args], { DATABASE_URL: place.databaseUrl, REDIS_URL: place.redisUrl ?? '' });

  async function failJobs(numbers: number[]): Promise<void> {
    const worker = openQueueWorker(
      place,
      scanQueue,
      async () => {
        throw new UnrecoverableError('the disk\nis full');
      },
      log,
    );
    for (const number of numbers) {
      const scans = Array.from({ length: number }, (_, index): [string, string, string] => [
        `${number}-${index}`,
        'code',
        'agent',
      ]);
      await queue.add(scanQueue, { scans, sealedAddresses: '' });
    }
    await eventually(async () => {
      const scans = (await queue.depths()).find(({ queue: name }) => name === 'scans');
      expect(scans?.jobs.failed).to.equal(numbers.length);
    });
    await worker.close();
  }

  it('says that there are no failed jobs', async () => {
    for (const command of ['failed', 'retry']) {
      const { code, stdout, stderr } = await qrelay(command);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
      expect(stderr).to.include('There are no failed jobs.');
    }
  });

  it('lists failed jobs with their reason, and puts all of them back', async () => {
    await failJobs([1, ...Array.from({ length: 24 }, () => 3)]);
    const listed = await qrelay('failed');
    expect(listed.code).to.equal(0);
    const rows = listed.stdout.trim().split('\n');
    expect(rows).to.have.length(25);
    expect(
      rows.filter((row) => /^scans\t\S+\t\S+\t1 scan\t\d+ attempts?\tthe disk is full$/.test(row)),
    ).to.have.length(1);
    expect(listed.stderr).to.include('scans: 25 failed jobs with 73 scans.');

    const retried = await qrelay('retry');
    expect(retried.code).to.equal(0);
    expect(retried.stderr).to.include('25 jobs are back in the queue.');
    expect((await queue.depths())[0]?.jobs).to.include({ failed: 0, waiting: 25 });

    let scans = 0;
    const worker = openQueueWorker(
      place,
      scanQueue,
      async (job) => {
        scans += countScans(job);
      },
      log,
    );
    await eventually(() => expect(scans).to.equal(73));
    await eventually(async () => expect(await queue.pending(scanQueue)).to.equal(0));
    await worker.close();
  });

  it('uses the singular for one job', async () => {
    await failJobs([1]);
    expect((await qrelay('failed')).stderr).to.include('scans: 1 failed job with 1 scan.');
    expect((await qrelay('retry')).stderr).to.include('1 job is back in the queue.');
  });
});
