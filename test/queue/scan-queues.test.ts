import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { openQueueWorkers } from '../../src/queue/queue-worker.ts';
import { readQueueStatuses } from '../../src/queue/queue-access.ts';
import { scanQueue, scanQueues } from '../../src/queue/scan-queue.ts';
import { createScanWrites } from '../../src/queue/scan-writes.ts';
import { eventually } from '../support/eventually.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { testLog } from '../support/test-log.ts';

const job = { scans: [], sealedAddresses: '' };

describe('Scans on several queues', () => {
  let redisUrl: string;
  const place = (count: number) => ({ redisUrl, databaseUrl: '', scanQueues: count });

  before(async function () {
    const url = await emptyRedisDatabase();
    if (!url) return this.skip();
    redisUrl = url;
  });

  it('are added in turn, read together, and named with one queue as before', async () => {
    // A busy machine must not look like a slow queue, whose jobs go to another one as well.
    const slowAfterMs = 60_000;
    const client = openQueueClient({ place: place(3), log: testLog(), queues: [scanQueue], slowAfterMs });
    await eventually(() => expect(client.isReady()).to.equal(true));
    for (let jobs = 0; jobs < 6; jobs += 1) await client.add(scanQueue, job);
    expect(await client.pending(scanQueue)).to.equal(6);
    const depths = await client.depths();
    expect(depths.map(({ queue, jobs }) => [queue, jobs.waiting])).to.deep.equal([
      ['scans', 2],
      ['scans-2', 2],
      ['scans-3', 2],
    ]);
    await client.checkWrites();
    await client.close();
    const redis = new Redis(redisUrl);
    expect(await redis.llen('bull:scans:wait')).to.equal(2);
    redis.disconnect();
  });

  it('are drained by a process with fewer queues, and shown until then', async () => {
    const shown = async () => (await readQueueStatuses(place(1), [scanQueue])).map(({ queue }) => queue);
    expect(await shown()).to.deep.equal(['scans', 'scans-2', 'scans-3']);
    let delivered = 0;
    const workers = openQueueWorkers(place(1), scanQueue, async () => void (delivered += 1), testLog());
    await eventually(() => expect(delivered).to.equal(6));
    await workers.close();
    expect(await shown()).to.deep.equal(['scans']);
  });
});

describe('A job for one of several queues', () => {
  const definitions = scanQueues(3);
  let added: string[];
  let faults: Map<string, 'rejects' | 'hangs'>;
  let writes: ReturnType<typeof createScanWrites>;

  beforeEach(() => {
    added = [];
    faults = new Map();
    const access = async ({ name }: { name: string }) => {
      if (faults.get(name) === 'rejects') throw new Error('OOM');
      if (faults.get(name) === 'hangs') await new Promise(() => undefined);
    };
    writes = createScanWrites({
      queues: definitions,
      async add(queue) {
        await access(queue);
        added.push(queue.name);
      },
      write: access,
      isConnected: () => true,
      onRoundTrip: () => undefined,
      log: testLog(),
    });
  });
  afterEach(() => writes.stop());

  const addMany = async (jobs: number) => {
    for (let index = 0; index < jobs; index += 1) await writes.add(job);
  };

  for (const fault of ['rejects', 'hangs'] as const)
    it(`goes to another one where one ${fault}, which is used again when it is well`, async () => {
      faults.set('scans-2', fault);
      await addMany(6);
      expect(added).to.have.lengthOf(6).and.not.include('scans-2');
      expect(writes.isReady()).to.equal(true);
      if (fault === 'rejects') expect(await writes.check().catch(String)).to.include('OOM');
      faults.clear();
      await eventually(async () => {
        await addMany(1);
        expect(added).to.include('scans-2');
      });
    });

  it('is refused when none takes it', async () => {
    for (const { name } of definitions) faults.set(name, 'rejects');
    expect(await writes.add(job).catch(String)).to.include('OOM');
    expect(writes.isReady()).to.equal(false);
    expect(await writes.add(job).catch(String)).to.include('No queue takes writes');
  });
});
