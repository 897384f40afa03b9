import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { connectToQueues } from '../../src/queue/queue-connection.ts';
import { listScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { createProducer, type ScanProducer } from '../../src/queue/producer.ts';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import { openSpool } from '../../src/queue/spool.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createWebMetrics, type WebMetrics } from '../../src/telemetry/web-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { servers } from '../support/servers.ts';
import { type FreezableDisk, mountFreezableDisk, mountSmallDisk } from '../support/small-disk.ts';
import { stopProcess } from '../support/process-tree.ts';
import { testLog } from '../support/test-log.ts';

describe('The producer, with Redis', () => {
  let folder: string;
  let port: number;
  let redis: RedisServer | undefined;
  let queue: QueueClient;
  let producer: ScanProducer;
  let metrics: WebMetrics;

  before(function () {
    if (!servers().redisUrl) this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-producer-'));
    port = await freePort();
    metrics = createWebMetrics();
  });
  afterEach(async () => {
    await producer?.close();
    await queue?.close();
    await redis?.stop();
    redis = undefined;
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const place = () => ({ redisUrl: `redis://127.0.0.1:${port}`, databaseUrl: '' });
  const startRedis = async () => {
    redis = await startOwnRedis(folder, port);
  };

  /** A long deadline by default, so that a busy machine does not look like a slow queue. */
  async function open({
    maxBytes = 1_000_000,
    deadlineMs = 5_000,
    heartbeatMs = 10_000,
    log = testLog(),
  } = {}): Promise<void> {
    const sealingKey = randomBytes(32);
    queue = openQueueClient({ place: place(), log });
    const spool = await openSpool({
      folder: join(folder, 'spool'),
      maxBytes,
      heartbeatMs,
      onTornLine: () => metrics.spoolTornLines.inc(),
    });
    producer = createProducer({ queue, spool, sealingKey, metrics, log, deadlineMs });
  }

  const enqueue = (id: string) =>
    new Promise<string>((resolve) => {
      producer.enqueue({ id, codeId: 'code', userAgent: 'agent', address: '192.0.2.1' }, resolve);
    });
  const valueOf = async (name: 'scansSpooled' | 'scansReplayed' | 'scansDropped') =>
    (await metrics[name].get()).values[0]?.value ?? 0;

  /** The ids of the scans in each job. */
  async function queuedScans(): Promise<string[][]> {
    const connection = connectToQueues(place(), testLog());
    const jobs = await eventually(() => connection.queue(scanQueue).getJobs());
    await connection.close();
    return jobs.map(({ data }) => listScans(data).map(([id]) => id));
  }

  for (const scans of [400, 1_201]) {
    it(`has each of ${scans} simultaneous scans in one job, in few jobs of at most 500 scans`, async () => {
      await startRedis();
      await open();
      await eventually(() => expect(queue.isReady()).to.equal(true));
      const ids = Array.from({ length: scans }, (_, index) => String(index));
      await Promise.all(ids.map(enqueue));
      const jobs = await queuedScans();
      expect(jobs.flat()).to.have.members(ids);
      expect(jobs.length).to.be.below(scans / 50);
      for (const job of jobs) expect(job.length).to.be.within(1, 500);
      expect(await valueOf('scansSpooled')).to.equal(0);
    });
  }

  it('spools a batch when the queue hangs past the deadline, even if the queue takes it later', async () => {
    await startRedis();
    await open({ deadlineMs: 20 });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await stopProcess(redis?.process?.pid ?? 0);
    await enqueue('late');
    expect(await valueOf('scansSpooled')).to.equal(1);
    redis?.process?.kill('SIGCONT');
    await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(1));
    expect(await queue.pending(scanQueue)).to.equal(2);
  });

  it('does not wait for a queue that is down, and replays everything when it is up', async () => {
    // Longer than this test may take.
    await open({ deadlineMs: 100_000 });
    for (const id of ['a', 'b', 'c']) expect(await enqueue(id)).to.equal('spool');
    expect(await valueOf('scansSpooled')).to.equal(3);
    await startRedis();
    await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(3));
    expect(await queue.pending(scanQueue)).to.equal(3);
    await eventually(async () => expect(await readdir(join(folder, 'spool'))).to.deep.equal([]));
    expect(await enqueue('d')).to.equal('queue');
    expect(await valueOf('scansSpooled')).to.equal(3);
    expect(await queue.pending(scanQueue)).to.equal(4);
  });

  it('sends the redirect when the spool is full, counts the scan as dropped, and logs one line for many', async () => {
    const lines: string[] = [];
    await open({ maxBytes: 300, log: createLog('test', 'error', { write: (line) => lines.push(line) }) });
    const storages: string[] = [];
    for (let number = 0; number < 50; number += 1) storages.push(await enqueue(String(number)));
    const kept = await valueOf('scansSpooled');
    expect(kept).to.be.within(1, 4);
    expect(storages.filter((storage) => storage === 'dropped')).to.have.length(50 - kept);
    expect(await valueOf('scansDropped')).to.equal(50 - kept);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('scans were dropped').and.include('"scans":1,');
  });

  it('logs once that the queue is down, however often it goes down and up', async () => {
    const lines: string[] = [];
    await startRedis();
    await open({ deadlineMs: 20, log: createLog('test', 'warn', { write: (line) => lines.push(line) }) });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    for (let times = 1; times <= 3; times += 1) {
      await stopProcess(redis?.process?.pid ?? 0);
      await enqueue(String(times));
      redis?.process?.kill('SIGCONT');
      await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(times));
    }
    const logged = lines.filter((line) => line.includes('the queue is'));
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include('the queue is slow or down');
  });

  it('holds scans in memory while neither Redis nor the disk takes them, and moves them to the first that does', async function () {
    const disk = await mountSmallDisk(join(folder, 'spool'), 64);
    if (!disk) return this.skip();
    try {
      await open();
      await disk.fill();
      for (const id of ['a', 'b', 'c']) await enqueue(id);
      expect((await metrics.scansInMemory.get()).values[0]?.value).to.equal(3);
      await startRedis();
      await eventually(async () => expect((await metrics.scansInMemory.get()).values[0]?.value).to.equal(0));
      expect(await queue.pending(scanQueue)).to.equal(3);
      expect(await valueOf('scansDropped')).to.equal(0);
      await producer.close();
    } finally {
      await disk.remove();
    }
  });

  /** The queue answers, and the disk fails until `works` is called. */
  async function openWithFailingDisk(add: () => Promise<void>): Promise<{ works(): void }> {
    const spool = await openSpool({
      folder: join(folder, 'spool'),
      maxBytes: 1_000_000,
      onTornLine: () => undefined,
    });
    let fails = true;
    producer = createProducer({
      queue: { isReady: () => true, add },
      spool: {
        ...spool,
        append: (job, accept) => (fails ? Promise.reject(new Error('EIO')) : spool.append(job, accept)),
      },
      sealingKey: randomBytes(32),
      metrics,
      log: testLog(),
      deadlineMs: 5_000,
    });
    return { works: () => (fails = false) };
  }

  it('has what memory held on the disk when it is closed while the queue refuses everything', async () => {
    const disk = await openWithFailingDisk(() => Promise.reject(new Error('refused')));
    expect(await enqueue('a')).to.equal('memory');
    disk.works();
    await producer.close();
    expect([await valueOf('scansSpooled'), await valueOf('scansDropped')]).to.deep.equal([1, 0]);
    expect(await readdir(join(folder, 'spool'))).to.have.length(1);
  });

  it('sends the rest of what memory holds when the queue refuses again after it has taken some', async () => {
    let refusals = Number.POSITIVE_INFINITY;
    let taken = 0;
    await openWithFailingDisk(async () => {
      if (refusals > 0 && (taken === 1 || refusals === Number.POSITIVE_INFINITY)) {
        refusals -= 1;
        throw new Error('refused');
      }
      taken += 1;
    });
    for (const id of ['a', 'b']) expect(await enqueue(id)).to.equal('memory');
    // One is taken, the next refused once.
    refusals = 1;
    await eventually(async () => expect((await metrics.scansInMemory.get()).values[0]?.value).to.equal(0));
    expect(taken).to.equal(2);
  });

  it('counts scans that are still in memory as dropped when it is closed', async function () {
    const disk = await mountSmallDisk(join(folder, 'spool'), 64);
    if (!disk) return this.skip();
    try {
      await open();
      await disk.fill();
      for (const id of ['a', 'b']) await enqueue(id);
      await producer.close();
      expect(await valueOf('scansDropped')).to.equal(2);
      expect((await metrics.scansInMemory.get()).values[0]?.value).to.equal(0);
    } finally {
      await disk.remove();
    }
  });

  describe('on a disk that hangs', () => {
    let disk: FreezableDisk;
    beforeEach(async function () {
      const mounted = await mountFreezableDisk(join(folder, 'spool'));
      if (!mounted) return this.skip();
      disk = mounted;
      // Not a file of ours, so it stays; the folder must be there to look at.
      await rm(join(disk.folder, 'lost+found'), { recursive: true });
    });
    afterEach(async () => {
      disk?.thaw();
      await producer?.close();
      await disk?.remove();
    });
    const inMemory = async () => (await metrics.scansInMemory.get()).values[0]?.value;
    const ids = (letter: string) => Array.from({ length: 20 }, (_, index) => `${letter}${index}`);

    it('calls back every scan, holds them in memory, and has each in the queue once when Redis is up', async () => {
      await open();
      await enqueue('before');
      // A busy machine may be slower than the time that a redirect waits for the disk.
      await eventually(async () => expect(await inMemory()).to.equal(0));
      disk.freeze();
      // More than the thread pool of the process has threads, one after the other and at once.
      for (const id of ids('a')) expect(await enqueue(id)).to.equal('memory');
      await Promise.all(ids('b').map(enqueue));
      expect(await inMemory()).to.equal(40);
      await startRedis();
      await eventually(async () => expect(await inMemory()).to.equal(0));
      expect(await enqueue('after')).to.equal('queue');
      expect((await queuedScans()).flat()).to.have.members([...ids('a'), ...ids('b'), 'after']);
      disk.thaw();
      await eventually(async () => expect(await readdir(disk.folder)).to.deep.equal([]));
      expect((await queuedScans()).flat()).to.have.members([...ids('a'), ...ids('b'), 'before', 'after']);
      expect(await valueOf('scansSpooled')).to.equal(1);
      expect(await valueOf('scansReplayed')).to.equal(1);
      expect(await valueOf('scansDropped')).to.equal(0);
    });

    it('has everything on the disk once that goes on, while Redis is still down', async () => {
      await open();
      disk.freeze();
      for (const id of ids('a')) expect(await enqueue(id)).to.equal('memory');
      disk.thaw();
      await eventually(async () => expect(await inMemory()).to.equal(0));
      expect(await valueOf('scansSpooled')).to.equal(20);
      await producer.close();
      const files = await readdir(disk.folder);
      const texts = await Promise.all(files.map((file) => readFile(join(disk.folder, file), 'utf8')));
      expect(texts.join('').trim().split('\n')).to.have.length(20);
    });

    it('leaves the threads of the process to others', async () => {
      await open({ heartbeatMs: 5 });
      await enqueue('before');
      disk.freeze();
      const frozenAt = performance.now();
      // Each heartbeat would wait in a thread of its own, and there are four.
      await eventually(async () => {
        await enqueue('meanwhile');
        expect(performance.now() - frozenAt).to.be.above(300);
      });
      await promisify(lookup)('localhost');
    });

    it('closes within seconds, and counts what only memory has as dropped', async () => {
      await open();
      disk.freeze();
      for (const id of ids('a')) await enqueue(id);
      await producer.close();
      expect(await valueOf('scansDropped')).to.equal(20);
    });
  });

  for (const state of ['up', 'down']) {
    it(`gives the slot of a batch back when storing it throws at once, with the queue ${state}`, async () => {
      await startRedis();
      await open();
      await eventually(() => expect(queue.isReady()).to.equal(true));
      await producer.close();
      const spool = await openSpool({ folder: join(folder, 'spool'), maxBytes: 1_000_000, onTornLine() {} });
      const add = () => {
        throw new Error('made to throw');
      };
      const failing = { isReady: () => state === 'up', add, enqueue: add };
      const [sealingKey, log] = [randomBytes(32), testLog()];
      producer = createProducer({ queue: failing, spool, sealingKey, metrics, log, deadlineMs: 5_000 });
      for (let number = 0; number < 5; number += 1) expect(await enqueue(String(number))).to.equal('spool');
    });
  }

  it('calls back a scan that cannot be put into a job, counts it as dropped, and takes the next', async () => {
    await startRedis();
    await open();
    await eventually(() => expect(queue.isReady()).to.equal(true));
    const bad = { id: undefined as never, codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };
    for (let number = 0; number < 5; number += 1) {
      const storage = await new Promise((resolve) => producer.enqueue(bad, resolve));
      expect(storage).to.equal('dropped');
    }
    expect(await enqueue('good')).to.equal('queue');
    expect(await valueOf('scansDropped')).to.equal(5);
  });

  it('closes within seconds while Redis hangs, with everything in the spool [timed]', async () => {
    await startRedis();
    await open({ deadlineMs: 20 });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await stopProcess(redis?.process?.pid ?? 0);
    for (const id of ['a', 'b', 'c']) await enqueue(id);
    const startedAt = performance.now();
    await producer.close();
    await queue.close();
    expect(performance.now() - startedAt).to.be.below(12_000);
    const [file = ''] = await readdir(join(folder, 'spool'));
    const lines = (await readFile(join(folder, 'spool', file), 'utf8')).trim().split('\n');
    expect(lines).to.have.length(3);
  });

  it('calls back every scan of a batch when one callback throws, with the queue up and down', async () => {
    const lines: string[] = [];
    await open({ log: createLog('test', 'error', { write: (line) => lines.push(line) }) });
    const throwing = { id: 'throws', codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };
    const fail = () => {
      throw new Error('made to fail');
    };
    const enqueueWithFailures = async () => {
      for (let number = 0; number < 3; number += 1) {
        // The first scan is in flight alone, and the others collect for the next batch.
        const first = enqueue(`first${number}`);
        producer.enqueue(throwing, fail);
        await Promise.all([first, enqueue(`a${number}`), enqueue(`b${number}`)]);
      }
    };
    await enqueueWithFailures();
    await startRedis();
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await enqueueWithFailures();
    expect(lines.filter((line) => line.includes('made to fail'))).to.have.length(1);
    expect((await metrics.uncaughtErrors.get()).values[0]?.value).to.equal(6);
  });
});
