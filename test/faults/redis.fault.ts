import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { type Control, startControl } from './control.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const slowestAllowedMs = 150;
/** The slowest of a thousand requests also shows when the machine stops a single process for a moment: not three times. */
const retries = 2;

let control: Control;
before(async () => {
  control = await startControl();
});
after(() => control.stop());

describe('Redis fails under steady load', function () {
  this.retries(retries);
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await startFixture();
  });
  afterEach(() => fixture.stop());

  it('killed and restarted: every redirect leaves in time, and each is counted once', async () => {
    const code = await fixture.makeCode();
    const measureControl = control.measure();
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(1_000);
    await fixture.redis().stop();
    await pass(3_000);
    await fixture.startRedis();
    await pass(2_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
  });

  it('stopped for 5 s and continued: the same, nothing counted twice', async () => {
    const code = await fixture.makeCode();
    const measureControl = control.measure();
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(1_000);
    fixture.redis().process?.kill('SIGSTOP');
    await pass(5_000);
    fixture.redis().process?.kill('SIGCONT');
    await pass(2_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
  });
});

describe('Redis is absent at the start', function () {
  this.retries(retries);
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await startFixture({ queue: 'redis-later' });
  });
  afterEach(() => fixture.stop());

  it('redirects from the first request on, and counts all of them once Redis comes', async () => {
    const code = await fixture.makeCode();
    const measureControl = control.measure();
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(2_000);
    await fixture.startRedis();
    await pass(1_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(redirects).to.be.above(perSecond);
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
  });
});
