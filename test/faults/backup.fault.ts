import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { endSession, findSessionUser, startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { connectToQueues, waitUntilReady } from '../../src/queue/queue-connection.ts';
import { type ScanJob, listScans } from '../../src/queue/scan-jobs.ts';
import { isBundle } from '../../src/queue/scan-bundles.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { embeddedFiles } from '../../src/store/embedded/cluster.ts';
import { apiClient } from '../support/api-client.ts';
import { type DebianPostgres, findDebianPostgres } from '../support/debian-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { signalTree } from '../support/process-tree.ts';
import { runQrelay } from '../support/programs.ts';
import { type SharedCode, createCode, openShare } from '../support/share.ts';
import { asSuperuser } from '../support/standby.ts';
import { testLog } from '../support/test-log.ts';
import { type SteadyLoad, startLoad } from './steady-load.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const perSecond = 100;

describe('Backup and restore, as docs/operations/backup.md describes it', function () {
  this.timeout(300_000);
  let postgres: DebianPostgres;
  let fixture: Fixture;
  let folder: string;
  let load: SteadyLoad | undefined;

  beforeEach(async function () {
    const found = findDebianPostgres();
    if (!found) return this.skip();
    postgres = found;
    folder = await mkdtemp(join(tmpdir(), 'qrelay-backup-'));
    // PostgreSQL runs as another user when the tests run as root.
    await chmod(folder, 0o777);
    fixture = await startFixture({
      postgres: {
        binaries: found.binaries,
        settings: [
          'archive_mode=on',
          'archive_timeout=60',
          `archive_command=mkdir -p ${folder}/archive && test ! -f ${folder}/archive/%f && cp %p ${folder}/archive/%f`,
        ],
      },
    });
    await superuser('GRANT pg_monitor TO qrelay');
  });
  afterEach(async () => {
    await load?.stop();
    load = undefined;
    await fixture?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const superuser = (...statements: string[]) =>
    asSuperuser(fixture.postgres.superuserUrl, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const value = async <Value>(sql: string) => {
    const { rows } = (await fixture.db.raw(`SELECT ${sql} AS value`)) as { rows: [{ value: Value }] };
    return rows[0].value;
  };
  const recorded = ({ id }: SharedCode) =>
    value<number>(`(SELECT count(*) FROM scans WHERE qr_code_id = '${id}')`);
  const worker = () => fixture.workers[0] as Fixture['workers'][number];
  const env = () => ({
    DATABASE_URL: fixture.databaseUrl,
    REDIS_URL: fixture.place.redisUrl ?? '',
    DATA_DIR: fixture.dataDir,
  });
  async function tool(program: string, ...args: string[]): Promise<void> {
    const { code, stderr } = await postgres.run(program, args);
    expect(code, `${program}: ${stderr}`).to.equal(0);
  }
  const baseBackup = (name: string) =>
    tool('pg_basebackup', '-d', fixture.postgres.superuserUrl, '-D', join(folder, name), '-c', 'fast');

  async function backupCheck(settings = env()): Promise<Record<Finding['state'], string[]>> {
    const { stdout } = await runQrelay(['backup', 'check', '--json'], settings);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const of = (state: Finding['state']) =>
      findings.filter((one) => one.state === state).map(({ subject, finding }) => `${subject}: ${finding}`);
    return { ok: of('ok'), warning: of('warning'), failure: of('failure') };
  }
  async function expectCountersCorrect(settings = env()): Promise<void> {
    const { code, stdout } = await runQrelay(['counters', 'verify'], settings);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
  }

  async function withQueue<Value>(
    work: (queue: ReturnType<typeof openQueueClient>) => Promise<Value>,
  ): Promise<Value> {
    const queue = openQueueClient({ place: fixture.place, log: testLog() });
    try {
      await waitUntilReady(queue);
      return await work(queue);
    } finally {
      await queue.close();
    }
  }
  async function waitingJobs(): Promise<ScanJob[]> {
    const connection = connectToQueues(fixture.place, testLog());
    try {
      await waitUntilReady(connection);
      const jobs = await connection.queue(scanQueue).getJobs(['wait', 'delayed'], 0, 9_999, true);
      const bundles = connection.bundles(scanQueue);
      const batches = jobs.map(async ({ data }) => (isBundle(data) ? bundles.take(data.bundle) : [data]));
      return (await Promise.all(batches)).flat();
    } finally {
      await connection.close();
    }
  }
  const recordedIds = async ({ id }: SharedCode) =>
    new Set(await fixture.db('scans').where({ qr_code_id: id }).pluck<string[]>('id'));
  /** Once the worker has ended, what it has not recorded is in Redis. */
  async function pauseWorker(code: SharedCode): Promise<Set<string>> {
    expect(await worker().end('SIGTERM')).to.equal(0);
    return recordedIds(code);
  }
  const recordMore = async (code: SharedCode, scans: number) => {
    const before = await recorded(code);
    await eventually(async () => expect(await recorded(code)).to.be.above(before + scans), 30_000);
  };
  async function archiveEverything(): Promise<void> {
    let file = '';
    await asSuperuser(fixture.postgres.superuserUrl, async (client) => {
      const { rows } = await client.query<{ file: string }>(
        'SELECT pg_walfile_name(pg_switch_wal()) AS file',
      );
      file = rows[0]?.file ?? '';
    });
    await eventually(async () =>
      expect((await value<string>('(SELECT last_archived_wal FROM pg_stat_archiver)')) >= file).to.equal(
        true,
      ),
    );
  }

  /** What the page says under "Restore". */
  async function restore(base: string, targetTime: string): Promise<void> {
    const { cluster } = embeddedFiles(fixture.dataDir);
    const { uid, gid } = await stat(join(folder, 'archive'));
    expect(spawnSync('cp', ['-a', join(folder, base), cluster]).status).to.equal(0);
    await appendFile(
      join(cluster, 'postgresql.auto.conf'),
      [
        `restore_command = 'cp ${folder}/archive/%f %p'`,
        `recovery_target_time = '${targetTime}'`,
        "recovery_target_action = 'promote'",
        '',
      ].join('\n'),
    );
    await writeFile(join(cluster, 'recovery.signal'), '');
    expect(spawnSync('chown', ['-R', `${uid}:${gid}`, cluster]).status).to.equal(0);
    await fixture.postgres.restart();
    await eventually(async () => expect(await value<boolean>('pg_is_in_recovery()')).to.equal(false), 30_000);
  }

  it('to a point in time, beside a live Redis: what was still queued or spooled is recorded, nothing twice', async () => {
    const key = await fixture.makeKey();
    const api = apiClient(fixture.url, key);
    const [kept, doomed] = [await createCode(api), await createCode(api)];
    const owner = await findOrCreateUser(fixture.db, 'rig@example.com', new Date());
    const session = await startSession(fixture.db, owner.id, new Date());
    const revoked = await createApiKey(fixture.db, ownWorkspaceId(owner), 'revoked later', new Date());
    expect((await openShare(fixture.url, doomed.shareToken)).status).to.equal(302);

    load = startLoad(fixture.addresses(kept), perSecond);
    await recordMore(kept, 100);
    await baseBackup('base');
    // Jobs that are recorded before the point in time, and delivered again after it.
    await pauseWorker(kept);
    const again = await eventually(async () => {
      const jobs = await waitingJobs();
      expect(jobs.length).to.be.above(20);
      return jobs;
    });
    await worker().restart();
    const idsAgain = again.flatMap((job) => listScans(job).map(([scanId]) => scanId));
    await eventually(async () => expect([...(await recordedIds(kept))]).to.include.members(idsAgain), 30_000);
    const recordedThen = await pauseWorker(kept);
    const targetTime = await value<string>('clock_timestamp()::text');

    // After it: scans are recorded, a code is deleted, another one created, a key revoked, a session ended.
    await worker().restart();
    await recordMore(kept, 200);
    await api(`/qrcodes/${doomed.id}`, { method: 'DELETE' });
    const late = await createCode(api);
    expect((await openShare(fixture.url, late.shareToken)).status).to.equal(302);
    await fixture.db('api_keys').where({ name: 'revoked later' }).update({ revoked_at: new Date() });
    await endSession(fixture.db, session);
    await eventually(async () => expect(await recorded(late)).to.equal(1));
    const recordedLast = await pauseWorker(kept);
    expect(recordedLast.size).to.be.above(recordedThen.size + 200);
    for (let scans = 0; scans < 5; scans += 1) await openShare(fixture.url, late.shareToken);
    await archiveEverything();

    // The disaster: the data folder is gone, and Redis is away for a moment, so that there is a spool as well.
    signalTree(fixture.postgres.process.pid ?? 0, 'SIGKILL');
    await rm(embeddedFiles(fixture.dataDir).cluster, { recursive: true, maxRetries: 10 });
    await fixture.redis().stop();
    await eventually(async () =>
      expect(await readdir(join(fixture.dataDir, 'spool'))).to.have.length.above(0),
    );
    await restore('base', targetTime);
    expect(await recordedIds(kept)).to.deep.equal(recordedThen);
    await fixture.startRedis();
    const before = await eventually(async () => {
      const found = await backupCheck();
      expect(found.warning.join('\n')).to.include('that the database does not have: workers discard them');
      return found;
    }, 30_000);
    expect(before.failure).to.deep.equal([]);
    expect(before.warning.join('\n')).to.include('No base backup was taken from this server');

    await withQueue(async (queue) => {
      for (const job of again) await queue.add(scanQueue, job);
    });
    await worker().restart();
    const { redirects, faults } = await load.stop();
    load = undefined;
    expect(faults).to.deep.equal({});
    const unrecorded = redirects - recordedLast.size;
    await fixture.countedScans(kept, recordedThen.size + unrecorded);
    await expectCountersCorrect();
    const ids = await recordedIds(kept);
    const fresh = [...ids].filter((scanId) => !recordedLast.has(scanId));
    expect(fresh, 'scans that were in Redis or the spool').to.have.length(unrecorded);
    expect([...ids]).to.include.members([...recordedThen]);
    // The acknowledgment of a few jobs may have come too late for the queue: these are recorded again.
    const redelivered = ids.size - recordedThen.size - fresh.length;
    const taken = (await fixture.figures()).workers[0];
    const outcome = (name: string) => taken?.get('qrelay_scans_recorded_total', { outcome: name });
    expect(outcome('recorded')).to.equal(unrecorded + redelivered);
    expect(outcome('delivered_before')).to.be.at.least(idsAgain.length);
    expect(outcome('code_deleted')).to.equal(5);

    // What was undone with the time after it.
    await eventually(
      async () => expect((await openShare(fixture.url, late.shareToken)).status).to.equal(404),
      20_000,
    );
    expect((await api(`/qrcodes/${doomed.id}`)).status).to.equal(200);
    expect(await recorded(doomed)).to.equal(1);
    expect((await apiClient(fixture.url, revoked)('/qrcodes')).status).to.equal(200);
    expect(await findSessionUser(fixture.db, session, new Date())).to.include({ id: owner.id });

    // Archived WAL of the new timeline needs a new base backup.
    await baseBackup('base-after');
    await archiveEverything();
    const after = await backupCheck();
    expect({ warning: after.warning, failure: after.failure }).to.deep.equal({ warning: [], failure: [] });
    console.log(
      `      ${redirects} redirects: ${recordedThen.size} restored, ${unrecorded} recorded from Redis and spool, ${redirects - ids.size} recorded after the point in time and lost, ${redelivered} of that time delivered again`,
    );
  });

  it('from a dump that was taken while scans arrived: the counters agree with the scans', async () => {
    const code = await fixture.makeCode();
    load = startLoad(fixture.addresses(code), perSecond);
    await recordMore(code, 100);
    const { href } = new URL(fixture.databaseUrl);
    await tool('pg_dump', '-Fc', '-d', href, '-f', join(folder, 'dump'));
    const atMost = await recorded(code);
    await recordMore(code, 100);
    await superuser('CREATE DATABASE restored OWNER qrelay');
    const restored = Object.assign(new URL(fixture.databaseUrl), { pathname: '/restored' }).href;
    await tool('pg_restore', '--no-owner', '-d', restored, join(folder, 'dump'));
    await load.stop();
    load = undefined;
    const settings = { ...env(), DATABASE_URL: restored };
    await expectCountersCorrect(settings);
    const { failure, ok } = await backupCheck(settings);
    expect(failure).to.deep.equal([]);
    expect(ok).to.include('data: All sequences are ahead of their tables.');
    const there = await postgres.run('psql', ['-XAtc', 'SELECT count(*) FROM scans', restored]);
    expect(Number(there.stdout)).to.be.within(100, atMost);
  });

  it('of a Redis that lost everything: as many scans are missing as the metrics say', async () => {
    const code = await fixture.makeCode();
    for (let scans = 0; scans < 20; scans += 1) await openShare(fixture.url, code.shareToken);
    expect(await fixture.countedScans(code, 20)).to.equal(20);
    await pauseWorker(code);
    for (let scans = 0; scans < 50; scans += 1) await openShare(fixture.url, code.shareToken);
    await fixture.redis().stop();
    for (const name of ['appendonlydir', 'appendonly.aof'])
      await rm(join(fixture.dataDir, '..', name), { recursive: true, force: true });
    await fixture.startRedis();
    await worker().restart();
    for (let scans = 0; scans < 30; scans += 1) await openShare(fixture.url, code.shareToken);
    expect(await fixture.countedScans(code, 50)).to.equal(50);
    const { web, workers } = await fixture.figures();
    const counted = web[0]?.get('qrelay_share_answers_total', { outcome: 'counted' }) ?? 0;
    const sinceRestart = workers[0]?.get('qrelay_scans_recorded_total', { outcome: 'recorded' }) ?? 0;
    expect(counted - 20 - sinceRestart).to.equal(50);
  });
});
