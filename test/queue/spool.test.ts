import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { processIdentity } from '../../src/runtime/process-identity.ts';
import { listScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { openSpool, type Spool } from '../../src/queue/spool.ts';

describe('The spool', () => {
  let folder: string;
  let tornLines: number;

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'qrelay-spool-')), 'spool');
    tornLines = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (maxBytes = 1_000_000) => openSpool({ folder, maxBytes, onTornLine: () => (tornLines += 1) });
  const job = (id: string): ScanJob => ({ scans: [[id, 'code', 'agent']], sealedAddresses: 'sealed' });
  const idsOf = (jobs: ScanJob[]) => jobs.map((one) => listScans(one)[0]?.[0]);

  async function replayed(spool: Spool): Promise<ScanJob[]> {
    const jobs: ScanJob[] = [];
    await spool.replay(async (taken) => {
      jobs.push(taken);
    });
    return jobs;
  }

  /** As a process that was killed leaves them: under a name that no living process has. */
  async function abandon(lines: string, identity = '999999999-1-abc'): Promise<void> {
    const { hostname } = await import('node:os');
    await mkdir(folder, { recursive: true });
    const host = hostname().replace(/[^\w-]/g, '_');
    await writeFile(join(folder, `${host}.${identity}.1.spool`), lines);
  }

  it('makes no file before there is something to keep', async () => {
    const spool = await open();
    expect(spool.isEmpty()).to.equal(true);
    expect(await readdir(join(folder, '..'))).to.deep.equal([]);
  });

  it('has a batch on the disk when append is done', async () => {
    const spool = await open();
    await spool.append(job('a'));
    const [file = ''] = await readdir(folder);
    expect(JSON.parse(await readFile(join(folder, file), 'utf8'))).to.deep.equal(job('a'));
  });

  it('gives back each batch once, in order, and then the file is gone', async () => {
    const spool = await open();
    await Promise.all(['a', 'b', 'c'].map((id) => spool.append(job(id))));
    expect(idsOf(await replayed(spool))).to.deep.equal(['a', 'b', 'c']);
    expect(spool.isEmpty()).to.equal(true);
    expect(await readdir(folder)).to.deep.equal([]);
    expect(await replayed(spool)).to.deep.equal([]);
  });

  it('goes on where a replay failed', async () => {
    const spool = await open();
    for (const id of ['a', 'b', 'c']) await spool.append(job(id));
    const taken: ScanJob[] = [];
    const failure = await spool
      .replay(async (next) => {
        if (taken.length === 1) throw new Error('down again');
        taken.push(next);
      })
      .catch((error: Error) => error.message);
    expect(failure).to.equal('down again');
    expect(idsOf([...taken, ...(await replayed(spool))])).to.deep.equal(['a', 'b', 'c']);
  });

  it('goes on where a replay failed, also in a file that is read in several pieces', async () => {
    const spool = await open();
    // Each takes some 10 KB.
    const ids = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
    for (const id of ids) await spool.append(job(id));
    const taken: ScanJob[] = [];
    await spool
      .replay(async (next) => {
        if (taken.length === 20) throw new Error('down again');
        taken.push(next);
      })
      .catch(() => undefined);
    expect(idsOf([...taken, ...(await replayed(spool))])).to.deep.equal(ids);
    expect(tornLines).to.equal(0);
  });

  it('parses a line only when its turn has come, however often a replay fails', async () => {
    const spool = await open();
    const ids = Array.from({ length: 100 }, (_, index) => `number ${index}`);
    for (const id of ids) await spool.append(job(id));
    const { parse } = JSON;
    let parsed = 0;
    JSON.parse = (...parameters) => {
      parsed += 1;
      return parse(...parameters);
    };
    const taken: ScanJob[] = [];
    try {
      for (let tries = 0; !spool.isEmpty(); ) {
        await spool
          .replay(async (next) => {
            // Every second delivery fails.
            if ((tries += 1) % 2 === 0) throw new Error('down again');
            taken.push(next);
          })
          .catch(() => undefined);
      }
    } finally {
      JSON.parse = parse;
    }
    expect(idsOf(taken)).to.deep.equal(ids);
    expect(parsed).to.be.below(250);
  });

  it('keeps what is appended while a replay runs for the next one', async () => {
    const spool = await open();
    await spool.append(job('a'));
    await spool.replay(() => spool.append(job('b')));
    expect(idsOf(await replayed(spool))).to.deep.equal(['b']);
  });

  it('refuses what would make it larger than it may be, and takes it again after a replay', async () => {
    const spool = await open(200);
    await spool.append(job('a'));
    await spool.append(job('b'));
    const refused = await spool.append(job('x'.repeat(100))).catch((error: Error) => error.name);
    expect(refused).to.equal('SpoolFullError');
    expect(idsOf(await replayed(spool))).to.deep.equal(['a', 'b']);
    await spool.append(job('x'.repeat(100)));
  });

  it('takes over the file of a process that is gone, skips its torn last line, and counts that', async () => {
    const spool = await open();
    await spool.append(job('own'));
    await abandon(`${JSON.stringify(job('a'))}\n${JSON.stringify(job('b')).slice(0, 20)}`);
    await spool.adopt();
    expect(idsOf(await replayed(spool))).to.have.members(['own', 'a']);
    expect(tornLines).to.equal(1);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('leaves the file of a living process alone', async () => {
    const living = await open();
    await living.append(job('a'));
    const other = await open();
    await other.adopt();
    expect(other.isEmpty()).to.equal(true);
    expect(idsOf(await replayed(living))).to.deep.equal(['a']);
  });

  it('knows a process of an earlier release, which wrote no namespace: takes over its file only when it is gone', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    await once(other, 'spawn');
    const identity = (await processIdentity(other.pid ?? 0)).split('-').slice(0, 3).join('-');
    await abandon(`${JSON.stringify(job('a'))}\n`, identity);
    const spool = await open();
    await spool.adopt();
    expect(spool.isEmpty()).to.equal(true);
    const gone = once(other, 'exit');
    other.stdin.end();
    await gone;
    await spool.adopt();
    expect(idsOf(await replayed(spool))).to.deep.equal(['a']);
  });

  it('loses a torn line alone, also where a whole one was glued to it', async () => {
    const spool = await open();
    const torn = JSON.stringify(job('torn')).slice(0, 25);
    const lines = [torn + JSON.stringify(job('a')), torn + torn + JSON.stringify(job('b')), torn];
    await abandon(`${JSON.stringify(job('first'))}\n${lines.join('\n')}\n${JSON.stringify(job('last'))}\n`);
    await spool.adopt();
    expect(idsOf(await replayed(spool))).to.deep.equal(['first', 'a', 'b', 'last']);
    expect(tornLines).to.equal(3);
  });

  it('takes new batches though a file that it took over is as large as it may be itself', async () => {
    const spool = await open(200);
    await abandon(`${JSON.stringify(job('x'.repeat(300)))}\n`);
    await spool.adopt();
    await spool.append(job('own'));
    expect(idsOf(await replayed(spool))).to.have.members(['x'.repeat(300), 'own']);
  });

  it('writes a batch once more where its file was taken away from it', async () => {
    const spool = await open();
    await spool.append(job('a'));
    const [file = ''] = await readdir(folder);
    const elsewhere = join(folder, 'taken');
    await rename(join(folder, file), elsewhere);
    await spool.append(job('b'));
    expect(idsOf(await replayed(spool))).to.deep.equal(['b']);
    expect(await readFile(elsewhere, 'utf8')).to.include('"a"');
  });

  it('goes on with the next file where one of its own is gone', async () => {
    const spool = await open();
    await spool.append(job('a'));
    await spool.replay(async () => Promise.reject(new Error('down'))).catch(() => undefined);
    const [file = ''] = await readdir(folder);
    await rm(join(folder, file));
    await spool.append(job('b'));
    expect(idsOf(await replayed(spool))).to.deep.equal(['b']);
  });

  it('leaves files that are not its own kind alone', async () => {
    const spool = await open();
    await spool.append(job('a'));
    await appendFile(join(folder, 'notes.txt'), 'hello');
    await spool.adopt();
    expect(await replayed(spool)).to.have.length(1);
    expect(await readdir(folder)).to.deep.equal(['notes.txt']);
  });
});
