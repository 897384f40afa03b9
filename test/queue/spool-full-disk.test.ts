import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { openSpool, type Spool } from '../../src/queue/spool.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

describe('The spool on a disk that is full', () => {
  let disk: SmallDisk;
  let spool: Spool;
  let tornLines: number;

  before(async function () {
    const mounted = await mountSmallDisk(await mkdtemp(join(tmpdir(), 'qrelay-disk-')), 64);
    if (!mounted) return this.skip();
    disk = mounted;
  });
  after(() => disk?.remove());
  beforeEach(async () => {
    tornLines = 0;
    const folder = join(disk.folder, 'spool');
    spool = await openSpool({ folder, maxBytes: 1_000_000, onTornLine: () => (tornLines += 1) });
  });
  afterEach(() => spool.close());

  const job = (id: string, length = 10): ScanJob => ({
    scans: [[id, 'code', 'x'.repeat(length)]],
    sealedAddresses: 'sealed',
  });
  const refusal = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
  async function replayed(): Promise<string[]> {
    const ids: string[] = [];
    await spool.replay(async (taken) => {
      ids.push(listScans(taken)[0]?.[0] ?? '');
    });
    return ids;
  }

  it('leaves nothing of a batch that it could not take, and loses none that it took', async () => {
    await spool.append(job('before'));
    // Room for a part of it: without care, half a line stays.
    expect(await refusal(spool.append(job('too large', 100_000)))).to.equal('ENOSPC');
    await spool.append(job('after'));
    await disk.fill();
    expect(await refusal(spool.append(job('full', 5_000)))).to.equal('ENOSPC');
    await disk.free();
    await spool.append(job('room again'));
    expect(await replayed()).to.deep.equal(['before', 'after', 'room again']);
    expect(tornLines).to.equal(0);
    expect(await readdir(join(disk.folder, 'spool'))).to.deep.equal([]);
  });

  it('counts what it holds, and not what it tried to hold', async () => {
    await spool.append(job('before'));
    const bytes = spool.ownBytes();
    await refusal(spool.append(job('too large', 100_000)));
    expect(spool.ownBytes()).to.equal(bytes);
    await replayed();
  });

  it('says that it cannot be written before there is something to write, and when it can again', async () => {
    await spool.checkWritable();
    expect(spool.isWritable()).to.equal(true);
    await spool.close();
    spool = await openSpool({ folder: disk.folder, maxBytes: 1_000_000, onTornLine: () => undefined });
    await disk.fill();
    expect(await refusal(spool.checkWritable())).to.equal('ENOSPC');
    expect(spool.isWritable()).to.equal(false);
    await disk.free();
    await spool.checkWritable();
    expect(spool.isWritable()).to.equal(true);
    expect(await readdir(disk.folder)).to.not.include('filler');
  });
});
