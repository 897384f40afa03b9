import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Journal, openJournal, type Outcome } from '../../src/queue/journal.ts';
import { createJournalCheck } from '../../src/queue/scan-journal.ts';
import { jobIdOf, listScans, packScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { openSpool } from '../../src/queue/spool.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { eventually } from '../support/eventually.ts';

const job = (...ids: string[]): ScanJob => ({
  scans: ids.map((id) => [id, 'code', 'agent']),
  sealedAddresses: 'sealed',
});
const all = { minAgeMs: 0 };
const idsOf = (jobs: ScanJob[]) => jobs.flatMap((one) => listScans(one).map(([id]) => id));

describe('The journal', () => {
  let folder: string;
  let now: number;
  let opened: Journal[];

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'qrelay-journal-')), 'spool');
    now = 1_000_000;
    opened = [];
  });
  afterEach(async () => {
    for (const journal of opened) await journal.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(maxBytes = 1_000_000): Promise<Journal> {
    const journal = await openJournal({
      folder,
      maxBytes,
      sync: false,
      checkOwnerEveryMs: 0,
      elapsedMs: () => now,
    });
    opened.push(journal);
    return journal;
  }
  const files = () => readdir(folder).catch(() => []);

  /** The batches that are passed on, of which those with these ids are confirmed. */
  async function check(
    journal: Journal,
    isConfirmed: (id: string) => boolean,
    minAgeMs = 0,
    hasJobs?: (ids: string[]) => Promise<boolean[]>,
  ) {
    const options = hasJobs ? { minAgeMs, hasJobs } : { minAgeMs };
    const passed: ScanJob[] = [];
    await journal.check(async (jobs) => {
      passed.push(...jobs);
      return jobs.map((one) => (idsOf([one]).every(isConfirmed) ? 'recorded' : 'queued'));
    }, options);
    return idsOf(passed);
  }

  it('makes no file before there is something to keep', async () => {
    const journal = await open();
    expect(await check(journal, () => true)).to.deep.equal([]);
    expect(journal.oldestMs()).to.equal(0);
    expect(await readdir(join(folder, '..'))).to.deep.equal([]);
  });

  it('has a batch in its file when append is done, in the form of the job', async () => {
    const journal = await open();
    await journal.append(job('a', 'b'));
    const [file = ''] = await files();
    expect(file).to.match(/\.journal$/);
    expect(JSON.parse(await readFile(join(folder, file), 'utf8'))).to.deep.equal(job('a', 'b'));
  });

  it('asks about each batch until it is confirmed, and deletes the file with the last one', async () => {
    const journal = await open();
    for (const id of ['a', 'b', 'c']) await journal.append(job(id));
    expect(await check(journal, (id) => id === 'b')).to.deep.equal(['a', 'b', 'c']);
    expect(await check(journal, (id) => id === 'a')).to.deep.equal(['a', 'c']);
    expect(await files()).to.have.length(1);
    expect(journal.bytes()).to.be.above(0);
    expect(await check(journal, () => true)).to.deep.equal(['c']);
    expect(await files()).to.deep.equal([]);
    expect(journal.bytes()).to.equal(0);
  });

  it('does not ask about batches that are too young, and knows the age of the oldest', async () => {
    const journal = await open();
    await journal.append(job('old'));
    await check(journal, () => false, 5_000);
    now += 4_999;
    await journal.append(job('young'));
    expect(await check(journal, () => true, 5_000)).to.deep.equal([]);
    now += 1;
    expect(journal.oldestMs()).to.equal(5_000);
    expect(await check(journal, () => true, 5_000)).to.deep.equal(['old']);
    expect(journal.oldestMs()).to.equal(1);
  });

  it('asks about batches and knows their age when the clock of the machine has been set back', async () => {
    const { now: realNow } = Date;
    let behindMs = 0;
    Date.now = () => realNow() - behindMs;
    try {
      const journal = await openJournal({ folder, maxBytes: 1_000_000, sync: false });
      opened.push(journal);
      await journal.append(job('a'));
      await check(journal, () => false, 20);
      behindMs = 3_600_000;
      await eventually(async () => expect(await check(journal, () => false, 20)).to.deep.equal(['a']));
      expect(journal.oldestMs()).to.be.within(20, 60_000);
    } finally {
      Date.now = realNow;
    }
  });

  it('asks again about a batch that the queue has lost after later ones of its file were recorded', async () => {
    const journal = await open();
    const queued = new Set(['old', 'first', 'second'].map((id) => jobIdOf(job(id))));
    const checkAfter = (ms: number, confirmed = '') => {
      now += ms;
      return check(
        journal,
        (id) => id === confirmed,
        5_000,
        async (ids) => ids.map((id) => queued.has(id)),
      );
    };
    // While a file waits, the next one is written to for a minute.
    await journal.append(job('old'));
    await checkAfter(0);
    await checkAfter(11_000);
    await journal.append(job('first'));
    await checkAfter(0);
    expect(await checkAfter(5_000)).to.include('first');
    await journal.append(job('second'));
    await checkAfter(0);
    expect(await checkAfter(5_000, 'second')).to.include('second');
    queued.delete(jobIdOf(job('first')));
    expect(await checkAfter(1_000)).to.include('first');
  });

  it('starts few files while batches wait for long', async () => {
    const journal = await open();
    for (let second = 0; second < 600; second += 2) {
      await journal.append(job(`at ${second}`));
      await check(
        journal,
        () => false,
        5_000,
        async (ids) => ids.map(() => true),
      );
      now += 2_000;
    }
    expect(await files()).to.have.length.within(10, 20);
  });

  it('asks about a batch when it is old enough, however long others have been waiting', async () => {
    const journal = await open();
    const seconds = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `at ${from + index}`);
    const asked = new Set<string>();
    for (const id of seconds(0, 60)) {
      await journal.append(job(id));
      for (const one of await check(journal, () => false, 5_000)) asked.add(one);
      now += 1_000;
    }
    // All but the last few seconds, and the file of the last minute is still written to.
    expect([...asked]).to.deep.equal(seconds(0, 55));
  });

  describe('with thousands of batches waiting in the queue', () => {
    let journal: Journal;
    let looked: number;
    let queued: Set<string>;
    const ids = Array.from({ length: 5_000 }, (_, index) => `waiting${index}`);
    const hasJobs = async (asked: string[]) => {
      looked += asked.length;
      return asked.map((id) => queued.has(id));
    };
    /** Those that are passed on, which are sent again if the queue does not have them. */
    async function passedOn(recorded: ReadonlySet<string> = new Set()): Promise<string[]> {
      const passed: string[] = [];
      const confirm = async (jobs: ScanJob[]) =>
        jobs.map((one): Outcome => {
          const [id = ''] = idsOf([one]);
          passed.push(id);
          if (queued.has(jobIdOf(one))) return 'queued';
          if (recorded.has(id)) return 'recorded';
          queued.add(jobIdOf(one));
          return 'resent';
        });
      await journal.check(confirm, { minAgeMs: 0, hasJobs });
      return passed;
    }

    beforeEach(async () => {
      journal = await open(10_000_000);
      queued = new Set(ids.map((id) => jobIdOf(job(id))));
      for (const [index, id] of ids.entries()) {
        await journal.append(job(id));
        // A hundred files, all of which have been looked at.
        if (index % 50 === 49) await passedOn();
      }
      now += 1_000;
      looked = 0;
    });

    it('passes on few of them, and looks for a few jobs of each file', async () => {
      expect(await passedOn()).to.have.length.below(100);
      expect(looked).to.be.within(100, 500);
    });

    it('passes on every one in turn, for a job that somebody removed', async () => {
      const passed = new Set<string>();
      for (let checks = 0; checks < 150; checks += 1) {
        now += 1_000;
        for (const id of await passedOn()) passed.add(id);
      }
      expect(passed).to.have.lengthOf(ids.length);
    });

    it('passes on all of them at once when the queue has lost everything, or one in three', async () => {
      queued.clear();
      expect(new Set(await passedOn())).to.have.lengthOf(ids.length);
      expect(queued).to.have.lengthOf(ids.length);
      for (const [index, id] of ids.entries()) if (index % 3 === 0) queued.delete(jobIdOf(job(id)));
      await passedOn();
      expect(queued).to.have.lengthOf(ids.length);
    });

    it('passes on at once those that a replica lacked when it took over', async () => {
      for (const id of ids.slice(-120)) queued.delete(jobIdOf(job(id)));
      await passedOn();
      expect(queued).to.have.lengthOf(ids.length);
    });

    it('deletes the files whose jobs are done, at the check after that', async () => {
      const done = ids.slice(0, 2_000);
      for (const id of done) queued.delete(jobIdOf(job(id)));
      await passedOn(new Set(done));
      expect(await files()).to.have.lengthOf(60);
      queued.clear();
      await passedOn(new Set(ids));
      expect(await files()).to.deep.equal([]);
    });
  });

  it('keeps everything when a check fails, and goes on with the next', async () => {
    const journal = await open();
    await journal.append(job('a'));
    const failure = await journal
      .check(() => Promise.reject(new Error('down')), { minAgeMs: 0 })
      .catch(String);
    expect(failure).to.equal('Error: down');
    expect(await check(journal, () => true)).to.deep.equal(['a']);
  });

  it('goes on with other files where one cannot be read, and says so at the end', async () => {
    const journal = await open();
    await journal.append(job('a'));
    await check(journal, () => false);
    const [file = ''] = await files();
    await journal.append(job('b'));
    await rm(join(folder, file));
    await mkdir(join(folder, file));
    const passed: string[] = [];
    const failure = await journal
      .check(async (jobs) => {
        passed.push(...idsOf(jobs));
        return jobs.map(() => 'recorded');
      }, all)
      .catch((error: NodeJS.ErrnoException) => error.code);
    expect(passed).to.deep.equal(['b']);
    expect(failure).to.equal('EISDIR');
  });

  it('rejects what would make it larger than it may be, and takes it again when there is room', async () => {
    const journal = await open(200);
    await journal.append(job('a'));
    const refused = await journal.append(job('x'.repeat(150))).catch((error: Error) => error.name);
    expect(refused).to.equal('JournalFullError');
    await check(journal, () => true);
    await journal.append(job('x'.repeat(100)));
    expect(await check(journal, () => true)).to.deep.equal(['x'.repeat(100)]);
  });

  it('passes on a large file in pages', async () => {
    const journal = await open();
    for (let number = 0; number < 30; number += 1)
      await journal.append(job(...Array.from({ length: 500 }, (_, index) => `${number} ${index}`)));
    const pages: number[] = [];
    await journal.check(async (jobs) => {
      pages.push(idsOf(jobs).length);
      return jobs.map(() => 'recorded');
    }, all);
    expect(pages.reduce((sum, scans) => sum + scans)).to.equal(15_000);
    expect(Math.max(...pages)).to.equal(1_000);
    expect(await files()).to.deep.equal([]);
  });

  it('writes a batch again if its file was adopted meanwhile, and forgets files that were', async () => {
    const journal = await open();
    await journal.append(job('a'));
    await check(journal, () => false);
    await journal.append(job('b'));
    for (const file of await files()) await rename(join(folder, file), join(folder, '..', file));
    await journal.append(job('c'));
    expect(await check(journal, () => true)).to.deep.equal(['c']);
    expect(journal.bytes()).to.equal(0);
  });

  it('is adopted as a spool when its process is gone, and left alone before', async () => {
    const journal = await open();
    await journal.append(job('a'));
    const spool = await openSpool({ folder, maxBytes: 1_000, onTornLine: () => undefined });
    await spool.adopt();
    expect(spool.isEmpty()).to.equal(true);
    const [file = ''] = await files();
    const [host] = file.split('.');
    await rename(join(folder, file), join(folder, `${host}.999999999-1-abc.1.journal`));
    await spool.adopt();
    const replayed: ScanJob[] = [];
    await spool.replay(async (one) => void replayed.push(one));
    expect(idsOf(replayed)).to.deep.equal(['a']);
    expect(await files()).to.deep.equal([]);
    await spool.close();
  });
});

describe('The check of the journal', () => {
  it('confirms what is recorded, leaves what is queued, and sends again what neither has', async () => {
    const resent: [string[], number][] = [];
    const asked: string[] = [];
    const check = createJournalCheck({
      hasJobs: async (ids) => ids.map((id) => id === jobIdOf(job('queued'))),
      async findUnrecorded(scans) {
        asked.push(...scans.map(({ id }) => id));
        return ['lost', 'queued'];
      },
      resend: async (one, lostScans) => resent.push([idsOf([one]), lostScans]),
    });
    const outcomes = await check([job('recorded'), job('queued'), job('recorded too', 'lost'), job('third')]);
    expect(outcomes).to.deep.equal(['recorded', 'queued', 'resent', 'recorded']);
    expect(resent).to.deep.equal([[['recorded too', 'lost'], 1]]);
    expect(asked).to.deep.equal(['recorded', 'recorded too', 'lost', 'third']);
  });

  it('sends a batch again once that is in the journal twice, because it went to the spool in between', async () => {
    const resent: string[][] = [];
    const check = createJournalCheck({
      hasJobs: async (ids) => ids.map(() => false),
      findUnrecorded: async (scans) => scans.map(({ id }) => id),
      resend: async (one) => resent.push(idsOf([one])),
    });
    expect(await check([job('a', 'b'), job('c'), job('a', 'b')])).to.deep.equal([
      'resent',
      'resent',
      'resent',
    ]);
    expect(resent).to.deep.equal([['a', 'b'], ['c']]);
  });

  it('asks the database only after the queue: a job that ends in between is not lost', async () => {
    let isRunning = true;
    const check = createJournalCheck({
      async hasJobs(ids) {
        const answer = ids.map(() => isRunning);
        isRunning = false;
        return answer;
      },
      findUnrecorded: async (scans) => (isRunning ? scans.map(({ id }) => id) : []),
      resend: () => Promise.reject(new Error('sent again')),
    });
    expect(await check([job('a')])).to.deep.equal(['queued']);
    expect(await check([job('a')])).to.deep.equal(['recorded']);
  });
});

describe('The id of a job', () => {
  const scan = { id: newScanId(1), codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };

  it('is the same for the same batch, packed or listed, and one that BullMQ takes', () => {
    const packed = packScans([scan, { ...scan, id: newScanId(2) }], Buffer.alloc(32));
    expect(packed).to.have.property('packedScans');
    expect(jobIdOf(packed)).to.equal(`b${scan.id.replaceAll('-', '')}`);
    expect(jobIdOf(job(scan.id))).to.equal(jobIdOf(packed));
    expect(jobIdOf(job('1:2'))).to.equal('b12');
  });
});
