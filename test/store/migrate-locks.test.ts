import { expect } from 'chai';
import type { Knex } from 'knex';
import { createTargets } from '../../src/redirect/targets.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate, type Migrations, ownMigrations } from '../../src/store/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

type Up = (knex: Knex) => Promise<unknown>;

/** Our own migrations plus these of a future release. */
function withLater(later: Record<string, Up>): Migrations {
  return {
    async getMigrations(extensions) {
      return [...(await ownMigrations.getMigrations(extensions)), ...Object.keys(later)];
    },
    getMigrationName: (file) => (later[file] ? file : ownMigrations.getMigrationName(file)),
    async getMigration(file) {
      const up = later[file];
      return up
        ? { up: async (knex) => void (await up(knex)), down: async () => undefined }
        : ownMigrations.getMigration(file);
    },
  };
}

describe('Migrations of a database in use', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let db: Database;
  let others: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'migrations', queryTimeoutMs: 0 });
    others = openDatabase(database.url, { poolMax: 4, applicationName: 'others' });
  });
  afterEach(async () => {
    await others.destroy();
    await db.destroy();
    await database.drop();
  });

  const hasColumn = (name: string) => others.schema.hasColumn('qr_codes', name);
  async function lockWaits(): Promise<number> {
    const { rows } = (await others.raw(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'migrations' AND wait_event_type = 'Lock'",
    )) as { rows: unknown[] };
    return rows.length;
  }

  it('block nobody while a long-running reader holds the table they change, and are applied when it ends', async () => {
    const messages: string[] = [];
    const migrations = withLater({
      '9001-another-table': (knex) => knex.raw('CREATE TABLE later (id int)'),
      '9002-a-column': (knex) => knex.raw('ALTER TABLE qr_codes ADD COLUMN later int'),
    });
    const reader = await others.transaction();
    await reader.raw('SELECT count(*) FROM qr_codes');
    let isDone = false;
    const migrated = migrate(db, { migrations, report: (message) => messages.push(message) }).finally(() => {
      isDone = true;
    });
    try {
      // These queue behind the migration and must not wait for the reader: a redirect responds with 503 after less than a
      // second.
      const targets = createTargets(others, 'https://qr.test');
      for (const token of ['notStored1', 'notStored2', 'notStored3']) {
        await eventually(async () => expect(await lockWaits()).to.equal(1));
        expect(await targets.find(token)).to.equal(null);
      }
      expect(isDone).to.equal(false);
      expect(await others.schema.hasTable('later'), 'each in a transaction of its own').to.equal(true);
      expect(await hasColumn('later')).to.equal(false);
    } finally {
      await reader.rollback();
    }
    expect(await migrated).to.deep.equal(['9001-another-table', '9002-a-column']);
    expect(await hasColumn('later')).to.equal(true);
    expect(messages[0]).to.match(/^Migration 9002-a-column needs a lock that another transaction holds/);
  });

  it('have no time limit, whatever the role is set to, and report progress', async () => {
    await others.raw("ALTER DATABASE ?? SET statement_timeout = '500ms'", [
      new URL(database.url).pathname.slice(1),
    ]);
    const impatient = openDatabase(database.url, {
      poolMax: 2,
      applicationName: 'migrations',
      queryTimeoutMs: 0,
      idleInTransactionTimeoutMs: 500,
    });
    const messages: string[] = [];
    // Longer than both: the transaction that holds the lock is idle meanwhile.
    const migrations = withLater({ '9001-long': (knex) => knex.raw('SELECT pg_sleep(2)') });
    const report = (message: string) => void messages.push(message);
    try {
      expect(await migrate(impatient, { migrations, report, progressEveryMs: 300 })).to.deep.equal([
        '9001-long',
      ]);
    } finally {
      await impatient.destroy();
    }
    expect(messages[0]).to.match(
      /^Migration 9001-long is still running after \d+ s\. There is no time limit\.$/,
    );
  });

  it('are not retried if they are invalid', async () => {
    const migrations = withLater({ '9001-wrong': (knex) => knex.raw('ALTER TABLE no_such_table ADD x int') });
    const error = await migrate(db, { migrations }).catch((reason: unknown) => reason);
    expect(String(error)).to.include('no_such_table');
  });
});
