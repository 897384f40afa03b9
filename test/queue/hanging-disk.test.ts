import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Journal, openJournal } from '../../src/queue/journal.ts';
import type { ScanJob } from '../../src/queue/scan-jobs.ts';
import { createScanJournal } from '../../src/queue/scan-journal.ts';
import { createDiskAccess, type DiskAccess } from '../../src/queue/spool-files.ts';
import { eventually } from '../support/eventually.ts';
import { testLog } from '../support/test-log.ts';

const job = (id: string): ScanJob => ({ scans: [[id, 'code', 'agent']], sealedAddresses: 'sealed' });
const nameOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.name,
  );

/** A promise, and what resolves it. */
function gate(): { passed: Promise<void>; open(): void } {
  let open = () => undefined as void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('A disk that hangs', () => {
  it('gets one operation at a time; others are refused at once until it responds', async () => {
    const disk = createDiskAccess(20);
    const { passed, open } = gate();
    const done: string[] = [];
    const first = disk.run(() => passed.then(() => done.push('first')));
    const second = disk.run(async () => done.push('second'));
    expect(disk.isHung()).to.equal(false);
    await eventually(() => expect(disk.isHung()).to.equal(true));
    expect(await nameOf(disk.run(async () => done.push('refused')))).to.equal('DiskHungError');
    expect(done).to.deep.equal([]);
    open();
    await Promise.all([first, second]);
    expect(disk.isHung()).to.equal(false);
    await disk.run(async () => done.push('third'));
    expect(done).to.deep.equal(['first', 'second', 'third']);
  });

  it('is asked again after an operation that failed', async () => {
    const disk = createDiskAccess();
    expect(await nameOf(disk.run(() => Promise.reject(new RangeError('EIO'))))).to.equal('RangeError');
    expect(await disk.run(async () => 'value')).to.equal('value');
  });

  describe('with the journal on it', () => {
    let folder: string;
    let journal: Journal;
    let respond: () => void;

    /** Nothing that follows reaches the disk until it responds. */
    function hang(disk: DiskAccess): void {
      const { passed, open } = gate();
      respond = open;
      void disk.run(() => passed);
    }
    let disk: DiskAccess;

    beforeEach(async () => {
      respond = () => undefined;
      // Does not refuse operations, as a disk in its first moments.
      disk = createDiskAccess(3_600_000);
      folder = await mkdtemp(join(tmpdir(), 'qrelay-journal-'));
      journal = await openJournal({ folder, disk, maxBytes: 1_000_000, sync: false });
    });
    afterEach(async () => {
      respond();
      await journal.close();
      await rm(folder, { recursive: true });
    });
    const linesIn = async () => {
      const texts = await Promise.all(
        (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')),
      );
      return texts.join('').trim().split('\n').length;
    };

    it('makes 64 batches wait, refuses more, and takes them again once it has responded', async () => {
      hang(disk);
      const waiting = Array.from({ length: 64 }, (_, index) => journal.append(job(`w${index}`)));
      const refused = await journal.append(job('refused')).catch((error: Error) => error.message);
      expect(refused).to.equal('The disk does not keep up with the journal');
      respond();
      await Promise.all(waiting);
      await journal.append(job('after'));
      expect(await linesIn()).to.equal(65);
    });

    it('delays a redirect by the time limit of the journal at most, and the queue has the scan', async () => {
      const queued: string[] = [];
      const scanJournal = createScanJournal({
        files: journal,
        readyForMs: () => 0,
        hasJobs: async (ids) => ids.map(() => false),
        findUnrecorded: async () => [],
        add: async () => undefined,
        log: testLog(),
        appendTimeoutMs: 10,
      });
      const keep = (id: string) => scanJournal.keep(job(id), async () => void queued.push(id));
      hang(disk);
      for (const id of ['a', 'b']) await keep(id);
      expect(queued).to.deep.equal(['a', 'b']);
      // They may be in the file later.
      expect(scanJournal.state()).to.include({ unjournaledScans: 0, bytes: 0 });
      await Promise.all(Array.from({ length: 70 }, (_, index) => keep(`c${index}`)));
      expect(queued).to.have.length(72);
      // As many as found no room to wait: 64 do.
      expect(scanJournal.state().unjournaledScans).to.equal(8);
      respond();
      await eventually(async () => expect(await linesIn()).to.equal(64));
      await keep('d');
      expect(scanJournal.state().unjournaledScans).to.equal(8);
      await scanJournal.close();
    });
  });
});
