import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { openDatabase } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import { runQrelay } from '../support/programs.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import type { SharedCode } from '../support/share.ts';
import { type Standby, startStandby } from '../support/standby.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { type LoadResult, startLoad } from './steady-load.ts';

describe('Postgres fails under steady load', () => {
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await startFixture({ proxied: true });
  });
  afterEach(() => fixture.stop());

  it('killed and restarted: known codes redirect all the while, unknown ones get 503 within 1 s, all are counted', async () => {
    const code = await fixture.makeCode();
    const cold = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));

    // The whole tree: a backend outlives its postmaster for a moment, and could still answer.
    signalTree(fixture.postgres.process.pid ?? 0, 'SIGKILL');
    const startedAt = performance.now();
    const answer = await fetch(fixture.addresses(cold)[0] ?? '', { redirect: 'manual' });
    expect(performance.now() - startedAt).to.be.below(1_000);
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers.get('retry-after'))).to.be.above(0);
    // Longer than an entry of the cache is fresh: from then on only what was known can serve.
    await pass(12_000);
    await eventually(() => fixture.postgres.restart(), 20_000);
    await eventually(async () =>
      expect((await fetch(fixture.addresses(cold)[0] ?? '', { redirect: 'manual' })).status).to.equal(302),
    );

    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    expect(await fixture.countedScans(cold, 1)).to.equal(1);
    // And the one redirect of the code that was not known.
    await expectFiguresToAddUp(fixture, redirects + 1, { mayLoseAnswers: true });
  });

  it('stopped for 15 s and continued: scans are recorded again within 10 s, each of them once', async () => {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    const { pid = 0 } = fixture.postgres.process;
    signalTree(pid, 'SIGSTOP');
    await pass(15_000);
    signalTree(pid, 'SIGCONT');
    await expectRecovery(fixture, code);
    await expectAllRecorded(fixture, code, await load.stop());
  });

  it('one code locked for 45 s: nineteen others are recorded meanwhile, and each scan of all twenty once', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => fixture.makeCode()));
    const [locked, ...others] = codes as [SharedCode, ...SharedCode[]];
    const recorded = async (ids: string[]) =>
      Number((await fixture.db('scans').whereIn('qr_code_id', ids).count({ count: '*' }).first())?.['count']);
    const addresses = (some: SharedCode[]) => some.flatMap((code) => fixture.addresses(code));
    const lockedLoad = startLoad(addresses([locked]), 20);
    const otherLoad = startLoad(addresses(others), 180);
    await eventually(() => expect(otherLoad.result.redirects).to.be.above(100));

    await fixture.db.transaction(async (holder) => {
      // The server would end a transaction that is idle for so long.
      await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
      await holder('qr_codes').where({ id: locked.id }).forUpdate();
      await pass(45_000);
      const { redirects } = await otherLoad.stop();
      await eventually(async () => expect(await recorded(others.map(({ id }) => id))).to.equal(redirects));
    });
    const { redirects, faults } = await lockedLoad.stop();
    expect(faults).to.deep.equal({});
    expect(otherLoad.result.faults).to.deep.equal({});
    expect(await fixture.countedScans(locked, redirects)).to.equal(redirects);
    await expectCountersVerified(fixture);
    await expectFiguresToAddUp(fixture, redirects + otherLoad.result.redirects, { mayLoseAnswers: true });
  });
});

describe('Postgres is out of reach under steady load, without a reset', () => {
  let fixture: Fixture;

  afterEach(() => fixture.stop());

  for (const queue of ['redis', 'postgres'] as const) {
    it(`scans are recorded again within 10 s of its return (queue on ${queue})`, async () => {
      fixture = await startFixture({ proxied: true, queue });
      const code = await fixture.makeCode();
      const load = startLoad(fixture.addresses(code), 200);
      await eventually(() => expect(load.result.redirects).to.be.above(100));
      fixture.proxy.forwardTo(undefined);
      fixture.proxy.blackHole();
      await pass(15_000);
      fixture.proxy.forwardTo(Number(new URL(fixture.postgres.url).port));
      await expectRecovery(fixture, code);
      await expectAllRecorded(fixture, code, await load.stop());
    });
  }
});

describe('Postgres fails over to a standby under steady load', () => {
  let fixture: Fixture;
  let standby: Standby;

  beforeEach(async () => {
    fixture = await startFixture({ proxied: true });
    standby = await startStandby(fixture.postgres, fixture.dataDir, join(fixture.dataDir, 'standby'));
  });
  afterEach(async () => {
    signalTree(fixture.postgres.process.pid ?? 0, 'SIGCONT');
    await standby.server.stop();
    await fixture.stop();
  });

  it('killed: the promoted standby records within 10 s, nothing is lost', async () => {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    signalTree(fixture.postgres.process.pid ?? 0, 'SIGKILL');
    // As with a name that moves to the other server: it is read-only until it is promoted.
    fixture.proxy.forwardTo(standby.port);
    await pass(3_000);
    await standby.promote();
    await expectRecovery(fixture, code);
    await expectAllRecorded(fixture, code, await load.stop());
  });

  it('gone without a word: packets are dropped, and the promoted standby records within 10 s', async () => {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    signalTree(fixture.postgres.process.pid ?? 0, 'SIGSTOP');
    fixture.proxy.forwardTo(undefined);
    fixture.proxy.blackHole();
    await pass(2_000);
    await standby.promote();
    fixture.proxy.forwardTo(standby.port);
    await expectRecovery(fixture, code);
    await expectAllRecorded(fixture, code, await load.stop());
  });
});

const recoveryMs = 10_000;
/** More than the statements that were under way can hold. */
const surelyNewScans = 100;

/** From now on, scans are recorded again within the time that is promised. */
async function expectRecovery(fixture: Fixture, code: SharedCode): Promise<void> {
  const startedAt = performance.now();
  // A fresh connection: those of the fixture have to recover as well.
  const observer = openDatabase(fixture.databaseUrl, { poolMax: 1, applicationName: 'observer' });
  const recorded = async () =>
    Number((await observer('scans').where({ qr_code_id: code.id }).count({ count: '*' }).first())?.['count']);
  try {
    const before = await recorded();
    await eventually(
      async () => expect(await recorded()).to.be.above(before + surelyNewScans),
      recoveryMs - (performance.now() - startedAt),
    );
    console.log(`      recorded again after ${Math.round(performance.now() - startedAt)} ms`);
  } finally {
    await observer.destroy();
  }
}

async function expectAllRecorded(
  fixture: Fixture,
  code: SharedCode,
  { redirects, faults }: LoadResult,
): Promise<void> {
  expect(faults).to.deep.equal({});
  expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
  await expectCountersVerified(fixture);
  await expectFiguresToAddUp(fixture, redirects, { mayLoseAnswers: true });
}

async function expectCountersVerified(fixture: Fixture): Promise<void> {
  const { code, stdout } = await runQrelay(['counters', 'verify'], { DATABASE_URL: fixture.databaseUrl });
  expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
}
