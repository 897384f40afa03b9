import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { openDatabase } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import { runQrelay } from '../support/programs.ts';
import { type Rig, startRig } from '../support/rig.ts';
import type { SharedCode } from '../support/share.ts';
import { type Standby, startStandby } from '../support/standby.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { type LoadResult, startLoad } from './steady-load.ts';

describe('Postgres fails under steady load', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig({ proxied: true });
  });
  afterEach(() => rig.stop());

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

  it('stopped for 15 s and continued: scans are recorded again within 10 s, each of them once', async () => {
    const code = await rig.makeCode();
    const load = startLoad(rig.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    const { pid = 0 } = rig.postgres.process;
    signalTree(pid, 'SIGSTOP');
    await pass(15_000);
    signalTree(pid, 'SIGCONT');
    await expectRecovery(rig, code);
    await expectAllRecorded(rig, code, await load.stop());
  });

  it('one code locked for 45 s: nineteen others are recorded meanwhile, and that one afterwards', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => rig.makeCode()));
    const [locked, ...others] = codes as [SharedCode, ...SharedCode[]];
    const recorded = async (ids: string[]) =>
      Number((await rig.db('scans').whereIn('qr_code_id', ids).count({ count: '*' }).first())?.['count']);
    const addresses = (some: SharedCode[]) => some.flatMap((code) => rig.addresses(code));
    const lockedLoad = startLoad(addresses([locked]), 20);
    const otherLoad = startLoad(addresses(others), 180);
    await eventually(() => expect(otherLoad.result.redirects).to.be.above(100));

    await rig.db.transaction(async (holder) => {
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
    expect(await rig.countedScans(locked, redirects)).to.equal(redirects);
    await expectCountersVerified(rig);
    await expectFiguresToAddUp(rig, redirects + otherLoad.result.redirects, { mayLoseAnswers: true });
  });
});

describe('Postgres is out of reach under steady load, without a reset', () => {
  let rig: Rig;

  afterEach(() => rig.stop());

  for (const queue of ['redis', 'postgres'] as const) {
    it(`scans are recorded again within 10 s of its return (queue on ${queue})`, async () => {
      rig = await startRig({ proxied: true, queue });
      const code = await rig.makeCode();
      const load = startLoad(rig.addresses(code), 200);
      await eventually(() => expect(load.result.redirects).to.be.above(100));
      rig.proxy.forwardTo(undefined);
      rig.proxy.blackHole();
      await pass(15_000);
      rig.proxy.forwardTo(Number(new URL(rig.postgres.url).port));
      await expectRecovery(rig, code);
      await expectAllRecorded(rig, code, await load.stop());
    });
  }
});

describe('Postgres fails over to a standby under steady load', () => {
  let rig: Rig;
  let standby: Standby;

  beforeEach(async () => {
    rig = await startRig({ proxied: true });
    standby = await startStandby(rig.postgres, rig.dataDir, join(rig.dataDir, 'standby'));
  });
  afterEach(async () => {
    signalTree(rig.postgres.process.pid ?? 0, 'SIGCONT');
    await standby.server.stop();
    await rig.stop();
  });

  it('killed: the promoted standby records within 10 s, nothing is lost', async () => {
    const code = await rig.makeCode();
    const load = startLoad(rig.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    signalTree(rig.postgres.process.pid ?? 0, 'SIGKILL');
    // As with a name that moves to the other server: it is read-only until it is promoted.
    rig.proxy.forwardTo(standby.port);
    await pass(3_000);
    await standby.promote();
    await expectRecovery(rig, code);
    await expectAllRecorded(rig, code, await load.stop());
  });

  it('gone without a word: packets are dropped, and the promoted standby records within 10 s', async () => {
    const code = await rig.makeCode();
    const load = startLoad(rig.addresses(code), 200);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    signalTree(rig.postgres.process.pid ?? 0, 'SIGSTOP');
    rig.proxy.forwardTo(undefined);
    rig.proxy.blackHole();
    await pass(2_000);
    await standby.promote();
    rig.proxy.forwardTo(standby.port);
    await expectRecovery(rig, code);
    await expectAllRecorded(rig, code, await load.stop());
  });
});

const recoveryMs = 10_000;
/** More than the statements that were under way can hold. */
const surelyNewScans = 100;

/** From now on, scans are recorded again within the time that is promised. */
async function expectRecovery(rig: Rig, code: SharedCode): Promise<void> {
  const startedAt = performance.now();
  // A fresh connection: those of the rig have to recover as well.
  const observer = openDatabase(rig.databaseUrl, { poolMax: 1, applicationName: 'observer' });
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
  rig: Rig,
  code: SharedCode,
  { redirects, faults }: LoadResult,
): Promise<void> {
  expect(faults).to.deep.equal({});
  expect(await rig.countedScans(code, redirects)).to.equal(redirects);
  await expectCountersVerified(rig);
  await expectFiguresToAddUp(rig, redirects, { mayLoseAnswers: true });
}

async function expectCountersVerified(rig: Rig): Promise<void> {
  const { code, stdout } = await runQrelay(['counters', 'verify'], { DATABASE_URL: rig.databaseUrl });
  expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
}
