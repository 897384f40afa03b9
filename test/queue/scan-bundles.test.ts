import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { connectToQueues, type QueueConnection, waitUntilReady } from '../../src/queue/queue-connection.ts';
import { TryLaterError } from '../../src/queue/queue-worker.ts';
import { type BundleJob, createBundleWriter } from '../../src/queue/scan-bundles.ts';
import { listScans, packScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { unbundle } from '../../workers/unbundle.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const key = randomBytes(32);

function batchOf(scans = 1): ScanJob {
  const scan = () => ({ id: newScanId(Date.now()), codeId: 'a', userAgent: 'b', address: '192.0.2.1' });
  return packScans(Array.from({ length: scans }, scan), key);
}

const idsOf = (batches: ScanJob[]) => batches.flatMap((batch) => listScans(batch).map(([id]) => id));

onBothQueues('Bundles of scans', (redisUrl) => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let connection: QueueConnection;
  let jobs: BundleJob[];
  let clock: number;

  before(async () => {
    database = await createTestDatabase();
    connection = connectToQueues({ redisUrl: redisUrl(), databaseUrl: database.url }, testLog());
    await waitUntilReady(connection);
  });
  beforeEach(() => {
    jobs = [];
    clock = Date.now();
  });
  after(async () => {
    await connection?.close();
    await database?.drop();
  });

  const store = () => connection.bundles(scanQueue);
  const writer = (addJob = async (job: BundleJob): Promise<unknown> => jobs.push(job)) =>
    createBundleWriter({ store: store(), addJob, now: () => clock });
  const alone: ScanJob[] = [];
  const reader = (handle: (job: ScanJob) => Promise<void>) => {
    const metrics = createWorkerMetrics();
    const read = unbundle(handle, { storeOf: store, add: async (_queue, job) => alone.push(job), metrics });
    return (job: BundleJob) => read({ ...job, openedAt: 0 } as unknown as ScanJob, 'record', scanQueue);
  };

  it('hold the batches of 0.4 seconds, in one job', async () => {
    const add = writer();
    const batches = Array.from({ length: 5 }, () => batchOf());
    await Promise.all(batches.map(add));
    clock += 399;
    batches.push(batchOf(3));
    await add(batches.at(-1) as ScanJob);
    expect(jobs).to.have.length(1);
    clock += 1;
    await add(batchOf());
    expect(jobs).to.have.length(2);
    const taken = await store().take(jobs[0]?.bundle ?? '');
    expect(idsOf(taken)).to.have.members(idsOf(batches));
  });

  it('end with 2,000 scans', async () => {
    const add = writer();
    for (let batches = 0; batches < 5; batches += 1) await add(batchOf(500));
    expect(jobs).to.have.length(2);
  });

  it('take no more batches once they are closed: the next one opens another bundle', async () => {
    const add = writer();
    const [first, second] = [batchOf(), batchOf()];
    await add(first);
    expect(idsOf(await store().take(jobs[0]?.bundle ?? ''))).to.deep.equal(idsOf([first]));
    await add(second);
    expect(jobs).to.have.length(2);
    // A worker that was killed in between: another one gets the same.
    expect(idsOf(await store().take(jobs[0]?.bundle ?? ''))).to.deep.equal(idsOf([first]));
    expect(idsOf(await store().take(jobs[1]?.bundle ?? ''))).to.deep.equal(idsOf([second]));
  });

  it('lose nothing when they are closed while batches are added', async () => {
    const added: ScanJob[] = [];
    const taken: ScanJob[] = [];
    const add = writer();
    let isDone = false;
    const adding = Promise.all(
      Array.from({ length: 4 }, async () => {
        // Until there are several bundles: on a busy machine, the first takes many batches.
        for (let batches = 0; batches < 50 || jobs.length < 2; batches += 1) {
          const batch = batchOf();
          await add(batch);
          added.push(batch);
        }
      }),
    ).then(() => {
      isDone = true;
    });
    let next = 0;
    while (!isDone || next < jobs.length) {
      const job = jobs[next];
      if (!job) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      next += 1;
      taken.push(...(await store().take(job.bundle)));
      await store().remove(job.bundle);
    }
    await adding;
    expect(jobs.length).to.be.above(1);
    expect(idsOf(taken).toSorted()).to.deep.equal(idsOf(added).toSorted());
  });

  it('have a job only when they are stored: a worker that takes it at once must not miss them', async () => {
    const slow = { ...store() };
    const add = createBundleWriter({
      store: {
        ...slow,
        async open(id, batch) {
          await sleep(50);
          return slow.open(id, batch);
        },
      },
      addJob: async ({ bundle }) => {
        taken.push(...(await slow.take(bundle)));
      },
    });
    const taken: ScanJob[] = [];
    const batch = batchOf();
    await add(batch);
    expect(idsOf(taken)).to.deep.equal(idsOf([batch]));
  });

  it('are not acknowledged, and removed, when the queue refuses their job', async () => {
    let refuse = (): void => undefined;
    const refused = new Promise<never>((_, reject) => {
      refuse = () => reject(new Error('OOM'));
    });
    refused.catch(() => undefined);
    const add = writer((job) => {
      jobs.push(job);
      return jobs.length === 1 ? refused : Promise.resolve();
    });
    const results = Promise.allSettled([add(batchOf()), add(batchOf())]);
    setTimeout(refuse, 20);
    expect((await results).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    const last = batchOf();
    await add(last);
    expect(idsOf(await store().take(jobs[1]?.bundle ?? ''))).to.deep.equal(idsOf([last]));
    expect(await store().take(jobs[0]?.bundle ?? '')).to.deep.equal([]);
  });

  it('are removed when all is recorded', async () => {
    const add = writer();
    const batches = [batchOf(2), batchOf()];
    for (const batch of batches) await add(batch);
    const [job] = jobs as [BundleJob];
    expect(await store().peek(job.bundle)).to.deep.equal(batches);
    const recorded: ScanJob[] = [];
    await reader(async (batch) => void recorded.push(batch))(job);
    expect(recorded).to.deep.equal(batches);
    expect(await store().peek(job.bundle)).to.deep.equal([]);
    // Delivered again: there is nothing left to do.
    await reader(async () => Promise.reject(new Error('not empty')))(job);
  });

  it('are put back as they are while the database is down', async () => {
    const add = writer();
    const batches = [batchOf(), batchOf()];
    for (const batch of batches) await add(batch);
    const [job] = jobs as [BundleJob];
    const outage = new TryLaterError('the database is down');
    const error: unknown = await reader(() => Promise.reject(outage))(job).catch((cause: unknown) => cause);
    expect(error).to.equal(outage);
    const recorded: ScanJob[] = [];
    await reader(async (batch) => void recorded.push(batch))(job);
    expect(recorded).to.deep.equal(batches);
  });

  it('leave what could not be recorded to jobs of its own', async () => {
    alone.length = 0;
    const add = writer();
    const batches = [batchOf(), batchOf(2), batchOf()];
    for (const batch of batches) await add(batch);
    const [job] = jobs as [BundleJob];
    const rest = batchOf();
    let calls = 0;
    await reader(async () => {
      calls += 1;
      if (calls === 2) throw new TryLaterError('a code is locked', { remaining: rest });
      if (calls === 3) throw new Error('a bug');
    })(job);
    expect(alone).to.deep.equal([rest, batches[2]]);
    expect(await store().peek(job.bundle)).to.deep.equal([]);
  });
});
