import { expect } from 'chai';
import { Scan } from '../../src/scans/scan.ts';
import { startSession } from '../../src/accounts/sessions.ts';
import { createWebMetrics } from '../../src/telemetry/web-metrics.ts';
import { createLiveScans } from '../../src/web/codes/detail/live-scans.tsx';
import { formClient } from '../support/form-client.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createRecentChanges } from '../../src/codes/codes.ts';
import { AppError } from '../../src/errors.ts';
import { checkReplicas } from '../../src/doctor/postgres-servers.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { freePort } from '../support/free-port.ts';
import { sqlState } from '../../src/store/database.ts';
import { createReads, type Reads } from '../../src/store/reads.ts';
import { type ReadServer, readServers } from '../../src/telemetry/web-metrics.ts';
import { monitorReplicas, type Replicas } from '../../src/store/replicas.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { scanRow } from '../support/scan-rows.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { asSuperuser } from '../support/standby.ts';
import { testLog } from '../support/test-log.ts';

const email = 'reader@example.com';

describe('DATABASE_REPLICA_URL', function () {
  this.timeout(120_000);
  let postgres: ReplicatedPostgres;
  let service: TestService;
  const metrics = createWebMetrics();
  let api: ApiClient;
  let ownerId: string;

  before(async () => {
    postgres = await startReplicatedPostgres();
    const { url: databaseUrl } = postgres.primary;
    service = await startService({
      databaseUrl,
      config: { databaseUrl, databaseReplicaUrl: postgres.standby.server.url },
      metrics,
    });
    ownerId = (await findOrCreateUser(service.db, email, new Date())).id;
  });
  after(async () => {
    await service?.stop();
    await postgres?.stop();
  });
  beforeEach(async () => {
    // Each test has its own quota of requests.
    api = apiClient(service.url, await service.makeKey({ email }));
    await waitUntilUsed();
  });
  afterEach(async () => {
    signalTree(postgres.standby.server.process.pid ?? 0, 'SIGCONT');
    await onStandby('SELECT pg_wal_replay_resume()');
  });

  const monitor = (replicaUrl: string) =>
    monitorReplicas({ databaseUrl: postgres.primary.url, replicaUrl, poolSize: 2, log: testLog() });
  const recentChanges = () => createRecentChanges(service.db);
  function readsOf(replicaUrl: string) {
    const replicas = monitor(replicaUrl);
    const tally = Object.fromEntries(readServers.map((name) => [name, 0])) as Record<ReadServer, number>;
    const errors: unknown[] = [];
    const reads = createReads({
      db: service.db,
      replicas,
      recentChanges: recentChanges(),
      served: tally,
      onError: (error) => errors.push(error),
    });
    return { reads, replicas, tally, errors };
  }
  const onStandby = (statement: string) =>
    asSuperuser(postgres.standby.server.superuserUrl, async (client) => {
      await client.query(statement);
    });
  const figure = async (name: string, labels: Record<string, string> = {}) => {
    const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.find((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
      ?.value;
  };
  const served = async (by: string) => (await figure('qrelay_reads_total', { served_by: by })) ?? 0;
  const stateOf = async (state: string) => figure('qrelay_replicas', { state });
  const waitUntilUsed = () => eventually(async () => expect(await stateOf('usable')).to.equal(1));
  const scan = (id: string) => Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
  /** Records a scan that the replica lacks, and returns how many there are. Repeated where the replica got too far behind. */
  const scanWhilePaused = (id: string, check: (scansBefore: number) => Promise<unknown>) =>
    eventually(async () => {
      await onStandby('SELECT pg_wal_replay_resume()');
      await waitUntilUsed();
      await onStandby('SELECT pg_wal_replay_pause()');
      const scans = (await service.db('scans').where({ qr_code_id: id })).length;
      await scan(id);
      // Nothing but the replica can answer without the last one.
      await check(scans);
      return scans + 1;
    });
  const totalOf = async (id: string) => (await api(`/qrcodes/${id}/analytics`)).body.totalScans as number;
  const scansOf = async (id: string) => (await api(`/qrcodes/${id}/scans`)).body.data.length as number;
  const listedScans = async () => (await api('/qrcodes')).body.data[0].scanCount as number;
  const listedNames = async () =>
    (await api('/qrcodes')).body.data.map(({ name }: { name: string }) => name) as string[];

  it('serves analytics, raw scans and lists from the replica, and from the primary once it is 2 s behind', async () => {
    const { id } = await createCode(api);
    // The list of an account that has just changed a code is read on the primary.
    await eventually(async () => expect(await recentChanges().has(ownerId)).to.equal(false));
    const counts = () => Promise.all([listedScans(), totalOf(id), scansOf(id)]);
    const scans = await scanWhilePaused(id, async (before) =>
      expect(await counts()).to.deep.equal([before, before, before]),
    );
    await eventually(async () => expect(await stateOf('lagging')).to.equal(1));
    expect(await counts()).to.deep.equal([scans, scans, scans]);
    expect(await figure('qrelay_replica_lag_seconds')).to.be.at.least(2);

    await onStandby('SELECT pg_wal_replay_resume()');
    await waitUntilUsed();
    const before = await served('replica');
    expect(await totalOf(id)).to.equal(scans);
    expect(await served('replica')).to.equal(before + 1);
  });

  it('shows owners each of their changes in the next list, although the replica lacks it', async () => {
    await onStandby('SELECT pg_wal_replay_pause()');
    const before = await served('replica');
    // As if the last change were longer ago: each of them has to be remembered.
    const expireMark = () =>
      service.db('workspaces').where({ id: ownerId }).update({ codes_changed_at: null });
    await expireMark();
    const { id } = await createCode(api, { name: 'Made' });
    expect(await listedNames()).to.include('Made');
    await expireMark();
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    expect(await listedNames())
      .to.include('Renamed')
      .and.not.include('Made');
    expect((await api(`/qrcodes/${id}`)).body.name).to.equal('Renamed');
    await expireMark();
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    expect(await listedNames()).to.not.include('Renamed');
    expect((await api(`/qrcodes/${id}/analytics`)).status).to.equal(404);
    expect(await served('replica')).to.equal(before);
  });

  it('serves CSV from the replica, and the list on the page from the primary after a form was accepted', async () => {
    const { id } = await createCode(api);
    await eventually(async () => expect(await recentChanges().has(ownerId)).to.equal(false));
    const browser = formClient(service.url);
    browser.cookies.set('__Host-qrelay-session', await startSession(service.db, ownerId, new Date()));
    const csvLines = async () =>
      (await (await browser.get(`/codes/${id}/scans.csv`)).text()).trim().split('\r\n').length;
    await scanWhilePaused(id, async (scans) => expect(await csvLines()).to.equal(scans + 1));
    // Brings the token of its forms.
    await browser.get('/codes');
    const before = await served('replica');
    const accepted = await browser.post(`/codes/${id}/favorite`, { isFavorite: 'true', back: '/codes' });
    expect(accepted.status).to.equal(303);
    const list = await (await browser.get('/codes')).text();
    expect(list).to.include(`action="/codes/${id}/favorite"`).and.include('name="isFavorite" value="false"');
    expect(await served('replica')).to.equal(before);
  });

  it('lets the live totals of a page never fall behind what was sent', async () => {
    const { id } = await createCode(api);
    await waitUntilUsed();
    const { reads, replicas } = readsOf(postgres.standby.server.url);
    await eventually(() => expect(replicas.pick(id)?.state()).to.equal('usable'));
    await onStandby('SELECT pg_wal_replay_pause()');
    await scan(id);
    const sent: number[] = [];
    let polls = 0;
    const counted: Reads = {
      ...reads,
      scans(codeId, work) {
        polls += 1;
        return reads.scans(codeId, work);
      },
    };
    const live = createLiveScans({ db: service.db, reads: counted }, () => new Date());
    const unwatch = live.watch(id, { send: ({ ever }) => sent.push(ever), end: () => sent.push(-1) });
    try {
      // The first is of the primary, and the replica does not have that scan.
      await eventually(() => expect(polls).to.be.at.least(2));
      await scan(id);
      await eventually(() => expect(sent.at(-1)).to.equal(2));
      expect(sent).to.deep.equal([1, 2]);
    } finally {
      unwatch();
      await replicas.close();
    }
  });

  it('is not behind while the primary is idle', async () => {
    const position = async () => {
      const { rows } = (await service.db.raw('SELECT pg_current_wal_lsn()::text AS lsn')) as {
        rows: [{ lsn: string }];
      };
      return rows[0].lsn;
    };
    await eventually(async () => {
      const before = await position();
      const idleSince = performance.now();
      await eventually(() => expect(performance.now() - idleSince).to.be.above(2_500));
      expect(await figure('qrelay_replica_lag_seconds')).to.be.below(2);
      expect(await stateOf('usable')).to.equal(1);
      expect(await position()).to.equal(before);
    });
  });

  it('repeats a read on the primary within 3 s when the replica hangs, and returns to it [timed]', async () => {
    const { id } = await createCode(api);
    await scan(id);
    await waitUntilUsed();
    const retried = await served('primary_after_error');
    signalTree(postgres.standby.server.process.pid ?? 0, 'SIGSTOP');
    const startedAt = performance.now();
    expect(await totalOf(id)).to.equal(1);
    expect(performance.now() - startedAt).to.be.below(3_000);
    expect(await served('primary_after_error')).to.equal(retried + 1);
    await eventually(async () => expect(await stateOf('unreachable')).to.equal(1));
    const atOnce = performance.now();
    expect(await totalOf(id)).to.equal(1);
    expect(performance.now() - atOnce).to.be.below(500);

    signalTree(postgres.standby.server.process.pid ?? 0, 'SIGCONT');
    await waitUntilUsed();
    const before = await served('replica');
    expect(await totalOf(id)).to.equal(1);
    expect(await served('replica')).to.equal(before + 1);
  });

  it('is not used where it is the primary itself or a server of another cluster; other hosts are', async () => {
    const own = monitor(postgres.url);
    const foreign = monitor(servers().postgres.url);
    const states = ({ list }: Replicas) => list.map((replica) => replica.state());
    try {
      await eventually(() => {
        expect(states(own)).to.deep.equal(['usable', 'primary']);
        expect(states(foreign)).to.deep.equal(['foreign']);
      });
      for (const id of ['a', 'b', 'c', 'd']) expect(own.pick(id)).to.equal(own.list[0]);
      expect(foreign.pick('a')).to.equal(undefined);
    } finally {
      await own.close();
      await foreign.close();
    }
  });

  it('is checked by the doctor: what it is, and how far behind', async () => {
    const { url } = postgres.primary;
    const states = (findings: Finding[]) => findings.map(({ state }) => state);
    const both = await checkReplicas(url, postgres.url);
    expect(states(both)).to.deep.equal(['ok', 'warning']);
    const name = `Replica 127.0.0.1:${postgres.standby.port}/qrelay`;
    expect(both[0]?.finding).to.match(
      new RegExp(`^${name} follows the primary and is at most \\d+ ms behind\\.$`),
    );
    expect(both[1]?.finding).to.include('is the primary itself');
    const [foreign] = await checkReplicas(url, servers().postgres.url);
    expect(foreign).to.include({ state: 'failure' });
    expect(foreign?.finding).to.include('is not a replica of this primary');
    const [absent] = await checkReplicas(
      url,
      `postgres://qrelay:hidden-word@127.0.0.1:${await freePort()}/qrelay`,
    );
    expect(absent?.finding).to.match(/cannot be reached \(ECONNREFUSED\): reads go to the primary\.$/);
    const [refused] = await checkReplicas(
      url,
      postgres.standby.server.url.replace(/:[^:@]+@/, ':hidden-word@'),
    );
    expect(refused).to.include({ state: 'failure' });
    expect(JSON.stringify([absent, refused])).to.not.include('hidden-word');
    await onStandby('SELECT pg_wal_replay_pause()');
    await createCode(api);
    const [behind] = await checkReplicas(url, postgres.standby.server.url);
    expect(behind?.finding).to.equal(
      `${name} is more than 2 s behind the primary: it is not read until it has caught up.`,
    );
  });

  it('repeats a read on the primary that fails on the replica, and passes on the errors of a request', async () => {
    const { reads, replicas, tally, errors } = readsOf(postgres.standby.server.url);
    try {
      await eventually(() => expect(replicas.pick('')?.state()).to.equal('usable'));
      const { rows } = await reads.scans('', async (db) =>
        db.raw('SELECT 1 / (1 - pg_is_in_recovery()::int) AS one'),
      );
      expect(rows).to.deep.equal([{ one: 1 }]);
      expect(errors.map(sqlState)).to.deep.equal(['22012']);
      const absent = new AppError('not_found', 'There is no such QR code.');
      expect(await reads.scans('', () => Promise.reject(absent)).catch((error: unknown) => error)).to.equal(
        absent,
      );
      expect(tally).to.include({ primary_after_error: 1, replica: 0 });
    } finally {
      await replicas.close();
    }
  });
});
