import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnrecoverableError } from 'bullmq';
import { expect } from 'chai';
import { checkNewestCounters } from '../../src/doctor/backup.ts';
import { checkIdleTransactions, checkPartitions } from '../../src/doctor/postgres.ts';
import { runChecks } from '../../src/doctor/checks.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { createPartitions, listPartitions } from '../../src/scans/partitions.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { applicationName } from '../../src/store/pool-sizes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';
import { goodConfig } from './setup.ts';

describe('The doctor finds in PostgreSQL', () => {
  let service: TestService;
  let db: Database;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-doctor-database-'));
    service = await startService();
    db = openDatabase(service.databaseUrl, { poolMax: 1, applicationName: 'test', serverTimeouts: false });
  });
  after(async () => {
    await db?.destroy();
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  const open = (name: string) =>
    openDatabase(service.databaseUrl, { poolMax: 1, applicationName: name, serverTimeouts: false });

  it('a session that is idle in a transaction, and how to end it', async () => {
    expect(await checkIdleTransactions(db, 0)).to.include({ state: 'ok' });
    const forgetful = open('forgotten psql');
    const transaction = await forgetful.transaction();
    const { rows } = (await transaction.raw('SELECT pg_backend_pid() AS pid')) as { rows: [{ pid: number }] };
    const [{ pid }] = rows;
    const found = await eventually(async () => {
      const finding = await checkIdleTransactions(db, 0);
      expect(finding.state).to.equal('warning');
      return finding;
    });
    expect(found.finding).to.match(
      new RegExp(`^Session ${pid} \\("forgotten psql"\\) has been idle in a transaction for \\d seconds?: `),
    );
    expect(found.remedy).to.include(`SELECT pg_terminate_backend(${pid})`);
    // Only those that have been for a minute are worth a warning.
    expect(await checkIdleTransactions(db)).to.include({ state: 'ok' });
    await db.raw('SELECT pg_terminate_backend(?)', [pid]);
    await eventually(async () => expect(await checkIdleTransactions(db, 0)).to.include({ state: 'ok' }));
    await transaction.rollback().catch(() => undefined);
    await forgetful.destroy();
  });

  it('counters that differ from the recorded scans, and how to correct them', async () => {
    const { id } = await createCode(apiClient(service.url, await service.makeKey()));
    const now = Date.now();
    expect((await checkNewestCounters(db)).finding).to.equal('There are no counters to compare.');
    const rows = [0, 1, 2].map((minutes) => scanRow(id, new Date(now - minutes * 60_000).toISOString()));
    await createScanRecorder(service.db)(rows);
    const agreeing = await checkNewestCounters(db);
    expect(agreeing).to.include({ subject: 'queue', state: 'ok' });
    expect(agreeing.finding).to.match(
      /^The counters agree with the scans in a sample of 1 code and \d days?\./,
    );
    await service.db('scan_counters').where({ qr_code_id: id, dimension: 'total' }).increment('count', 1);
    const found = await checkNewestCounters(db);
    expect(found).to.include({ subject: 'queue', state: 'warning' });
    expect(found.finding).to.match(
      /^\d counters? differs? from the scans in a sample of .*: analytics are wrong\.$/,
    );
    expect(found.remedy).to.include('`qrelay counters rebuild`');
  });

  it('a month without a partition between others', async () => {
    const own = await createTestDatabase();
    const ownDb = openDatabase(own.url, { poolMax: 2, applicationName: 'test' });
    try {
      // Test databases have one partition for all of the future.
      const [oldest, future] = await listPartitions(ownDb);
      await ownDb.raw('DROP TABLE ??', [future?.name ?? '']);
      const now = (oldest?.to.getTime() ?? 0) + 10 * 86_400_000;
      await createPartitions(ownDb, new Date(now));
      const failures = async () =>
        (await checkPartitions(ownDb, now)).filter(({ state }) => state === 'failure');
      expect(await failures()).to.deep.equal([]);
      const [, first, second, gone] = await listPartitions(ownDb);
      await ownDb.raw('DROP TABLE ??', [gone?.name ?? '']);
      const [found, ...others] = await failures();
      expect(others).to.deep.equal([]);
      const day = (date?: Date) => date?.toISOString().slice(0, 10);
      expect(found?.finding).to.include(`Scans from ${day(gone?.from)} to `);
      expect(found?.finding).to.include(' have no partition and cannot be recorded.');
      expect(found?.remedy).to.include('migrate');
      // Today's as well, with everything before it.
      for (const { name } of [oldest, first, second].flatMap((partition) => partition ?? []))
        await ownDb.raw('DROP TABLE ??', [name]);
      const [, , next] = await failures();
      expect(next).to.equal(undefined);
      expect((await failures())[0]?.finding).to.include(
        `Scans from ${day(new Date(now - 7 * 86_400_000))} to `,
      );
    } finally {
      await ownDb.destroy();
      await own.drop();
    }
  });

  it('the processes of all machines, and how many connections they may open', async () => {
    const config = goodConfig({
      databaseUrl: service.databaseUrl,
      redisUrl: 'redis://127.0.0.1:1',
      dataDir: folder,
    });
    const others = [
      open(applicationName('web', { host: 'machine-1', pid: 10 })),
      open(applicationName('web', { host: 'machine-2', pid: 10 })),
      open(applicationName('worker', { host: 'machine-1', pid: 11 })),
      open(applicationName('worker', { host: 'machine-2', pid: 11 })),
      open(applicationName('worker', { host: 'machine-2', pid: 12 })),
    ];
    await Promise.all(others.map((other) => other.raw('SELECT 1')));
    const { web, worker } = connectionCounts(config);
    const findings = await runChecks({ config });
    await Promise.all(others.map((other) => other.destroy()));
    const [found] = findings.filter(({ finding }) => finding.includes('connections allowed'));
    // The service of this test is the third web process.
    expect(found?.finding).to.include(`together ${3 * web + 3 * worker} for 3 web processes and 3 workers`);
  });
});

onBothQueues('The doctor finds in the queue', (redisUrl) => {
  it('failed jobs, with the command that retries them', async () => {
    const database = await createTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-doctor-queue-'));
    const place = { databaseUrl: database.url, redisUrl: redisUrl() };
    const log = testLog();
    const queue = openQueueClient({ place, log });
    await waitUntilReady(queue);
    const worker = openQueueWorker(
      place,
      scanQueue,
      async () => {
        throw new UnrecoverableError('the disk is full');
      },
      log,
    );
    await queue.add(scanQueue, { scans: [], sealedAddresses: '' });
    const found = await eventually(async () => {
      const findings = await runChecks({ config: goodConfig({ ...place, dataDir: folder }) });
      const [failed] = findings.filter(({ finding }) => finding.startsWith('scans: 1 failed job'));
      expect(failed).to.include({ subject: 'queue', state: 'warning' });
      return failed;
    });
    expect(found?.finding).to.equal('scans: 1 failed job: their scans are kept but not counted.');
    expect(found?.remedy).to.include('`qrelay queue failed`').and.include('`qrelay queue retry`');
    await worker.close();
    await queue.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
});
