import { expect } from 'chai';
import { createPartitions, listPartitions } from '../../src/scans/partitions.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { fillScans } from '../support/fill-scans.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { previousRelease, recordAsPreviousRelease, storeCode } from '../support/previous-release.ts';
import { scanRow } from '../support/scan-rows.ts';
import { createBareDatabase, type TestDatabase } from '../support/test-database.ts';
import { startLoad } from './steady-load.ts';

const scansOf = async (db: Database, id: string) => {
  const [row] = (await db('scans').where({ qr_code_id: id }).count('* as count')) as { count: number }[];
  return row?.count ?? 0;
};

describe('A table with a million scans', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createBareDatabase();
    db = openDatabase(database.url, { poolMax: 6, applicationName: 'growth', queryTimeoutMs: 0 });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('is partitioned while scans arrive: none is lost, and none waits for long', async () => {
    await migrate(db, { migrations: previousRelease });
    const [full, arriving] = [await storeCode(db), await storeCode(db)];
    await fillScans(db, full, 1_000_000, 300);
    // As the workers are set up: a statement that waits for a lock for longer than a second fails.
    const workers = openDatabase(database.url, {
      poolMax: 4,
      applicationName: 'workers',
      queryTimeoutMs: 6_000,
      lockTimeoutMs: 1_000,
    });
    const recordNew = createScanRecorder(workers);
    let isMigrated = false;
    let isOver = false;
    const counts = { previous: 0, new: 0, slowestMs: 0 };
    const timed = async (work: Promise<unknown>) => {
      const startedAt = performance.now();
      await work;
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedAt);
    };
    const previousWorker = (async () => {
      for (; !isOver; counts.previous += 1)
        await timed(recordAsPreviousRelease(workers, [scanRow(arriving, new Date().toISOString())]));
    })();
    const newWorker = (async () => {
      await eventually(() => expect(isMigrated).to.equal(true), 120_000);
      for (; !isOver; counts.new += 1) await timed(recordNew([scanRow(arriving, new Date().toISOString())]));
    })();
    await eventually(() => expect(counts.previous).to.be.above(50));
    const startedAt = performance.now();
    await migrate(db);
    await createPartitions(db, new Date());
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    isMigrated = true;
    const before = counts.previous;
    await eventually(() => expect(Math.min(counts.previous - before, counts.new)).to.be.above(50));
    isOver = true;
    await Promise.all([previousWorker, newWorker]);
    await workers.destroy();
    console.log(
      `      migrated in ${seconds} s; slowest of ${counts.previous + counts.new} statements: ${Math.round(counts.slowestMs)} ms`,
    );
    expect(await scansOf(db, arriving)).to.equal(counts.previous + counts.new);
    expect(await scansOf(db, full)).to.equal(1_000_000);
    expect((await listPartitions(db)).length).to.be.at.least(4);
  });
});

describe('A code with half a million scans is deleted', () => {
  let fixture: Fixture;
  afterEach(() => fixture.stop());

  it('at once, while others are scanned; everything is purged although the workers are killed', async () => {
    fixture = await startFixture({ workers: 2 });
    const filling = openDatabase(fixture.databaseUrl, {
      poolMax: 1,
      applicationName: 'filling',
      queryTimeoutMs: 0,
    });
    const [large, other] = [await fixture.makeCode(), await fixture.makeCode()];
    await fillScans(filling, large.id, 500_000, 60);
    await filling.destroy();
    const api = apiClient(fixture.url, await fixture.makeKey());
    const load = startLoad(fixture.addresses(other), 300);
    await eventually(() => expect(load.result.redirects).to.be.above(100));
    const startedAt = performance.now();
    expect((await api(`/qrcodes/${large.id}?permanently=true`, { method: 'DELETE' })).status).to.equal(204);
    console.log(`      answered in ${Math.round(performance.now() - startedAt)} ms`);
    expect((await api(`/qrcodes/${large.id}`)).status).to.equal(404);
    for (const worker of fixture.workers) {
      const left = await scansOf(fixture.db, large.id);
      await eventually(async () => expect(await scansOf(fixture.db, large.id)).to.be.below(left), 60_000);
      await worker.end('SIGKILL');
      await worker.restart();
    }
    await eventually(async () => expect(await scansOf(fixture.db, large.id)).to.equal(0), 120_000);
    await eventually(async () => {
      const counters = (await fixture.db('scan_counters').where({ qr_code_id: large.id })) as unknown[];
      expect(counters).to.have.length(0);
    }, 60_000);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(other, redirects)).to.equal(redirects);
  });
});
