import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { runQrelay } from '../support/programs.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import type { SharedCode } from '../support/share.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;

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

  const figure = async (name: string) => (await fixture.figures()).web[0]?.get(name) ?? Number.NaN;

  async function expectAllCounted(load: ReturnType<typeof startLoad>, code: SharedCode) {
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
    expect(await figure('qrelay_scans_in_memory')).to.equal(0);
    expect(await figure('qrelay_spool_torn_lines_total')).to.equal(0);
    const { code: exitCode } = await runQrelay(['counters', 'verify'], {
      DATABASE_URL: fixture.postgres.url,
    });
    expect(exitCode).to.equal(0);
  }

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
    await expectAllCounted(load, code);
  });

  it('Redis first, while the disk is still full: the same', async () => {
    const { code, load } = await loadWithoutRedisAndDisk();
    await fixture.startRedis();
    await eventually(async () => expect(await figure('qrelay_scans_in_memory')).to.equal(0));
    await expectAllCounted(load, code);
  });
});
