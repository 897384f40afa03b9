import { expect } from 'chai';
import { createFallbackStorage, type FallbackStorage } from '../../src/queue/fallback-storage.ts';
import { listScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { type Spool, SpoolFullError } from '../../src/queue/spool.ts';
import { createWebMetrics, type WebMetrics } from '../../src/telemetry/web-metrics.ts';
import { testLog } from '../support/test-log.ts';

const job = (id: string): ScanJob => ({
  scans: [
    [`${id}1`, 'code', 'agent'],
    [`${id}2`, 'code', 'agent'],
  ],
  sealedAddresses: 'sealed',
});
const idOf = (one: ScanJob) => listScans(one)[0]?.[0]?.slice(0, -1) ?? '';
const jobBytes = JSON.stringify(job('a')).length;

interface Write {
  id: string;
  /** The disk has the batch: returns whether it is to stay there. */
  finish(): boolean;
}

describe('Batches that the queue did not take', () => {
  let metrics: WebMetrics;
  let storage: FallbackStorage;
  let disk: 'works' | 'fails' | 'hangs' | 'full';
  let writes: Write[];
  const { now: realNow } = performance;
  let nowMs: number;

  beforeEach(() => {
    metrics = createWebMetrics();
    disk = 'fails';
    writes = [];
    nowMs = 1_000_000;
    performance.now = () => nowMs;
    const append: Spool['append'] = async (one, accept = () => true) => {
      const finish = () => accept();
      writes.push({ id: idOf(one), finish });
      if (disk === 'fails') throw new Error('EIO');
      if (disk === 'full') throw new SpoolFullError('full');
      if (disk === 'hangs') return new Promise(() => undefined);
      finish();
    };
    storage = createFallbackStorage({
      spool: { append } as Spool,
      metrics,
      log: testLog(),
      // Room for two batches and a half.
      maxMemoryBytes: Math.floor(2.5 * jobBytes),
      appendTimeoutMs: 20,
    });
  });
  afterEach(() => {
    performance.now = realNow;
  });

  const figure = async (name: 'scansInMemory' | 'scansDropped' | 'scansSpooled' | 'scansQueued') =>
    (await metrics[name].get()).values[0]?.value ?? 0;
  const figures = async () => ({
    memory: await figure('scansInMemory'),
    dropped: await figure('scansDropped'),
    spooled: await figure('scansSpooled'),
    queued: await figure('scansQueued'),
  });
  const save = async (...ids: string[]) => {
    const storages: string[] = [];
    for (const id of ids) storages.push(await storage.save(job(id)));
    return storages;
  };
  /** The queue takes everything. */
  const flushed = async () => {
    const ids: string[] = [];
    await storage.flush(async (one) => ids.push(idOf(one)));
    return ids;
  };

  it('are held in memory up to a limit, then dropped and counted; room that is free again is used again', async () => {
    for (let round = 1; round <= 3; round += 1) {
      expect(await save('a', 'b', 'c')).to.deep.equal(['memory', 'memory', 'dropped']);
      expect(await figures()).to.include({ memory: 4, dropped: 2 * round });
      expect(await flushed()).to.deep.equal(['a', 'b']);
      expect(storage.isEmpty()).to.equal(true);
      expect(await figures()).to.deep.equal({
        memory: 0,
        dropped: 2 * round,
        spooled: 0,
        queued: 4 * round,
      });
    }
  });

  it('are not tried on a disk that has just failed, and are a moment later', async () => {
    await save('a');
    nowMs += 249;
    await save('b');
    expect(writes.map(({ id }) => id)).to.deep.equal(['a']);
    nowMs += 1;
    disk = 'works';
    expect(await save('c')).to.deep.equal(['spool']);
    expect(await figures()).to.include({ memory: 4, spooled: 2 });
  });

  it('are dropped, not held, where the spool is as large as the operator allows; the disk is tried again', async () => {
    disk = 'full';
    expect(await save('a', 'b')).to.deep.equal(['dropped', 'dropped']);
    expect(writes).to.have.length(2);
    expect(await figures()).to.deep.equal({ memory: 0, dropped: 4, spooled: 0, queued: 0 });
    expect(storage.isEmpty()).to.equal(true);
  });

  it('leave memory when a disk that was slow has them after all, and are not sent to the queue as well', async () => {
    disk = 'hangs';
    expect(await save('a')).to.deep.equal(['memory']);
    expect(writes[0]?.finish()).to.equal(true);
    expect(await figures()).to.deep.equal({ memory: 0, dropped: 0, spooled: 2, queued: 0 });
    expect(await flushed()).to.deep.equal([]);
  });

  it('are removed from a disk that has them late, while they are on their way to the queue and afterwards', async () => {
    disk = 'hangs';
    await save('a');
    let accept = () => undefined as void;
    const flushing = storage.flush(() => new Promise<void>((resolve) => (accept = resolve)));
    expect(writes[0]?.finish()).to.equal(false);
    accept();
    await flushing;
    expect(writes[0]?.finish()).to.equal(false);
    expect(await figures()).to.deep.equal({ memory: 0, dropped: 0, spooled: 0, queued: 2 });
  });

  it('stay in memory when the queue rejects them, and follow in their order, each once', async () => {
    await save('a', 'b');
    const tried: string[] = [];
    const error = await storage
      .flush(async (one) => {
        tried.push(idOf(one));
        if (tried.length === 2) throw new Error('down again');
      })
      .catch((reason: Error) => reason.message);
    expect(error).to.equal('down again');
    expect(tried).to.deep.equal(['a', 'b']);
    expect(await figures()).to.include({ memory: 2, queued: 2 });
    // The disk may have it now.
    disk = 'works';
    nowMs += 1_000;
    await storage.flush();
    expect(await figures()).to.deep.equal({ memory: 0, dropped: 0, spooled: 2, queued: 2 });
    expect(writes.at(-1)?.id).to.equal('b');
  });

  it('are sent once by two flushes at the same time', async () => {
    await save('a', 'b');
    const sent = await Promise.all([flushed(), flushed()]);
    expect(sent.flat()).to.deep.equal(['a', 'b']);
  });

  it('are counted as dropped when the process ends', async () => {
    await save('a', 'b');
    storage.close();
    expect(await figures()).to.include({ memory: 0, dropped: 4 });
    expect(storage.isEmpty()).to.equal(true);
  });
});
