import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

describe('Postgres fails under steady load', () => {
  let rig: Rig;

  before(async () => {
    rig = await startRig();
  });
  after(() => rig.stop());

  it('killed and restarted: known codes redirect all the while, unknown ones get 503 within 1 s, all are counted', async () => {
    const code = await rig.makeCode();
    const cold = await rig.makeCode();
    const load = startLoad(rig.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));

    rig.postgres.process.kill('SIGKILL');
    const startedAt = performance.now();
    const answer = await fetch(rig.addresses(cold)[0] ?? '', { redirect: 'manual' });
    expect(performance.now() - startedAt).to.be.below(1_000);
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers.get('retry-after'))).to.be.above(0);
    // Longer than an entry of the cache is fresh: from then on only what was known can serve.
    await pass(12_000);
    await eventually(() => rig.postgres.restart(), 20_000);
    await eventually(async () =>
      expect((await fetch(rig.addresses(cold)[0] ?? '', { redirect: 'manual' })).status).to.equal(302),
    );

    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    expect(await rig.countedScans(cold, 1)).to.equal(1);
    // And the one redirect of the code that was not known.
    await expectFiguresToAddUp(rig, redirects + 1, { mayLoseAnswers: true });
  });
});
