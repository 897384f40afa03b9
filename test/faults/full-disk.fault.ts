import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { runQrelay } from '../support/programs.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import type { SharedCode } from '../support/share.ts';
import { stopProcess } from '../support/process-tree.ts';
import {
  type FreezableDisk,
  mountFreezableDisk,
  mountSmallDisk,
  type SmallDisk,
} from '../support/small-disk.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;

const figureOf = async (fixture: Fixture, name: string) =>
  (await fixture.figures()).web[0]?.get(name) ?? Number.NaN;

async function expectAllCounted(fixture: Fixture, load: ReturnType<typeof startLoad>, code: SharedCode) {
  const { redirects, faults } = await load.stop();
  expect(faults).to.deep.equal({});
  expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
  await expectFiguresToAddUp(fixture, redirects);
  expect(await figureOf(fixture, 'qrelay_scans_in_memory')).to.equal(0);
  expect(await figureOf(fixture, 'qrelay_spool_torn_lines_total')).to.equal(0);
  const { code: exitCode } = await runQrelay(['counters', 'verify'], {
    DATABASE_URL: fixture.postgres.url,
  });
  expect(exitCode).to.equal(0);
}

describe('Redis is down and the disk of the spool is full, under steady load', () => {
  let disk: SmallDisk;
  let fixture: Fixture;

  beforeEach(async function () {
    const mounted = await mountSmallDisk(await mkdtemp(join(tmpdir(), 'qrelay-disk-')), 1_024);
    if (!mounted) return this.skip();
    disk = mounted;
    fixture = await startFixture({ webDataDir: disk.folder });
  });
  afterEach(async () => {
    await fixture?.stop();
    await disk?.remove();
  });

  const figure = (name: string) => figureOf(fixture, name);

  async function loadWithoutRedisAndDisk() {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await fixture.redis().stop();
    await eventually(async () => expect(await figure('qrelay_scans_spooled_total')).to.be.above(0));
    await disk.fill();
    await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.be.above(2 * perSecond));
    expect(await figure('qrelay_spool_writable')).to.equal(0);
    expect(await figure('qrelay_scans_dropped_total')).to.equal(0);
    return { code, load };
  }

  it('room first, then Redis: every redirect is counted once', async () => {
    const { code, load } = await loadWithoutRedisAndDisk();
    await disk.free();
    await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.equal(0));
    expect(await figure('qrelay_spool_writable')).to.equal(1);
    await fixture.startRedis();
    await eventually(async () => expect(await figure('qrelay_spool_bytes')).to.equal(0));
    await expectAllCounted(fixture, load, code);
  });

  it('Redis first, while the disk is still full: the same', async () => {
    const { code, load } = await loadWithoutRedisAndDisk();
    await fixture.startRedis();
    await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.equal(0));
    await expectAllCounted(fixture, load, code);
  });
});

describe('The disk of the spool hangs, under steady load', () => {
  let disk: FreezableDisk;
  let fixture: Fixture;
  let load: ReturnType<typeof startLoad>;
  let code: SharedCode;

  beforeEach(async function () {
    const mounted = await mountFreezableDisk(join(await mkdtemp(join(tmpdir(), 'qrelay-disk-')), 'data'));
    if (!mounted) return this.skip();
    disk = mounted;
  });
  afterEach(async () => {
    // A process that waits for the disk cannot be killed.
    disk?.thaw();
    await fixture?.stop();
    await disk?.remove();
  });

  const figure = (name: string) => figureOf(fixture, name);

  async function start(settings: Record<string, string>): Promise<void> {
    fixture = await startFixture({ webDataDir: disk.folder, settings });
    code = await fixture.makeCode();
    load = startLoad(fixture.addresses(code), perSecond);
    await moreRedirects();
  }
  async function moreRedirects(): Promise<void> {
    const before = load.result.redirects;
    await eventually(() => expect(load.result.redirects).to.be.above(before + perSecond));
  }

  for (const journal of ['off', 'on']) {
    it(`Redis misses one deadline, SCAN_JOURNAL=${journal}: redirects go on, and each is counted once`, async () => {
      await start({ SCAN_JOURNAL: journal });
      disk.freeze();
      await stopProcess(fixture.redis().process?.pid ?? 0);
      await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.be.above(0));
      fixture.redis().process?.kill('SIGCONT');
      await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.equal(0));
      await moreRedirects();
      expect(await figure('qrelay_spool_writable')).to.equal(0);
      expect(load.result.slowestMs).to.be.below(5_000);
      disk.thaw();
      await eventually(async () => expect(await figure('qrelay_spool_writable')).to.equal(1));
      await expectAllCounted(fixture, load, code);
    });
  }

  it('Redis is down meanwhile, and the disk is back first: the same', async () => {
    await start({});
    disk.freeze();
    await fixture.redis().stop();
    await moreRedirects();
    expect(await figure('qrelay_scans_in_memory')).to.be.above(0);
    disk.thaw();
    await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.equal(0));
    await fixture.startRedis();
    await expectAllCounted(fixture, load, code);
  });
});
