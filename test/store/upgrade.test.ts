import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { createPartitions, listPartitions } from '../../src/scans/partitions.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { finishUpgrade, migrate, ownMigrations } from '../../src/store/migrate.ts';
import { eventually } from '../support/eventually.ts';
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

  it('lists the cities of earlier scans in steps: a worker that counts one of them waits for no more than a step', async () => {
    const cities = 6_000;
    await db.raw(
      `INSERT INTO scan_counters (qr_code_id, dimension, day, value, count)
       SELECT :codeId, 'city', day, 'GB|ENG|City ' || number, 1
       FROM generate_series(10001, CAST(:last AS int)) AS number, unnest('{2026-01-01,2026-02-02}'::date[]) AS day`,
      { codeId, last: 10_000 + cities },
    );
    await migrate(db, {
      migrations: {
        ...ownMigrations,
        getMigrations: async () => (await ownMigrations.getMigrations([])).filter((file) => file < '0017'),
      },
    });
    // Half a millisecond each, as on an installation with millions of them.
    await db.raw(`
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.0005); RETURN NEW; END';
      CREATE TRIGGER be_slow BEFORE INSERT ON scan_cities FOR EACH ROW EXECUTE FUNCTION be_slow();
    `);
    const migrated = migrate(db);
    await eventually(async () => {
      const { rows } = (await db.raw(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%INSERT INTO scan\\_cities%' AND wait_event = 'PgSleep'",
      )) as { rows: unknown[] };
      expect(rows).to.have.length(1);
    });
    const worker = openDatabase(database.url, {
      poolMax: 1,
      applicationName: 'worker',
      lockTimeoutMs: 1_000,
    });
    const first = { qr_code_id: codeId, dimension: 'city', value: 'GB|ENG|City 10001' };
    try {
      await worker('scan_counters').insert({ ...first, day: '2026-03-03', count: 1 });
    } finally {
      await worker.destroy();
      await migrated;
    }
    const { rows } = (await db.raw(
      'SELECT last_day::text AS day, count(*) FROM scan_cities GROUP BY 1 ORDER BY 1',
    )) as { rows: unknown[] };
    expect(rows).to.deep.equal([
      { day: '2026-02-02', count: cities - 1 },
      { day: '2026-03-03', count: 1 },
    ]);
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
