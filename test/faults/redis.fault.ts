import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { type Rig, startRig } from '../support/rig.ts';
import { type Control, startControl } from './control.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const slowestAllowedMs = 150;

let control: Control;
before(async () => {
  control = await startControl();
});
after(() => control.stop());

describe('Redis fails under steady load', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  it('killed and restarted: every redirect leaves in time, and each is counted once', async () => {
    const code = await rig.makeCode();
    const measureControl = control.measure();
    const load = startLoad(rig.addresses(code), perSecond);
    await pass(1_000);
    await rig.redis().stop();
    await pass(3_000);
    await rig.startRedis();
    await pass(2_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects);
  });

  it('stopped for 5 s and continued: the same, nothing counted twice', async () => {
    const code = await rig.makeCode();
    const measureControl = control.measure();
    const load = startLoad(rig.addresses(code), perSecond);
    await pass(1_000);
    rig.redis().process?.kill('SIGSTOP');
    await pass(5_000);
    rig.redis().process?.kill('SIGCONT');
    await pass(2_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects);
  });
});

describe('Redis is absent at the start', () => {
  let rig: Rig;

  before(async () => {
    rig = await startRig({ queue: 'redis-later' });
  });
  after(() => rig.stop());

  it('redirects from the first request on, and counts all of them once Redis comes', async () => {
    const code = await rig.makeCode();
    const measureControl = control.measure();
    const load = startLoad(rig.addresses(code), perSecond);
    await pass(2_000);
    await rig.startRedis();
    await pass(1_000);
    const { redirects, faults, slowestMs } = await load.stop();
    expect(redirects).to.be.above(perSecond);
    expect(faults).to.deep.equal({});
    expect(slowestMs - (await measureControl())).to.be.below(slowestAllowedMs);
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects);
  });
});
