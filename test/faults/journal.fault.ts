import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { hashSlot, scanQueue } from '../../src/queue/scan-queue.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import type { SharedCode } from '../support/share.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;

describe('Redis loses its data, with SCAN_JOURNAL=on', () => {
  let fixture: Fixture;
  let code: SharedCode;

  async function start(options: Parameters<typeof startFixture>[0] = {}): Promise<void> {
    fixture = await startFixture({ ...options, settings: { SCAN_JOURNAL: 'on', ...options.settings } });
    code = await fixture.makeCode();
  }
  afterEach(() => fixture.stop());

  async function withRedis<Value>(work: (redis: Redis) => Promise<Value>): Promise<Value> {
    const redis = new Redis(fixture.redis().url);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
  const flush = () => withRedis((redis) => redis.flushall());
  const waitingJobs = () => withRedis((redis) => redis.llen('bull:scans:wait'));

  /** Kills Redis, deletes its files and starts an empty one. */
  async function destroyRedis(): Promise<void> {
    await fixture.redis().stop();
    await rm(join(fixture.dataDir, '..', 'appendonlydir'), { recursive: true });
    await fixture.startRedis();
    expect(await withRedis((redis) => redis.dbsize())).to.be.below(5);
  }

  async function expectNoneLost(redirects: number, scans = redirects): Promise<void> {
    expect(redirects).to.be.above(perSecond);
    // Also waits until the journal is empty.
    expect(await fixture.countedScans(code, redirects)).to.equal(scans);
    const verified = await runQrelayHere(['counters', 'verify'], { DATABASE_URL: fixture.databaseUrl });
    expect(verified.code, verified.stdout).to.equal(0);
  }
  const total = async (name: string) =>
    (await fixture.figures()).web.reduce((sum, figures) => sum + (figures.get(name) ?? Number.NaN), 0);

  it('destroyed under load, twice: every redirect is counted once', async () => {
    await start();
    const load = startLoad(fixture.addresses(code), perSecond);
    for (let times = 0; times < 2; times += 1) {
      await pass(2_000);
      await destroyRedis();
    }
    await pass(2_000);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    await expectNoneLost(redirects);
    await expectFiguresToAddUp(fixture, redirects);
    expect(await total('qrelay_journal_bytes')).to.equal(0);
    expect(await total('qrelay_scans_unjournaled_total')).to.be.below(redirects / 10);
  });

  it('flushed while all scans wait for a worker: all of them are sent again, once', async () => {
    await start({ workers: 0 });
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(3_000);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await waitingJobs()).to.be.above(0);
    await flush();
    await eventually(async () => expect(await total('qrelay_scans_resent_total')).to.equal(redirects));
    // Nothing is sent again while it waits.
    const jobs = await waitingJobs();
    await pass(5_000);
    expect(await waitingJobs()).to.equal(jobs);
    await fixture.addWorker();
    await expectNoneLost(redirects);
    await expectFiguresToAddUp(fixture, redirects);
  });

  it('flushed after a web process was killed: another one adopts its journal', async () => {
    await start({ workers: 0, webs: 2 });
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(2_000);
    await fixture.web[0]?.end('SIGKILL');
    await pass(1_000);
    const { redirects } = await load.stop();
    await destroyRedis();
    await fixture.addWorker();
    // Requests of the killed process may have been recorded and not answered.
    await eventually(
      async () => expect(await readdir(join(fixture.dataDir, 'spool'))).to.deep.equal([]),
      90_000,
    );
    const { count } = (await fixture.db('scans').count('* as count').first()) as { count: number };
    expect(count).to.be.within(redirects, redirects + 64);
    await expectNoneLost(redirects, count);
  });

  it('flushed again and again while workers are killed: every redirect is counted once', async () => {
    await start({ workers: 2 });
    const load = startLoad(fixture.addresses(code), perSecond);
    for (let times = 0; times < 4; times += 1) {
      await pass(700);
      const worker = fixture.workers[times % 2];
      await worker?.end('SIGKILL');
      await flush();
      await worker?.restart();
    }
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    await expectNoneLost(redirects);
  });

  it('flushed, then the web process is stopped and started without a journal: nothing is lost', async () => {
    await start({ workers: 0 });
    const load = startLoad(fixture.addresses(code), perSecond);
    await pass(2_000);
    const { redirects } = await load.stop();
    await fixture.web[0]?.end('SIGTERM');
    expect(await readdir(join(fixture.dataDir, 'spool'))).to.have.length.above(0);
    await flush();
    await fixture.web[0]?.restart({ SCAN_JOURNAL: 'off' });
    await fixture.addWorker();
    await expectNoneLost(redirects);
  });

  it('one primary of a cluster flushed while scans wait on all of them: only what it had is sent again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-cluster-'));
    const cluster = await startRedisCluster(folder, 'for-servers');
    try {
      await start({
        queue: 'redis-later',
        workers: 0,
        settings: { REDIS_URL: cluster.url, SCAN_QUEUES: '6' },
      });
      const load = startLoad(fixture.addresses(code), perSecond);
      await pass(2_000);
      const { redirects, faults } = await load.stop();
      expect(faults).to.deep.equal({});
      await (await cluster.primaryOf(hashSlot(scanQueue.hashTag ?? ''))).admin.flushall();
      await eventually(async () => expect(await total('qrelay_scans_resent_total')).to.be.above(0));
      await fixture.addWorker();
      await expectNoneLost(redirects);
      expect(await total('qrelay_scans_resent_total')).to.be.below(redirects * 0.7);
    } finally {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
