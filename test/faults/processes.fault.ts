import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { startLoad } from './steady-load.ts';

describe('Our own processes end under steady load', () => {
  let fixture: Fixture;

  afterEach(() => fixture.stop());

  it('worker killed five times in a row: all scans are counted, once', async () => {
    fixture = await startFixture();
    const code = await fixture.makeCode();
    const [worker] = fixture.workers;
    const load = startLoad(fixture.addresses(code), 300);
    for (let kills = 0; kills < 5; kills += 1) {
      await pass(400);
      await worker?.end('SIGKILL');
      await worker?.restart();
    }
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
  });

  it('web killed and restarted: every redirect that a client received is counted', async () => {
    fixture = await startFixture();
    const code = await fixture.makeCode();
    const [web] = fixture.web;
    const load = startLoad(fixture.addresses(code), 300);
    for (let kills = 0; kills < 3; kills += 1) {
      await pass(700);
      await web?.end('SIGKILL');
      await web?.restart();
    }
    await pass(500);
    const { redirects, sent } = await load.stop();
    const counted = await fixture.countedScans(code, redirects);
    expect(counted).to.be.within(redirects, sent);
  });

  it('web killed while Redis is away: what it had spooled is counted after the restart', async () => {
    fixture = await startFixture();
    const code = await fixture.makeCode();
    const [web] = fixture.web;
    const load = startLoad(fixture.addresses(code), 300);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    await fixture.redis().stop();
    await pass(1_000);
    await web?.end('SIGKILL');
    await web?.restart();
    await pass(500);
    await fixture.startRedis();
    await pass(500);
    const { redirects, sent } = await load.stop();
    expect(await fixture.countedScans(code, redirects)).to.be.within(redirects, sent);
  });

  it('web and worker ended with SIGTERM: no reset, no error, nothing lost', async () => {
    fixture = await startFixture({ webs: 2, workers: 2 });
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), 300);
    await pass(1_000);
    const startedAt = performance.now();
    const codes = await Promise.all([fixture.web[0]?.end('SIGTERM'), fixture.workers[0]?.end('SIGTERM')]);
    expect(codes).to.deep.equal([0, 0]);
    expect(performance.now() - startedAt).to.be.below(25_000);
    await pass(500);
    await fixture.web[0]?.restart();
    await fixture.web[1]?.end('SIGTERM');
    await pass(300);
    const { redirects, sent, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(redirects).to.equal(sent);
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
  });
});
