import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { runQrelay } from '../support/programs.ts';
import { startWatchedRedis, type WatchedRedis } from '../support/redis-sentinels.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { expectCountersToBeRight, readyStatus, timeUntil } from './redis-failover.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const recoveryMs = 20_000;

// With a journal: replicas of Redis follow asynchronously, so a killed primary may take scans with it that it has accepted.
describe('The primary of sentinels fails under steady load', () => {
  let fixture: Fixture;
  let redis: WatchedRedis;
  let folder: string;

  async function start(options: Parameters<typeof startWatchedRedis>[1] = {}): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-sentinels-'));
    redis = await startWatchedRedis(folder, options);
    const settings = { REDIS_URL: redis.url, REDIS_CA_FILE: redis.caFile ?? '', SCAN_JOURNAL: 'on' };
    fixture = await startFixture({ queue: 'redis-later', settings });
  }
  afterEach(async () => {
    await fixture?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { how, signal, tls = false, sentinelHangs = false } of [
    { how: 'killed', signal: 'SIGKILL' },
    { how: 'stopped, with its connections open', signal: 'SIGSTOP' },
    { how: 'killed, where all connections use TLS with a private authority', signal: 'SIGKILL', tls: true },
    // The others announce the new primary while a client waits for this one.
    { how: 'killed, while the sentinel that is asked first hangs', signal: 'SIGKILL', sentinelHangs: true },
  ] as const)
    it(`${how}: a replica takes over, and every redirect is counted once`, async () => {
      await start({ tls });
      const code = await fixture.makeCode();
      const load = startLoad(fixture.addresses(code), perSecond);
      await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
      const before = await redis.primaryPort();
      if (sentinelHangs) redis.signalSentinel(0, 'SIGSTOP');
      redis.primary.process?.kill(signal);
      await eventually(async () => expect(await readyStatus(fixture)).to.equal('degraded'));
      const tookMs = await timeUntil(async () => {
        expect(await redis.primaryPort()).to.not.equal(before);
        expect(await readyStatus(fixture)).to.equal('ready');
      }, recoveryMs);
      const { redirects: taken } = load.result;
      await eventually(() => expect(load.result.redirects).to.be.above(taken + perSecond));
      const { redirects, faults } = await load.stop();
      expect(faults).to.deep.equal({});
      expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
      await expectFiguresToAddUp(fixture, redirects, { mayLoseAnswers: true });
      await expectCountersToBeRight(fixture);
      console.log(`      the queue was back ${tookMs} ms after it was reported down; ${redirects} redirects`);
    });

  it('is described by the doctor, with the sentinels that do not respond and without passwords', async () => {
    await start();
    const settings = { DATABASE_URL: fixture.databaseUrl, REDIS_URL: redis.url, DATA_DIR: fixture.dataDir };
    const fine = await runQrelay(['doctor'], settings);
    expect(fine.stdout).to.include('3 sentinels of REDIS_URL respond').and.include('2 replicas connected');
    expect(fine.stdout).to.not.include('for-servers').and.not.include('for-sentinels');
    const unknown = { ...settings, REDIS_URL: redis.url.replace('/mymaster', '/other') };
    expect((await runQrelay(['doctor'], unknown)).stdout).to.include('know no primary of this name');
    redis.signalSentinel(2, 'SIGKILL');
    await eventually(async () => {
      const { stdout } = await runQrelay(['doctor'], settings);
      expect(stdout).to.include('1 of 3 sentinels of REDIS_URL cannot be reached');
    });
    const wrong = { ...settings, REDIS_URL: redis.url.replace(':for-servers@', ':hidden-word@') };
    const { stdout } = await runQrelay(['doctor'], wrong);
    expect(stdout).to.include('rejects the login').and.not.include('hidden-word');
  });
});
