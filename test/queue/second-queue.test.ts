import { expect } from 'chai';
import { Registry } from 'prom-client';
import { registerSchedules } from '../../src/queue/job-schedules.ts';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import { connectToQueues, type QueuePlace } from '../../src/queue/queue-connection.ts';
import { defineQueue } from '../../src/queue/queue-definition.ts';
import { openQueueWorker, type QueueWorker, TryLaterError } from '../../src/queue/queue-worker.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { hourMs } from '../../src/runtime/units.ts';
import { Type } from '../../src/schema.ts';
import { addQueueMetrics } from '../../src/telemetry/web-metrics.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { runQueueCommandHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { readFigures } from '../support/figures.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const letterQueue = defineQueue({
  name: 'letters',
  jobName: 'send',
  description: 'Mail on its way out',
  contract: Type.Object({ to: Type.String() }),
  concurrency: 2,
  retries: { attempts: 2, delayMs: () => 10 },
  retention: { removeOnComplete: true, removeOnFail: { count: 2 } },
  items: { noun: 'message', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'mail is late',
    failed: 'the mail was not sent',
    noWorker: 'mail is not sent until one is',
  },
});

const newsletterQueue = { ...letterQueue, name: 'newsletter' };

const digestQueue = defineQueue({
  ...letterQueue,
  name: 'digest',
  jobName: 'write',
  contract: Type.Object({ about: Type.String() }),
  schedules: { write: { every: 200, data: { about: 'today' } } },
  items: { noun: 'digest', count: () => 1 },
  visibleData: () => ({}),
});

const secondly = { every: 1_000, data: { about: 'today' } };

const reportQueue = defineQueue({
  ...digestQueue,
  name: 'report',
  contract: Type.Object({}),
  schedules: { write: { every: hourMs, data: {} } },
});

onBothQueues('A second queue', (redisUrl) => {
  const log = testLog();
  const queues = [...allQueues, letterQueue, digestQueue, reportQueue];
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
    addQueueMetrics(registry, client, { latest: async () => ({ ok: true, ms: 1 }) });
    return readFigures(await registry.metrics());
  };

  it('delivers a job to its own handler, as often as it was added', async () => {
    const sent: string[] = [];
    const handle = async ({ to }: { to: string }) => void sent.push(to);
    workers.push(openQueueWorker(place, letterQueue, handle, log));
    await client.add(letterQueue, { to: 'ada@example.com' });
    await client.add(letterQueue, { to: 'ada@example.com' });
    await eventually(() => expect(sent).to.deep.equal(['ada@example.com', 'ada@example.com']));
    await eventually(async () => expect(await client.pending(letterQueue)).to.equal(0));
  });

  it('lets jobs gather after it was empty', async () => {
    const gathering = { ...letterQueue, name: 'gathering', gatherMs: 2_000 };
    const events: string[] = [];
    workers.push(openQueueWorker(place, gathering, async ({ to }) => void events.push(`sent ${to}`), log));
    await client.add(gathering, { to: 'first' });
    await eventually(() => expect(events).to.deep.equal(['sent first']));
    await eventually(async () => expect(await client.pending(gathering)).to.equal(0));
    for (const to of ['second', 'third']) {
      await client.add(gathering, { to });
      events.push(`added ${to}`);
    }
    await eventually(() => expect(events).to.have.length(5));
    expect(events.slice(1)).to.deep.equal(['added second', 'added third', 'sent second', 'sent third']);
  });

  it('does not let jobs gather while there are some', async () => {
    const gathering = { ...letterQueue, name: 'gathering-long', gatherMs: 60_000 };
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const to of names) await client.add(gathering, { to });
    const sent: string[] = [];
    workers.push(openQueueWorker(place, gathering, async ({ to }) => void sent.push(to), log));
    await eventually(() => expect(sent).to.have.members(names));
  });

  it('is in the depth metrics beside the scans', async () => {
    await client.add(letterQueue, { to: 'ada@example.com' });
    const figures = await metrics();
    expect(figures.get('qrelay_queue_jobs', { queue: 'letters', state: 'waiting' })).to.equal(1);
    expect(figures.get('qrelay_queue_jobs', { queue: 'scans', state: 'waiting' })).to.equal(0);
    expect(figures.get('qrelay_queue_oldest_job_seconds', { queue: 'letters' })).to.be.above(0);
    workers.push(openQueueWorker(place, letterQueue, async () => undefined, log));
    await eventually(async () => expect(await depthOf('letters')).to.include({ waiting: 0, active: 0 }));
  });

  it('takes jobs that the handler of another queue adds', async () => {
    const sent: string[] = [];
    const addMail = ({ to }: { to: string }) => client.add(letterQueue, { to });
    workers.push(openQueueWorker(place, newsletterQueue, addMail, log));
    workers.push(openQueueWorker(place, letterQueue, async ({ to }) => void sent.push(to), log));
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

  it('counts the next job of a schedule as scheduled, and not as waiting or pending, until it is due', async () => {
    let isDown = false;
    let runs = 0;
    const handle = async () => {
      if (isDown) throw new TryLaterError('not now');
      runs += 1;
    };
    const laterQueue = { ...reportQueue, retries: { attempts: 2, delayMs: () => hourMs } };
    workers.push(openQueueWorker(place, laterQueue, handle, log));
    const idle = { waiting: 0, active: 0, delayed: 0, scheduled: 1, failed: 0 };
    await eventually(async () => {
      expect(runs).to.equal(1);
      expect(await depthOf('report')).to.deep.equal(idle);
    });
    expect(await client.pending(reportQueue)).to.equal(0);
    const oldest = async () => (await metrics()).get('qrelay_queue_oldest_job_seconds', { queue: 'report' });
    expect(await oldest()).to.equal(0);
    expect((await metrics()).get('qrelay_queue_jobs', { queue: 'report', state: 'scheduled' })).to.equal(1);

    isDown = true;
    for (let added = 0; added < 7; added += 1) await client.add(reportQueue, {});
    await eventually(async () => expect(await depthOf('report')).to.deep.equal({ ...idle, delayed: 7 }));
    expect(await client.pending(reportQueue)).to.equal(7);
    expect(await oldest()).to.be.above(0);
  });

  it('counts the job of a schedule as waiting when it is due, late since then and not since it was added', async () => {
    // No worker: one that is closed while it takes a job returns it, and the queue has that one and the next.
    const atNextSecond = { pattern: '* * * * * *', data: secondly.data };
    const schedules = registerSchedules(place, { ...digestQueue, schedules: { write: atNextSecond } }, log);
    const connection = connectToQueues(place, log);
    const dueAt = await eventually(async () => {
      const next = (await connection.queue(digestQueue).getJobScheduler('write'))?.next;
      expect(next).to.be.a('number');
      return Number(next);
    });
    await schedules.close();
    await connection.close();
    await eventually(async () => {
      const depth = (await client.depths()).find(({ queue }) => queue === 'digest');
      expect(depth?.jobs).to.include({ waiting: 1, delayed: 0, scheduled: 0 });
      expect(depth?.oldestWaitingMs).to.be.within(1, Date.now() - dueAt);
    });
    expect(await client.pending(digestQueue)).to.equal(1);
  });

  it('loses its schedule when a release has none for it any more', async () => {
    const first = openQueueWorker(
      place,
      { ...digestQueue, schedules: { write: secondly } },
      async () => undefined,
      log,
    );
    await eventually(async () => expect(await depthOf('digest')).to.include({ waiting: 0, scheduled: 1 }));
    await first.close();
    workers.push(openQueueWorker(place, { ...letterQueue, name: 'digest' }, async () => undefined, log));
    await eventually(async () =>
      expect(await depthOf('digest')).to.include({ waiting: 0, active: 0, delayed: 0, scheduled: 0 }),
    );
  });

  it('has its jobs counted by outcome, beside those of other queues', async () => {
    const { registry, countJobs } = createWorkerMetrics();
    let attempts = 0;
    const handle = async () => {
      attempts += 1;
      if (attempts === 1) throw new TryLaterError('not now');
      if (attempts === 2) throw new Error('no route');
    };
    countJobs('scans');
    workers.push(openQueueWorker(place, letterQueue, handle, log, { onOutcome: countJobs('letters') }));
    await client.add(letterQueue, { to: 'ada@example.com' });
    await eventually(async () => {
      const figures = readFigures(await registry.metrics());
      const outcome = (queue: string, name: string) =>
        figures.get('qrelay_worker_jobs_total', { queue, outcome: name });
      for (const name of ['done', 'put_back', 'failed']) {
        expect(outcome('letters', name), name).to.equal(1);
        expect(outcome('scans', name), name).to.equal(0);
      }
    });
  });

  it('delivers only the rest of a job that was done in part, as often as that happens', async () => {
    const delivered: string[] = [];
    const handle = async ({ to }: { to: string }) => {
      delivered.push(to);
      const [, ...rest] = to.split(' ');
      if (rest.length > 0) throw new TryLaterError('some are left', { remaining: { to: rest.join(' ') } });
    };
    workers.push(openQueueWorker(place, letterQueue, handle, log));
    await client.add(letterQueue, { to: 'ada bob eve' });
    await eventually(async () => expect(await client.pending(letterQueue)).to.equal(0));
    expect(delivered).to.deep.equal(['ada bob eve', 'bob eve', 'eve']);
  });

  it('keeps a job that is tried later without using an attempt, and fails one that does not match the contract', async () => {
    let attempts = 0;
    const handle = async () => {
      attempts += 1;
      if (attempts < 5) throw new TryLaterError('not now');
    };
    workers.push(openQueueWorker(place, letterQueue, handle, log));
    await client.add(letterQueue, { to: 'ada@example.com' });
    await eventually(() => expect(attempts).to.equal(5));
    await client.add(letterQueue, { from: 'ada@example.com' } as unknown as { to: string });
    await eventually(async () => expect(await depthOf('letters')).to.include({ failed: 1, delayed: 0 }));
    expect(attempts).to.equal(5);
  });

  it('lists and retries its failed jobs with `qrelay queue`, keeping as many as it is told to', async () => {
    workers.push(openQueueWorker(place, letterQueue, async () => Promise.reject(new Error('no route')), log));
    for (const to of ['a', 'b', 'c']) {
      await client.add(letterQueue, { to });
      await eventually(async () =>
        expect(await depthOf('letters')).to.include({ waiting: 0, active: 0, delayed: 0 }),
      );
    }
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    expect(await depthOf('letters')).to.include({ failed: 2 });

    const listed = await qrelayQueue('failed');
    const rows = listed.stdout.trim().split('\n');
    expect(rows).to.have.length(2);
    for (const row of rows) expect(row).to.match(/^letters\t\S+\t\S+\t1 message\t2 attempts\tno route$/);
    expect(listed.stderr).to.include('letters: 2 failed jobs with 2 messages.');

    expect((await qrelayQueue('retry')).stderr).to.include('2 jobs are back in the queue.');
    expect(await depthOf('letters')).to.include({ failed: 0, waiting: 2 });
  });

  const qrelayQueue = (command: string) =>
    runQueueCommandHere(command, [...allQueues, letterQueue], {
      DATABASE_URL: place.databaseUrl,
      REDIS_URL: place.redisUrl ?? '',
    });
});
