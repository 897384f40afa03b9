import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { v7 as uuidv7 } from 'uuid';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { finishUpgrade, migrate, type Migrations, ownMigrations } from '../../src/store/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { storeCode } from '../support/previous-release.ts';
import { copyDatabase, createBareDatabase, type TestDatabase } from '../support/test-database.ts';

/** Those of the first release created the tables. */
const firstSinceRelease = '0009';
/** A redirect waits 800 ms for its code. */
const longestWaitMs = 1_000;
/** What a transaction that has read, or written, holds until it ends. */
const holders = { reader: 'ACCESS SHARE', writer: 'ROW EXCLUSIVE' } as const;

const names = readdirSync(new URL('../../migrations/', import.meta.url))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => name >= firstSinceRelease)
  .toSorted();

/** These commit in several steps, so their locks cannot be read at the end. */
const withoutTransaction: Record<string, string[]> = {
  '0012-scan-indexes': ['scans'],
  '0017-known-cities': ['scan_counters', 'scan_cities'],
  '0063-workspaces-of-accounts': ['users', 'workspaces'],
  '0064-owned-by-workspaces': ['api_keys', 'qr_codes', 'users', 'workspaces'],
  '0065-owners-are-valid': ['qr_codes', 'workspaces'],
};

interface Change {
  /** Tables with locks that a reader or a writer is in the way of. */
  tables: string[];
  apply(database: TestDatabase, report: () => void): Promise<unknown>;
}

describe('The longest wait behind', function () {
  this.timeout(600_000);
  let before: TestDatabase;

  /** The own migrations up to this one. */
  function upTo(last: string, isIncluded: boolean, onApplied?: (knex: Knex) => Promise<void>): Migrations {
    return {
      ...ownMigrations,
      async getMigrations(extensions) {
        const all = await ownMigrations.getMigrations(extensions);
        return all.filter((file) => file < last || (isIncluded && file.startsWith(last)));
      },
      async getMigration(file) {
        const migration = await ownMigrations.getMigration(file);
        if (!onApplied || !file.startsWith(last)) return migration;
        const up = async (knex: Knex) => {
          await migration.up(knex);
          await onApplied(knex);
        };
        return { ...migration, up };
      },
    };
  }

  async function withDatabase<Value>(url: string, work: (db: Database) => Promise<Value>): Promise<Value> {
    const db = openDatabase(url, { poolMax: 4, applicationName: 'locks', queryTimeoutMs: 0 });
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  /** An installation of the first release, in use, that has then been migrated to this point. */
  async function prepare(migrations: Migrations): Promise<void> {
    before = await createBareDatabase();
    await withDatabase(before.url, async (db) => {
      await migrate(db, { migrations: upTo(firstSinceRelease, false) });
      const id = await storeCode(db);
      const scannedAt = new Date();
      await db('scans').insert({
        id: uuidv7(),
        qr_code_id: id,
        scanned_at: scannedAt,
        country: 'GB',
        device: 'mobile',
        browser: 'Mobile Safari',
        os: 'iOS',
      });
      const city = { dimension: 'city', value: 'GB|ENG|St Albans', day: scannedAt, count: 1 };
      await db('scan_counters').insert({ qr_code_id: id, ...city });
      await migrate(db, { migrations });
    });
  }
  afterEach(() => before?.drop());

  async function inACopy<Value>(work: (copy: TestDatabase) => Promise<Value>): Promise<Value> {
    const copy = await copyDatabase(before);
    try {
      return await work(copy);
    } finally {
      await copy.drop();
    }
  }

  /** Existing tables on which the transaction of the migration holds a lock that conflicts with writers. */
  async function lockedTables(name: string): Promise<string[]> {
    let locked: string[] = [];
    const readLocks = async (knex: Knex) => {
      const { rows } = (await knex.raw(
        `SELECT DISTINCT relation::regclass::text AS name FROM pg_locks
         JOIN pg_class ON pg_class.oid = relation AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
         WHERE pid = pg_backend_pid() AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
      )) as { rows: { name: string }[] };
      locked = rows.map((row) => row.name);
    };
    await inACopy(({ url }) =>
      withDatabase(url, (db) => migrate(db, { migrations: upTo(name, true, readLocks) })),
    );
    const existing = await withDatabase(before.url, (db) =>
      db('pg_tables').where({ schemaname: 'public' }).pluck<string[]>('tablename'),
    );
    // A table that was renamed is known by its new name; all of these are made of `scans`.
    return [...new Set(locked.map((table) => (table.startsWith('scans') ? 'scans' : table)))].filter(
      (table) => existing.includes(table),
    );
  }

  /** How long a writer of these tables waited at most, while the change waited for another transaction and then went on. */
  async function longestWait({ tables, apply }: Change, table: string, mode: string): Promise<number> {
    return inACopy((copy) =>
      withDatabase(copy.url, async (db) => {
        const holder = await db.transaction();
        await holder.raw(`LOCK TABLE ${table} IN ${mode} MODE`);
        let isDone = false;
        let isDelayed = false;
        const applied = apply(copy, () => {
          isDelayed = true;
        }).finally(() => {
          isDone = true;
        });
        let longestMs = 0;
        const writing = Promise.all(
          tables.map(async (one) => {
            while (!isDone) {
              const startedAt = performance.now();
              await db.transaction((transaction) =>
                transaction.raw(`LOCK TABLE ${one} IN ROW EXCLUSIVE MODE`),
              );
              longestMs = Math.max(longestMs, performance.now() - startedAt);
              await sleep(5);
            }
          }),
        );
        await eventually(() => expect(isDelayed || isDone).to.equal(true));
        await holder.rollback();
        await Promise.all([applied, writing]);
        return longestMs;
      }),
    );
  }

  async function expectShortWaits(name: string, change: Change): Promise<void> {
    for (const table of change.tables)
      for (const [holder, mode] of Object.entries(holders))
        expect(
          await longestWait(change, table, mode),
          `behind ${name}, which waits for a ${holder} of ${table}`,
        ).to.be.below(longestWaitMs);
  }

  it('migrations, while they wait for a long transaction, is about a second at most [timed]', async () => {
    const seen = new Set<string>();
    for (const name of names) {
      await prepare(upTo(name, false));
      const tables = withoutTransaction[name] ?? (await lockedTables(name));
      const apply: Change['apply'] = ({ url }, report) =>
        withDatabase(url, (db) =>
          migrate(db, { migrations: upTo(name, true), report, progressEveryMs: 1_500 }),
        );
      await expectShortWaits(name, { tables, apply });
      for (const table of tables) seen.add(table);
      await before.drop();
    }
    expect([...seen]).to.include.members(['dead_scans', 'qr_codes', 'scans', 'scan_counters', 'users']);
  });

  it('`migrate --finish`, while it waits for a long transaction, is about a second at most [timed]', async () => {
    await prepare(ownMigrations);
    await expectShortWaits('migrate --finish', {
      tables: ['scans', 'scan_counters'],
      apply: ({ url }, report) => finishUpgrade(url, report),
    });
  });
});
