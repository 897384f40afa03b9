import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createProducer, type ScanProducer } from '../../src/queue/producer.ts';
import { listScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import type { Spool } from '../../src/queue/spool.ts';
import { createWebMetrics, type WebMetrics } from '../../src/telemetry/web-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { testLog } from '../support/test-log.ts';

interface Sent {
  scans: string[];
  acknowledge(): Promise<void>;
  reject(): Promise<void>;
}

/** Lets everything that was waiting for a promise go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('Batches of scans', () => {
  let producer: ScanProducer;
  let metrics: WebMetrics;
  /** Batches on their way to the queue. */
  let sent: Sent[];
  let spooled: string[];
  let stored: Map<string, string>;
  let scans: number;

  beforeEach(() => {
    sent = [];
    spooled = [];
    stored = new Map();
    scans = 0;
    metrics = createWebMetrics();
    const idsOf = (job: unknown) => listScans(job as ScanJob).map(([id]) => id);
    const spool = {
      async append(job: ScanJob, accept = () => true) {
        if (accept()) spooled.push(...idsOf(job));
      },
      isEmpty: () => spooled.length === 0,
      replay: async () => undefined,
      adopt: async () => undefined,
      checkWritable: async () => undefined,
      close: async () => undefined,
    } as unknown as Spool;
    producer = createProducer({
      queue: {
        isReady: () => true,
        add: (_queue, job) =>
          new Promise<void>((resolve, reject) => {
            sent.push({
              scans: idsOf(job),
              async acknowledge() {
                resolve();
                await settle();
              },
              async reject() {
                reject(new Error('refused'));
                await settle();
              },
            });
          }),
      },
      spool,
      sealingKey: randomBytes(32),
      metrics,
      log: testLog(),
      deadlineMs: 60_000,
    });
  });
  afterEach(async () => {
    const closed = producer.close();
    // What is sent last waits for nobody.
    for (let index = 0; index < sent.length; index += 1) await sent[index]?.acknowledge();
    await closed;
  });

  function enqueue(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const id = `s${(scans += 1)}`;
      producer.enqueue({ id, codeId: 'code', userAgent: 'agent', address: '192.0.2.1' }, (storage) =>
        stored.set(id, storage),
      );
    }
  }
  const sizes = () => sent.map((batch) => batch.scans.length);

  it('leave at once when none is on its way, a second with 20 scans, and a third only after one has arrived', async () => {
    enqueue(1);
    expect(sizes()).to.deep.equal([1]);
    enqueue(19);
    expect(sizes()).to.deep.equal([1]);
    enqueue(1);
    expect(sizes()).to.deep.equal([1, 20]);
    enqueue(400);
    expect(sizes()).to.deep.equal([1, 20]);
    await sent[0]?.acknowledge();
    expect(sizes()).to.deep.equal([1, 20, 400]);
    await sent[1]?.acknowledge();
    enqueue(399);
    expect(sizes()).to.deep.equal([1, 20, 400]);
    // As large as the one on its way.
    enqueue(1);
    expect(sizes()).to.deep.equal([1, 20, 400, 400]);
  });

  it('follow each other however few scans gather while one is on its way', async () => {
    for (let round = 1; round <= 5; round += 1) {
      enqueue(2);
      await sent.at(-1)?.acknowledge();
    }
    await sent.at(-1)?.acknowledge();
    expect(sent.flatMap((batch) => batch.scans)).to.have.length(10);
    expect([...stored.values()]).to.deep.equal(Array(10).fill('queue'));
  });

  it('have at most 500 scans, each scan once and in order, and call back only their own', async () => {
    enqueue(1);
    enqueue(1_999);
    await sent[0]?.acknowledge();
    expect([...stored.keys()]).to.deep.equal(['s1']);
    const expected = ['s1'];
    for (let index = 1; index < sent.length; index += 1) {
      expected.push(...(sent[index]?.scans ?? []));
      await sent[index]?.acknowledge();
      expect([...stored.keys()]).to.deep.equal(expected);
    }
    expect(Math.max(...sizes())).to.equal(500);
    const order = sent.flatMap((batch) => batch.scans);
    expect(order).to.deep.equal(Array.from({ length: 2_000 }, (_, index) => `s${index + 1}`));
    expect(stored).to.have.lengthOf(2_000);
    expect((await metrics.scansQueued.get()).values[0]?.value).to.equal(2_000);
  });

  it('go to the spool without trying the queue after it has refused one', async () => {
    enqueue(1);
    await sent[0]?.reject();
    await eventually(() => expect(stored.get('s1')).to.equal('spool'));
    enqueue(3);
    await eventually(() => expect(stored).to.have.lengthOf(4));
    expect([...stored.values()]).to.deep.equal(Array(4).fill('spool'));
    expect(spooled).to.deep.equal(['s1', 's2', 's3', 's4']);
    expect(sent).to.have.length(1);
  });

  it('are waited for when the process ends, also those that gathered meanwhile', async () => {
    enqueue(5);
    let isClosed = false;
    const closed = producer.close().then(() => (isClosed = true));
    await sent[0]?.acknowledge();
    expect([isClosed, sizes()]).to.deep.equal([false, [1, 4]]);
    await sent[1]?.acknowledge();
    await closed;
    expect(stored).to.have.lengthOf(5);
  });
});
