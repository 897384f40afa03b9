import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { createProducer, type ScanProducer } from '../../src/queue/producer.ts';
import { openQueueThread, type QueueThread } from '../../src/queue/queue-thread.ts';
import { openSpool } from '../../src/queue/spool.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createWebMetrics, type WebMetrics } from '../../src/telemetry/web-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { servers } from '../support/servers.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { stopProcess } from '../support/process-tree.ts';
import { testLog } from '../support/test-log.ts';

describe('The producer, with Redis', () => {
  let folder: string;
  let port: number;
  let redis: RedisServer | undefined;
  let queue: QueueThread;
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

  const startRedis = async () => {
    redis = await startOwnRedis(folder, port);
  };

  /** Patient with the queue, so that a machine that is busy elsewhere does not look like a queue that is slow. */
  async function open({ maxBytes = 1_000_000, deadlineMs = 5_000, log = testLog() } = {}): Promise<void> {
    const sealingKey = randomBytes(32);
    queue = await openQueueThread(
      { redisUrl: `redis://127.0.0.1:${port}`, databaseUrl: '' },
      sealingKey,
      log,
    );
    const spool = await openSpool({
      folder: join(folder, 'spool'),
      maxBytes,
      onTornLine: () => metrics.spoolTornLines.inc(),
    });
    producer = createProducer({ queue, spool, sealingKey, metrics, log, deadlineMs });
  }

  const record = (id: string) =>
    new Promise<void>((resolve) => {
      producer.enqueue({ id, codeId: 'code', userAgent: 'agent', address: '192.0.2.1' }, resolve);
    });
  const valueOf = async (name: 'scansSpooled' | 'scansReplayed' | 'scansDropped') =>
    (await metrics[name].get()).values[0]?.value ?? 0;

  it('puts scans that arrive while a job is on its way into one job', async () => {
    await startRedis();
    await open();
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await Promise.all(Array.from({ length: 400 }, (_, index) => record(String(index))));
    // The first alone, 20 that follow it, and the rest.
    expect(await queue.pending(scanQueue)).to.equal(3);
    expect(await valueOf('scansSpooled')).to.equal(0);
  });

  it('puts at most 500 scans into a job', async () => {
    await startRedis();
    await open();
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await Promise.all(Array.from({ length: 1_201 }, (_, index) => record(String(index))));
    // The first alone, 20 that follow it, then 500, 500 and the rest.
    expect(await queue.pending(scanQueue)).to.equal(5);
  });

  it('leaves a queue that hangs after its deadline, and what the queue took nonetheless it takes once more', async () => {
    await startRedis();
    await open({ deadlineMs: 20 });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await stopProcess(redis?.process?.pid ?? 0);
    await record('late');
    expect(await valueOf('scansSpooled')).to.equal(1);
    redis?.process?.kill('SIGCONT');
    await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(1));
    expect(await queue.pending(scanQueue)).to.equal(2);
  });

  it('does not wait for a queue that is not there, and hands everything over when it comes', async () => {
    await open();
    const startedAt = performance.now();
    for (const id of ['a', 'b', 'c']) await record(id);
    expect(performance.now() - startedAt).to.be.below(5_000);
    expect(await valueOf('scansSpooled')).to.equal(3);
    await startRedis();
    await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(3));
    expect(await queue.pending(scanQueue)).to.equal(3);
    await eventually(async () => expect(await readdir(join(folder, 'spool'))).to.deep.equal([]));
    await record('d');
    expect(await valueOf('scansSpooled')).to.equal(3);
    expect(await queue.pending(scanQueue)).to.equal(4);
  });

  it('lets the redirect go when the spool is full, counts the scan as dropped, and says so once for many', async () => {
    const lines: string[] = [];
    await open({ maxBytes: 300, log: createLog('test', 'error', { write: (line) => lines.push(line) }) });
    for (let number = 0; number < 50; number += 1) await record(String(number));
    const kept = await valueOf('scansSpooled');
    expect(kept).to.be.within(1, 4);
    expect(await valueOf('scansDropped')).to.equal(50 - kept);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('scans were dropped').and.include('"scans":1,');
  });

  it('says once that the queue is down, however often it comes and goes', async () => {
    const lines: string[] = [];
    await startRedis();
    await open({ deadlineMs: 20, log: createLog('test', 'warn', { write: (line) => lines.push(line) }) });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    for (let times = 1; times <= 3; times += 1) {
      await stopProcess(redis?.process?.pid ?? 0);
      await record(String(times));
      redis?.process?.kill('SIGCONT');
      await eventually(async () => expect(await valueOf('scansReplayed')).to.equal(times));
    }
    const told = lines.filter((line) => line.includes('the queue is'));
    expect(told).to.have.length(1);
    expect(told[0]).to.include('the queue is slow or down');
  });

  it('holds scans in memory while neither Redis nor the disk takes them, and hands them over to the first that does', async function () {
    const disk = await mountSmallDisk(join(folder, 'spool'), 64);
    if (!disk) return this.skip();
    try {
      await open();
      await disk.fill();
      for (const id of ['a', 'b', 'c']) await record(id);
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

  it('counts what it holds in memory as dropped where it has to end with it', async function () {
    const disk = await mountSmallDisk(join(folder, 'spool'), 64);
    if (!disk) return this.skip();
    try {
      await open();
      await disk.fill();
      for (const id of ['a', 'b']) await record(id);
      await producer.close();
      expect(await valueOf('scansDropped')).to.equal(2);
      expect((await metrics.scansInMemory.get()).values[0]?.value).to.equal(0);
    } finally {
      await disk.remove();
    }
  });

  it('ends within seconds while Redis hangs, with everything in the spool', async () => {
    await startRedis();
    await open({ deadlineMs: 20 });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await stopProcess(redis?.process?.pid ?? 0);
    for (const id of ['a', 'b', 'c']) await record(id);
    const startedAt = performance.now();
    await producer.close();
    await queue.close();
    expect(performance.now() - startedAt).to.be.below(12_000);
    const [file = ''] = await readdir(join(folder, 'spool'));
    const lines = (await readFile(join(folder, 'spool', file), 'utf8')).trim().split('\n');
    expect(lines).to.have.length(3);
  });

  it('lets the others of a batch go where one of them throws, with the queue up and with it down', async () => {
    const lines: string[] = [];
    await open({ log: createLog('test', 'error', { write: (line) => lines.push(line) }) });
    const throwing = { id: 'throws', codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };
    const fail = () => {
      throw new Error('made to fail');
    };
    const recordWithFailures = async () => {
      for (let number = 0; number < 3; number += 1) {
        // It is on its way alone, and the others gather for the next batch.
        const first = record(`first${number}`);
        producer.enqueue(throwing, fail);
        await Promise.all([first, record(`a${number}`), record(`b${number}`)]);
      }
    };
    await recordWithFailures();
    await startRedis();
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await recordWithFailures();
    expect(lines.filter((line) => line.includes('made to fail'))).to.have.length(1);
    expect((await metrics.uncaughtErrors.get()).values[0]?.value).to.equal(6);
  });
});
