import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listScans } from '../../src/queue/scan-jobs.ts';
import { openSpool, type Spool } from '../../src/queue/spool.ts';
import { claimDataDir } from '../../src/store/data-dir.ts';
import { eventually } from '../support/eventually.ts';
import { canUnshare, type ForeignProcess, startElsewhere } from '../support/other-namespace.ts';

const built = (file: string) => JSON.stringify(new URL(`../../dist/src/${file}`, import.meta.url).href);

describe('Two containers with the same host name on one DATA_DIR', () => {
  let dataDir: string;
  let other: ForeignProcess;

  before(function () {
    if (!canUnshare()) this.skip();
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'qrelay-containers-'));
  });
  afterEach(async () => {
    await other?.kill();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  const claimElsewhere = () =>
    startElsewhere(
      `const { claimDataDir } = await import(${built('store/data-dir.js')});
       await claimDataDir(process.argv[1], { heartbeatMs: 100 });
       setInterval(() => undefined, 1_000);
       console.log('claimed');`,
      [dataDir],
    );

  it('the second cannot claim the folder while the first is alive', async () => {
    other = await claimElsewhere();
    const refusal = await claimDataDir(dataDir, { timeoutMs: 0, heartbeatMs: 1_000 }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.include('Another Qrelay (in another container or on another machine) is using');
  });

  it('the second claims the folder after the first was killed', async () => {
    other = await claimElsewhere();
    await other.kill();
    const release = await claimDataDir(dataDir, { timeoutMs: 0, heartbeatMs: 100 });
    await release();
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it('one that lost its claim is notified, and does not release the claim of the other', async () => {
    let isLost = false;
    const release = await claimDataDir(dataDir, { heartbeatMs: 20, onLost: () => (isLost = true) });
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(dataDir, 'qrelay.pid'), '1-1-another-1');
    await eventually(() => expect(isLost).to.equal(true));
    await release();
    expect(await readdir(dataDir)).to.deep.equal(['qrelay.pid']);
  });

  describe('with a batch in the spool of the first', () => {
    let spool: Spool;
    const open = () =>
      openSpool({ folder: dataDir, maxBytes: 1_000, onTornLine: () => undefined, abandonedAfterMs: 500 });

    beforeEach(async () => {
      other = await startElsewhere(
        `const { openSpool } = await import(${built('queue/spool.js')});
         const spool = await openSpool({ folder: process.argv[1], maxBytes: 1_000, onTornLine() {}, heartbeatMs: 50 });
         await spool.append({ scans: [['theirs', 'code', 'agent']], sealedAddresses: 'sealed' });
         setInterval(() => undefined, 1_000);
         console.log('spooled');`,
        [dataDir],
      );
      spool = await open();
    });
    afterEach(() => spool?.close());

    it('the second leaves it alone while the first is alive', async () => {
      const [file] = await readdir(dataDir);
      const startedAt = performance.now();
      // Checked more often and for longer than it takes to be considered dead.
      await eventually(async () => {
        await spool.adopt();
        expect(performance.now() - startedAt).to.be.above(1_500);
      });
      expect(spool.isEmpty()).to.equal(true);
      expect(await readdir(dataDir)).to.deep.equal([file]);
    });

    it('the second adopts it after the first was killed', async () => {
      await other.kill();
      await eventually(async () => {
        await spool.adopt();
        expect(spool.isEmpty()).to.equal(false);
      });
      const taken: string[] = [];
      await spool.replay(async (job) => {
        taken.push(listScans(job)[0]?.[0] ?? '');
      });
      expect(taken).to.deep.equal(['theirs']);
    });
  });
});
