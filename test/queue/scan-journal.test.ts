import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { openJournal } from '../../src/queue/journal.ts';
import { listScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { createScanJournal, type ScanJournal } from '../../src/queue/scan-journal.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const job = (id: string): ScanJob => ({ scans: [[id, 'code', 'agent']], sealedAddresses: 'sealed' });

describe('The journal of a web process', () => {
  let folder: string;
  let journal: ScanJournal;
  let lines: string[];
  /** The ids of scans that are in the queue and in the database. */
  let queued: Set<string>;
  let recorded: Set<string>;
  let readyForMs: number;
  let looks: number;
  let isOver: boolean;
  let slowLookMs: number;
  let slowLooks: number;

  beforeEach(async () => {
    slowLookMs = 0;
    slowLooks = 0;
    folder = join(await mkdtemp(join(tmpdir(), 'qrelay-journal-')), 'spool');
    lines = [];
    queued = new Set();
    recorded = new Set();
    readyForMs = 60_000;
    looks = 0;
    isOver = false;
  });
  afterEach(async () => {
    // Otherwise it waits for the last confirmations.
    isOver = true;
    await journal?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function add(one: ScanJob): Promise<void> {
    for (const [id] of listScans(one)) queued.add(id);
  }

  async function open({ maxBytes = 1_000_000, minAgeMs = 50 } = {}): Promise<void> {
    journal = createScanJournal({
      files: await openJournal({ folder, maxBytes, sync: true }),
      readyForMs: () => readyForMs,
      async hasJobs(ids) {
        looks += 1;
        if (slowLookMs > 0) {
          await pass(slowLookMs);
          slowLooks += 1;
        }
        return ids.map((id) => !isOver && queued.has(id.slice(1)));
      },
      findUnrecorded: async (scans) =>
        isOver ? [] : scans.map(({ id }) => id).filter((id) => !recorded.has(id)),
      add,
      log: createLog('test', 'warn', { write: (line) => void lines.push(line) }),
      checkEveryMs: 20,
      minAgeMs,
      // A busy machine must not look like a slow disk.
      appendTimeoutMs: 10_000,
    });
  }
  const keep = (id: string) => journal.keep(job(id), () => add(job(id)));
  const files = () => readdir(folder).catch(() => []);

  it('keeps a batch while it is queued, resends it when it is lost, and drops it when it is recorded', async () => {
    await open();
    await keep('a');
    await eventually(() => expect(looks).to.be.above(2));
    expect(journal.state()).to.deep.include({ unjournaledScans: 0, resentScans: 0 });
    expect(journal.state().oldestMs).to.be.above(40);
    queued.clear();
    await eventually(() => expect(queued).to.deep.equal(new Set(['a'])));
    expect(journal.state().resentScans).to.equal(1);
    expect(lines.join()).to.include('the queue has lost scans');
    recorded.add('a');
    queued.clear();
    await eventually(() => expect(journal.state().bytes).to.equal(0));
    expect(journal.state()).to.deep.equal({ bytes: 0, oldestMs: 0, unjournaledScans: 0, resentScans: 1 });
    expect(await files()).to.deep.equal([]);
  });

  it('looks again soon after a check for which the queue let it wait for long [timed]', async () => {
    await open();
    await keep('a');
    slowLookMs = 500;
    await eventually(() => expect(slowLooks).to.equal(1));
    slowLookMs = 0;
    queued.clear();
    const startedAt = performance.now();
    await eventually(() => expect(queued).to.deep.equal(new Set(['a'])));
    expect(performance.now() - startedAt).to.be.below(2_500);
  });

  it('looks for nothing until the queue has been up for a while: the spool is replayed first', async () => {
    readyForMs = 0;
    await open();
    await keep('a');
    queued.clear();
    await eventually(() => expect(journal.state().oldestMs).to.be.above(300));
    expect(looks).to.equal(0);
    readyForMs = 49;
    await eventually(() => expect(journal.state().oldestMs).to.be.above(600));
    expect(looks).to.equal(0);
    readyForMs = 50;
    await eventually(() => expect(queued).to.deep.equal(new Set(['a'])));
  });

  it('rejects when the queue does, and has the batch nevertheless', async () => {
    await open();
    const failure = await journal.keep(job('a'), () => Promise.reject(new Error('down'))).catch(String);
    expect(failure).to.equal('Error: down');
    await eventually(() => expect(queued).to.deep.equal(new Set(['a'])));
  });

  it('does not hold up redirects when it is full: counts and logs what only the queue has', async () => {
    await open({ maxBytes: 100, minAgeMs: 3_600_000 });
    for (const id of ['a', 'b', 'c']) await keep(id);
    expect(queued).to.have.lengthOf(3);
    expect(journal.state().unjournaledScans).to.equal(2);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('scans are not in the journal').and.include('JournalFullError');
  });

  it('does not hold up redirects when the disk is full, and goes on when it is not', async function () {
    const disk = await mountSmallDisk(folder, 64);
    if (!disk) return this.skip();
    try {
      await open({ minAgeMs: 3_600_000 });
      await disk.fill();
      await keep('a');
      expect(journal.state().unjournaledScans).to.equal(1);
      await disk.free();
      await keep('b');
      expect(journal.state().unjournaledScans).to.equal(1);
      isOver = true;
      await journal.close();
    } finally {
      await disk.remove();
    }
  });

  it('waits for the last confirmations when it is closed, and leaves the rest to the next process', async () => {
    await open({ minAgeMs: 3_600_000 });
    await keep('a');
    const closed = journal.close();
    queued.delete('a');
    recorded.add('a');
    await closed;
    expect(await files()).to.deep.equal([]);

    await open({ minAgeMs: 3_600_000 });
    await keep('b');
    queued.clear();
    await journal.close();
    expect(await files()).to.have.length(1);
    // It may still be on its way to the queue.
    expect(queued).to.have.lengthOf(0);
  });
});
