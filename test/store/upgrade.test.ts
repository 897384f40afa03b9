import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { createPartitions, listPartitions } from '../../src/scans/partitions.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { finishUpgrade, migrate } from '../../src/store/migrate.ts';
import { previousRelease, recordAsPreviousRelease, storeCode } from '../support/previous-release.ts';
import { scanRow } from '../support/scan-rows.ts';
import { createBareDatabase, type TestDatabase } from '../support/test-database.ts';

describe('An upgrade from the previous release', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let db: Database;
  let codeId: string;
  const today = new Date().toISOString();
  beforeEach(async () => {
    database = await createBareDatabase();
    db = openDatabase(database.url, { poolMax: 4, applicationName: 'upgrade', queryTimeoutMs: 0 });
    await migrate(db, { migrations: previousRelease });
    codeId = await storeCode(db);
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  const scansOf = async (id = codeId) => {
    const [row] = (await db('scans').where({ qr_code_id: id }).count('* as count')) as { count: number }[];
    return row?.count;
  };
  const total = async () => {
    const [row] = (await db('scan_counters')
      .where({ qr_code_id: codeId, dimension: 'total' })
      .sum('count as sum')) as { sum: string }[];
    return Number(row?.sum);
  };
  const indexesOf = async (table: string) => {
    const rows = (await db('pg_indexes').where({ tablename: table }).orderBy('indexname')) as {
      indexdef: string;
    }[];
    return rows.map(({ indexdef }) => indexdef.replace(/^.*USING /, ''));
  };

  it('keeps every scan, in a partition that was not rewritten', async () => {
    await recordAsPreviousRelease(db, [scanRow(codeId, today), scanRow(codeId, '2025-01-31T12:00:00.000Z')]);
    const file = async (table: string) => {
      const { rows } = (await db.raw('SELECT pg_relation_filepath(?) AS path', [table])) as {
        rows: [{ path: string }];
      };
      return rows[0].path;
    };
    const before = await file('scans');
    await migrate(db);
    const [first] = await listPartitions(db);
    expect(await file(first?.name ?? '')).to.equal(before);
    expect(await scansOf()).to.equal(2);
  });

  it('lets workers of both releases record side by side, each scan once', async () => {
    const both = [scanRow(codeId, today), scanRow(codeId, today)];
    await recordAsPreviousRelease(db, both);
    await migrate(db);
    await createPartitions(db, new Date());
    const record = createScanRecorder(db);
    expect(await record([...both, scanRow(codeId, today)])).to.include({ recorded: 1, known: 3 });
    const later = scanRow(codeId, new Date(Date.now() + 60 * 24 * 3_600_000).toISOString());
    await recordAsPreviousRelease(db, [...both, later, scanRow(codeId, today)]);
    expect([await scansOf(), await total()]).to.deep.equal([5, 5]);
  });

  it('purges what the previous release deletes', async () => {
    await recordAsPreviousRelease(db, [scanRow(codeId, today)]);
    await migrate(db);
    await db('qr_codes').where({ id: codeId }).delete();
    expect(await db('deleted_codes').pluck('id')).to.deep.equal([codeId]);
  });

  it('is finished when an operator says so: then the primary key is the only index', async () => {
    await migrate(db);
    await createPartitions(db, new Date());
    const tables = (await listPartitions(db)).map(({ name }) => name);
    for (const table of tables)
      expect(await indexesOf(table)).to.have.members(['btree (qr_code_id, id)', 'btree (id)']);
    await finishUpgrade(database.url, () => undefined);
    for (const table of tables) expect(await indexesOf(table)).to.deep.equal(['btree (qr_code_id, id)']);
    expect(await createScanRecorder(db)([scanRow(codeId, today)])).to.include({ recorded: 1 });
    await finishUpgrade(database.url, () => undefined);
  });

  it('takes up a build of an index that was interrupted', async () => {
    // What CREATE INDEX CONCURRENTLY leaves behind when it fails: an invalid index.
    await db.raw('CREATE INDEX scans_code_scan ON scans (qr_code_id)');
    await db.raw('CREATE UNIQUE INDEX scans_id ON scans (id)');
    const superuser = openDatabase(database.superuserUrl, { poolMax: 1, applicationName: 'test' });
    await superuser.raw(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('scans_code_scan'::regclass, 'scans_id'::regclass)",
    );
    await superuser.destroy();
    await migrate(db);
    expect(await createScanRecorder(db)([scanRow(codeId, today)])).to.include({ recorded: 1 });
  });

  it('gives scans from a clock that runs ahead a place', async () => {
    const ahead = new Date(Date.now() + 400 * 24 * 3_600_000);
    await recordAsPreviousRelease(db, [
      scanRow(codeId, ahead.toISOString(), { id: uuidv7({ msecs: ahead.getTime() }) }),
    ]);
    await migrate(db);
    expect(await scansOf()).to.equal(1);
    expect((await listPartitions(db))[0]?.to.getTime()).to.be.above(ahead.getTime());
  });
});
