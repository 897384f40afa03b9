import { expect } from 'chai';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { readProcesses, startReports } from '../../src/store/process-reports.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

describe('The reports of a process', () => {
  let database: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  const reported = async () => {
    const { rows } = (await db.raw(
      `SELECT coalesce(sum((counts ->> 'scans')::int), 0)::int AS scans, max(longest_lag_ms) AS lag FROM process_samples`,
    )) as { rows: [{ scans: number; lag: number | null }] };
    return rows[0];
  };

  it('hold each count once, also what was counted while they could not be saved', async () => {
    const counted = { scans: 3 };
    let lag: number | undefined = 700;
    const reports = startReports({
      kind: 'worker',
      db,
      count: async () => ({ ...counted }),
      takeLongestLagMs() {
        const taken = lag;
        lag = undefined;
        return taken;
      },
      log: testLog(),
      everyMs: 20,
    });
    await eventually(async () => expect(await reported()).to.deep.equal({ scans: 3, lag: 700 }));
    await db.raw('ALTER TABLE processes RENAME TO elsewhere');
    counted.scans = 10;
    lag = 900;
    // Taken by a report that cannot be saved.
    await eventually(() => expect(lag).to.equal(undefined));
    counted.scans = 12;
    await db.raw('ALTER TABLE elsewhere RENAME TO processes');
    await eventually(async () => expect(await reported()).to.deep.equal({ scans: 12, lag: 900 }));
    counted.scans = 15;
    await reports.close();
    expect((await reported()).scans).to.equal(15);
    const [process, ...others] = await readProcesses(db);
    expect(process).to.include({ kind: 'worker', status: 'stopped' });
    expect(process?.state.memoryBytes).to.be.above(1_000_000);
    expect(others).to.deep.equal([]);
  });

  it('tell whether all workers read bundles of scans, and there are some', async () => {
    const answers: boolean[] = [];
    const start = (kind: 'web' | 'worker', reads?: string[]) =>
      startReports({
        kind,
        db,
        count: async () => ({}),
        ...(reads && { state: async () => ({ reads }) }),
        ...(kind === 'web' && { onReported: (areRead) => answers.push(areRead) }),
        log: testLog(),
        everyMs: 20,
      });
    const becomes = (areRead: boolean) => eventually(() => expect(answers.at(-1)).to.equal(areRead));
    const web = start('web');
    await becomes(false);
    const worker = start('worker', ['bundles']);
    await becomes(true);
    // One of the previous release says nothing about it.
    const previous = start('worker');
    await becomes(false);
    await previous.close();
    await becomes(true);
    // One that was killed is forgotten when it has not reported for a while.
    await worker.close();
    await db('processes').where({ kind: 'worker' }).update({ is_stopped: false });
    await db.raw(`UPDATE processes SET reported_at = now() - interval '36 seconds' WHERE kind = 'worker'`);
    await becomes(false);
    await web.close();
  });

  it('do not delay a shutdown while the database hangs', async () => {
    const lock = await db.transaction();
    await lock.raw('LOCK TABLE processes');
    const other = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
    const expectWaiting = async () => {
      const { rows } = (await db.raw(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )) as { rows: unknown[] };
      expect(rows).to.have.length(1);
    };
    try {
      const reports = startReports({ kind: 'web', db: other, count: async () => ({}), log: testLog() });
      await eventually(expectWaiting);
      await reports.close();
      await expectWaiting();
    } finally {
      await lock.rollback();
      await other.destroy();
    }
  });
});
