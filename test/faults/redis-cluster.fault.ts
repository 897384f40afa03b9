import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser, setAdmin } from '../../src/accounts/users.ts';
import { hashSlot, maxScanQueues, scanQueue, scanQueues } from '../../src/queue/scan-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { defineQueue } from '../../src/queue/queue-definition.ts';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { Type } from '../../src/schema.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { runQrelay } from '../support/programs.ts';
import { type RedisCluster, type RedisClusterNode, startRedisCluster } from '../support/redis-cluster.ts';
import { testLog } from '../support/test-log.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { expectCountersToBeRight, readyStatus, timeUntil } from './redis-failover.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const recoveryMs = 30_000;
const queueCount = 6;

describe('A node of a Redis Cluster fails under steady load', () => {
  let fixture: Fixture;
  let cluster: RedisCluster;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-cluster-'));
    cluster = await startRedisCluster(folder, 'for-servers');
    const settings = { REDIS_URL: cluster.url, SCAN_QUEUES: String(queueCount), SCAN_JOURNAL: 'on' };
    fixture = await startFixture({ queue: 'redis-later', settings });
  });
  afterEach(async () => {
    await fixture?.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const figure = async (name: string) => (await fixture.figures()).web[0]?.get(name) ?? Number.NaN;

  async function jobsByNode(): Promise<Map<RedisClusterNode, string[]>> {
    const found = new Map<RedisClusterNode, string[]>();
    for (const { name, hashTag = name } of scanQueues(queueCount)) {
      const node = await cluster.primaryOf(hashSlot(hashTag));
      found.set(node, [...(found.get(node) ?? []), name]);
    }
    return found;
  }

  it('has two of six queues on each primary, in the slots that the servers compute', async () => {
    const byNode = await jobsByNode();
    expect([...byNode.values()].map((names) => names.length)).to.deep.equal([2, 2, 2]);
    for (const { hashTag = '' } of scanQueues(maxScanQueues))
      expect(await cluster.nodes[0]?.admin.call('CLUSTER', 'KEYSLOT', `bull:{${hashTag}}:wait`)).to.equal(
        hashSlot(hashTag),
      );
  });

  for (const [how, signal] of [
    ['killed', 'SIGKILL'],
    ['stopped, with its connections open', 'SIGSTOP'],
  ] as const)
    it(`${how}: the other queues take the scans, a replica takes over, and every redirect is counted once`, async () => {
      const code = await fixture.makeCode();
      const load = startLoad(fixture.addresses(code), perSecond);
      await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
      const failing = await cluster.primaryOf(hashSlot(scanQueue.hashTag ?? ''));
      failing.server.process?.kill(signal);
      await eventually(async () => expect(await readyStatus(fixture)).to.equal('degraded'));
      const queuedBefore = await figure('qrelay_scans_queued_total');
      await eventually(async () =>
        expect(await figure('qrelay_scans_queued_total')).to.be.above(queuedBefore + perSecond / 2),
      );
      const statusThen = await readyStatus(fixture);
      const tookMs = await timeUntil(
        async () => expect(await readyStatus(fixture)).to.equal('ready'),
        recoveryMs,
      );
      const { redirects: taken } = load.result;
      await eventually(() => expect(load.result.redirects).to.be.above(taken + perSecond));
      const { redirects, faults, slowestMs } = await load.stop();
      expect(faults).to.deep.equal({});
      expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
      await expectFiguresToAddUp(fixture, redirects, { mayLoseAnswers: true });
      await expectCountersToBeRight(fixture);
      console.log(
        `      all queues were back ${tookMs} ms after scans went to the others (${statusThen}); ${redirects} redirects, ` +
          `${await figure('qrelay_scans_spooled_total')} through the spool, slowest ${Math.round(slowestMs)} ms`,
      );
    });

  it('all of them killed and started again: every redirect is counted once', async () => {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await Promise.all(cluster.nodes.map(({ server }) => server.stop()));
    await eventually(async () => expect(await figure('qrelay_scans_spooled_total')).to.be.above(perSecond));
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    const tookMs = await timeUntil(
      async () => expect(await readyStatus(fixture)).to.equal('ready'),
      recoveryMs,
    );
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects, { mayLoseAnswers: true });
    await expectCountersToBeRight(fixture);
    console.log(
      `      all queues were back ${tookMs} ms after the start of the servers; ${redirects} redirects`,
    );
  });

  it('runs the jobs and the schedule of another queue, and shows every queue on the board', async () => {
    const digestQueue = defineQueue({
      ...scanQueue,
      name: 'digest',
      hashTag: 'digest',
      contract: Type.Object({ about: Type.String() }),
      schedules: { write: { every: 200, data: { about: 'schedule' } } },
      items: { noun: 'digest', count: () => 1 },
      visibleData: () => ({}),
    });
    const written: string[] = [];
    const handle = async ({ about }: { about: string }) => void written.push(about);
    const worker = openQueueWorker(fixture.place, digestQueue, handle, testLog());
    const client = openQueueClient({ place: fixture.place, log: testLog() });
    await eventually(() => expect(client.isReady()).to.equal(true));
    await client.add(digestQueue, { about: 'job' });
    await eventually(() => expect(written).to.include.members(['job', 'schedule']));
    await worker.close();
    await client.close();

    const user = await findOrCreateUser(fixture.db, 'operator@example.com', new Date());
    await setAdmin(fixture.db, user, true, new Date());
    const session = await startSession(fixture.db, user.id, new Date());
    const answer = await fetch(`${fixture.url}/admin/board/api/queues?page=1&jobsPerPage=10`, {
      headers: { Cookie: `__Host-qrelay-visitor=known; __Host-qrelay-session=${session}` },
    });
    const board = (await answer.json()) as { queues: { name: string }[] };
    const all = [...allQueues.filter(({ name }) => name !== scanQueue.name), ...scanQueues(queueCount)];
    expect(board.queues.map(({ name }) => name)).to.have.members(all.map(({ name }) => name));
  });

  it('is described by the doctor, and queues beyond a lower SCAN_QUEUES are drained', async () => {
    const settings = {
      DATABASE_URL: fixture.databaseUrl,
      REDIS_URL: cluster.url,
      DATA_DIR: fixture.dataDir,
      SCAN_QUEUES: '6',
    };
    const fine = await runQrelay(['doctor'], settings);
    expect(fine.stdout).to.include('SCAN_QUEUES=6: scans are on 3 of 3 primaries');
    expect(fine.stdout).to.include('scans-6: 1 worker connected').and.not.include('for-servers');
    expect((await runQrelay(['queue', 'failed'], settings)).stderr).to.include('There are no failed jobs.');
    const single = { ...settings, REDIS_URL: cluster.url.replace('+cluster', '').replace(/,.*$/, '') };
    expect((await runQrelay(['doctor'], { ...single, SCAN_QUEUES: '1' })).stdout).to.include(
      'Start REDIS_URL with redis+cluster://',
    );

    // The worker of six queues ends; jobs are left in all of them, and a worker of one queue starts.
    for (const worker of fixture.workers) await worker.end('SIGTERM');
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    const { redirects } = await load.stop();
    const lower = await runQrelay(['doctor'], { ...settings, SCAN_QUEUES: '1' });
    expect(lower.stdout).to.match(/scans-6: \d+ jobs? pending/);
    await fixture.addWorker({ SCAN_QUEUES: '1' });
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    expect((await runQrelay(['doctor'], { ...settings, SCAN_QUEUES: '1' })).stdout).to.not.include('scans-6');
  });
});
