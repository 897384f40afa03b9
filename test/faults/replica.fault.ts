import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { signalTree } from '../support/process-tree.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';
import { asSuperuser } from '../support/standby.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';
import { ownWorkspaceId, setPlan, type WorkspaceId } from '../../src/workspaces/workspace.ts';

/** Below the quota of a key. */
const callsPerKey = 80;

describe('A replica fails while it is read', function () {
  this.timeout(300_000);
  let fixture: Fixture;
  let code: SharedCode;
  let ports: string[];
  let ownerId: string;

  beforeEach(async () => {
    fixture = await startFixture({ webs: 2, standby: 'asynchronous', readsReplica: true });
    const owner = await findOrCreateUser(fixture.db, 'reader@example.com', new Date());
    await setPlan(fixture.db, ownWorkspaceId(owner), 'pro');
    ownerId = owner.id;
    const [first] = await clients();
    code = await createCode(first as ApiClient);
    ports = fixture.addresses(code).map((address) => new URL(address).origin);
    for (let scans = 0; scans < 3; scans += 1) await openShare(ports[0] ?? '', code.shareToken);
    await eventually(async () => expect(await fixture.countedScans(code, 3)).to.equal(3));
    await waitUntilUsed();
  });
  afterEach(() => fixture?.stop());

  const standbyPid = () => fixture.standby().server.process.pid ?? 0;
  const onStandby = (statement: string) =>
    asSuperuser(fixture.standby().server.superuserUrl, async (client) => {
      await client.query(statement);
    });
  /** A client of each web process, with one key. */
  async function clients(): Promise<ApiClient[]> {
    const key = await createApiKey(fixture.db, ownerId as WorkspaceId, 'test', new Date());
    return fixture
      .addresses({ shareToken: 'any' } as SharedCode)
      .map((address) => apiClient(new URL(address).origin, key));
  }
  const figure = async (name: string, labels: Record<string, string>) =>
    (await fixture.figures()).web.map((figures) => figures.get(name, labels) ?? 0);
  const waitUntilUsed = () =>
    eventually(async () =>
      expect(await figure('qrelay_replicas', { state: 'usable' })).to.deep.equal([1, 1]),
    );
  const served = async (by: string) =>
    (await figure('qrelay_reads_total', { served_by: by })).reduce((sum, count) => sum + count, 0);

  /** Reads analytics at both web processes, one after the other, until stopped. */
  function startReading() {
    const result = { reads: 0, slowestMs: 0, wrong: [] as unknown[] };
    let isStopped = false;
    async function read(): Promise<void> {
      let [pair, calls] = [await clients(), 0];
      while (!isStopped) {
        if ((calls += 1) % callsPerKey === 0) pair = await clients();
        const startedAt = performance.now();
        const { status, body } = await (pair[calls % 2] as ApiClient)(`/qrcodes/${code.id}/analytics`);
        result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
        result.reads += 1;
        if (status !== 200 || body.totalScans !== 3) result.wrong.push({ status, body });
      }
    }
    const reading = read();
    return {
      result,
      async stop() {
        isStopped = true;
        await reading;
        return result;
      },
    };
  }

  it('killed and restarted: every read gets a response, from the primary meanwhile, and then from the replica again', async () => {
    const reading = startReading();
    await eventually(() => expect(reading.result.reads).to.be.above(20));
    signalTree(standbyPid(), 'SIGKILL');
    await eventually(async () =>
      expect(await figure('qrelay_replicas', { state: 'unreachable' })).to.deep.equal([1, 1]),
    );
    const { reads } = reading.result;
    await eventually(() => expect(reading.result.reads).to.be.above(reads + 20));
    const { wrong, slowestMs } = await reading.stop();
    expect(wrong).to.deep.equal([]);
    expect(slowestMs).to.be.below(3_000);
    await eventually(() => fixture.standby().server.restart(), 20_000);
    await waitUntilUsed();
    const before = await served('replica');
    const again = startReading();
    await eventually(() => expect(again.result.reads).to.be.above(5));
    const last = await again.stop();
    expect(last.wrong).to.deep.equal([]);
    expect(await served('replica')).to.be.at.least(before + last.reads - 1);
  });

  it('stopped without a word: every read gets a response, the slowest within 3 s, and it is used again afterwards', async () => {
    const reading = startReading();
    await eventually(() => expect(reading.result.reads).to.be.above(20));
    signalTree(standbyPid(), 'SIGSTOP');
    await eventually(async () =>
      expect(await figure('qrelay_replicas', { state: 'unreachable' })).to.deep.equal([1, 1]),
    );
    const { reads } = reading.result;
    await eventually(() => expect(reading.result.reads).to.be.above(reads + 20));
    const { wrong, slowestMs } = await reading.stop();
    expect(wrong).to.deep.equal([]);
    expect(slowestMs).to.be.below(3_000);
    console.log(`      slowest read ${Math.round(slowestMs)} ms`);
    signalTree(standbyPid(), 'SIGCONT');
    await waitUntilUsed();
  });

  it('shows owners their changes at every web process, although replay is paused', async () => {
    const [here, elsewhere] = (await clients()) as [ApiClient, ApiClient];
    const names = async () =>
      (await elsewhere('/qrcodes')).body.data.map(({ name }: { name: string }) => name) as string[];
    await onStandby('SELECT pg_wal_replay_pause()');
    const { id } = await createCode(here, { name: 'Made' });
    expect(await names()).to.include('Made');
    await here(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    expect(await names()).to.include('Renamed');
    await here(`/qrcodes/${id}`, { method: 'DELETE' });
    expect(await names()).to.not.include('Renamed');
    expect(await served('primary_after_change')).to.be.at.least(1);
  });
});

describe('The primary fails, and both servers are in DATABASE_URL and DATABASE_REPLICA_URL', function () {
  this.timeout(300_000);
  let fixture: Fixture;

  afterEach(() => fixture?.stop());

  for (const [signal, queue] of [
    ['SIGKILL', 'redis'],
    ['SIGKILL', 'postgres'],
    ['SIGSTOP', 'redis'],
  ] as const) {
    it(`${signal} and the standby promoted: recorded within 10 s, nothing is lost (queue on ${queue})`, async () => {
      fixture = await startFixture({ standby: 'synchronous', readsReplica: true, queue });
      const code = await fixture.makeCode();
      const load = startLoad(fixture.addresses(code), 100);
      await eventually(() => expect(load.result.redirects).to.be.above(100));
      const recorded = async () =>
        Number(
          (await fixture.db('scans').where({ qr_code_id: code.id }).count({ count: '*' }).first())?.['count'],
        );
      await eventually(async () => expect(await recorded()).to.be.above(50));
      signalTree(fixture.postgres.process.pid ?? 0, signal);
      await fixture.standby().promote();
      const promotedAt = performance.now();
      const before = await eventually(recorded, 10_000);
      await eventually(
        async () => expect(await recorded()).to.be.above(before + 100),
        10_000 - (performance.now() - promotedAt),
      );
      console.log(`      recorded again after ${Math.round(performance.now() - promotedAt)} ms`);
      // The only server left is the primary, and serves the reads.
      const api = apiClient(fixture.url, await fixture.makeKey());
      expect((await api(`/qrcodes/${code.id}/analytics`)).status).to.equal(200);
      const { redirects, faults } = await load.stop();
      expect(faults).to.deep.equal({});
      expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
      await expectFiguresToAddUp(fixture, redirects, { mayLoseAnswers: true });
    });
  }
});
