import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Type } from 'typebox';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import type { QueuePlace } from '../../src/queue/queue-connection.ts';
import { defineQueue } from '../../src/queue/queue-definition.ts';
import { openQueueWorker, type QueueWorker, TryLaterError } from '../../src/queue/queue-worker.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { addQueueMetrics } from '../../src/telemetry/queue-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { readFigures } from '../support/figures.ts';
import { outcomeOf } from '../support/programs.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const mailQueue = defineQueue({
  name: 'mail',
  jobName: 'send',
  description: 'Mail on its way out',
  contract: Type.Object({ to: Type.String() }),
  concurrency: 2,
  retries: { attempts: 2, delayMs: () => 10 },
  retention: { removeOnComplete: true, removeOnFail: { count: 2 } },
  items: { noun: 'message', count: () => 1 },
  visibleData: () => ({}),
  consequences: { late: 'mail is late', failed: 'the mail was not sent' },
});

const newsletterQueue = { ...mailQueue, name: 'newsletter' };

const digestQueue = defineQueue({
  ...mailQueue,
  name: 'digest',
  jobName: 'write',
  contract: Type.Object({ about: Type.String() }),
  schedule: { every: 200, data: { about: 'today' } },
  items: { noun: 'digest', count: () => 1 },
});

onBothQueues('A second queue', (redisUrl) => {
  const log = testLog();
  const queues = [...allQueues, mailQueue, digestQueue];
  let database: TestDatabase;
  let place: QueuePlace;
  let client: QueueClient;
  const workers: QueueWorker[] = [];

  before(async () => {
    database = await createTestDatabase();
    place = { databaseUrl: database.url, redisUrl: redisUrl() };
    client = openQueueClient({ place, log, queues });
    await eventually(() => expect(client.isReady()).to.equal(true));
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
  });
  after(async () => {
    await client?.close();
    await database?.drop();
  });

  const depthOf = async (name: string) => (await client.depths()).find(({ queue }) => queue === name)?.jobs;
  const metrics = async () => {
    const registry = new Registry();
    addQueueMetrics(registry, client);
    return readFigures(await registry.metrics());
  };

  it('delivers a job to its own handler, as often as it was added', async () => {
    const sent: string[] = [];
    const handle = async ({ to }: { to: string }) => void sent.push(to);
    workers.push(openQueueWorker(place, mailQueue, handle, log));
    await client.add(mailQueue, { to: 'ada@example.com' });
    await client.add(mailQueue, { to: 'ada@example.com' });
    await eventually(() => expect(sent).to.deep.equal(['ada@example.com', 'ada@example.com']));
    await eventually(async () => expect(await client.pending(mailQueue)).to.equal(0));
  });

  it('is in the depth metrics beside the scans', async () => {
    await client.add(mailQueue, { to: 'ada@example.com' });
    const figures = await metrics();
    expect(figures.get('qrelay_queue_jobs', { queue: 'mail', state: 'waiting' })).to.equal(1);
    expect(figures.get('qrelay_queue_jobs', { queue: 'scans', state: 'waiting' })).to.equal(0);
    expect(figures.get('qrelay_queue_oldest_job_seconds', { queue: 'mail' })).to.be.above(0);
    workers.push(openQueueWorker(place, mailQueue, async () => undefined, log));
    await eventually(async () => expect(await depthOf('mail')).to.include({ waiting: 0, active: 0 }));
  });

  it('takes jobs that the handler of another queue adds', async () => {
    const sent: string[] = [];
    const addMail = async ({ to }: { to: string }) => void (await client.add(mailQueue, { to }));
    workers.push(openQueueWorker(place, newsletterQueue, addMail, log));
    workers.push(openQueueWorker(place, mailQueue, async ({ to }) => void sent.push(to), log));
    await client.add(newsletterQueue, { to: 'bob@example.com' });
    await eventually(() => expect(sent).to.deep.equal(['bob@example.com']));
  });

  it('runs a scheduled job again and again, once for all workers', async () => {
    const written: number[] = [];
    const handle = async ({ about }: { about: string }) => {
      expect(about).to.equal('today');
      written.push(Date.now());
    };
    workers.push(openQueueWorker(place, digestQueue, handle, log));
    workers.push(openQueueWorker(place, digestQueue, handle, log));
    const startedAt = Date.now();
    await eventually(() => expect(written).to.have.length.above(3));
    expect(written.length).to.be.at.most(2 + (Date.now() - startedAt) / 200);
    expect(await depthOf('digest')).to.include({ failed: 0 });
    expect((await metrics()).get('qrelay_queue_oldest_job_seconds', { queue: 'digest' })).to.be.below(1);
  });

  it('keeps a job that is tried later without using an attempt, and fails one that does not match the contract', async () => {
    let attempts = 0;
    const handle = async () => {
      attempts += 1;
      if (attempts < 5) throw new TryLaterError('not now');
    };
    workers.push(openQueueWorker(place, mailQueue, handle, log));
    await client.add(mailQueue, { to: 'ada@example.com' });
    await eventually(() => expect(attempts).to.equal(5));
    await client.add(mailQueue, { from: 'ada@example.com' } as unknown as { to: string });
    await eventually(async () => expect(await depthOf('mail')).to.include({ failed: 1, delayed: 0 }));
    expect(attempts).to.equal(5);
  });

  it('lists and retries its failed jobs with `qrelay queue`, keeping as many as it is told to', async () => {
    workers.push(openQueueWorker(place, mailQueue, async () => Promise.reject(new Error('no route')), log));
    for (const to of ['a', 'b', 'c']) {
      await client.add(mailQueue, { to });
      await eventually(async () =>
        expect(await depthOf('mail')).to.include({ waiting: 0, active: 0, delayed: 0 }),
      );
    }
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    expect(await depthOf('mail')).to.include({ failed: 2 });

    const listed = await qrelayQueue('failed');
    expect(listed.code, listed.stderr).to.equal(0);
    const rows = listed.stdout.trim().split('\n');
    expect(rows).to.have.length(2);
    for (const row of rows) expect(row).to.match(/^mail\t\S+\t\S+\t1 message\t2 attempts\tno route$/);
    expect(listed.stderr).to.include('mail: 2 failed jobs with 2 messages.');

    expect((await qrelayQueue('retry')).stderr).to.include('2 jobs are back in the queue.');
    expect(await depthOf('mail')).to.include({ failed: 0, waiting: 2 });
  });

  /** The command in a process of its own, with the test's queue in its list. */
  function qrelayQueue(command: string) {
    const script = `
      import { Type } from 'typebox';
      import { queueCommand } from ${built('cli/queue.js')};
      import { defineQueue } from ${built('queue/queue-definition.js')};
      import { allQueues } from ${built('queue/queues.js')};
      const contract = Type.Object({ to: Type.String() });
      const items = { noun: 'message', count: () => 1 };
      const mailQueue = defineQueue({ ...allQueues[0], name: 'mail', contract, items });
      await queueCommand([...allQueues, mailQueue]).parseAsync(['${command}'], { from: 'user' });`;
    return outcomeOf(
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, DATABASE_URL: place.databaseUrl, REDIS_URL: place.redisUrl ?? '' },
      }),
    );
  }
});

const built = (path: string) => JSON.stringify(new URL(`../../dist/src/${path}`, import.meta.url).href);
