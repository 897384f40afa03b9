import { expect } from 'chai';
import { down, up } from '../../migrations/0059-key-scopes.ts';
import * as changes from '../../migrations/0071-changes.ts';
import * as keptParts from '../../migrations/0072-kept-parts.ts';
import * as historyOfInvitations from '../../migrations/0073-history-of-invitations.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createPartitions } from '../../src/scans/partitions.ts';
import { migrate, rollBackAll } from '../../src/store/migrate.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { outcomeOf, runQrelay, startQrelay } from '../support/programs.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';

const knexTables = ['migrations', 'migrations_lock'];

describe('migrations (decisions: Where things run)', function () {
  this.timeout(120_000);
  let bare: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    bare = await createBareDatabase();
    db = openDatabase(bare.url, { poolMax: 4, applicationName: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await bare.drop();
  });

  async function tables(): Promise<string[]> {
    const rows: { tablename: string }[] = await db('pg_tables')
      .where({ schemaname: 'public' })
      .orderBy('tablename');
    return rows.map(({ tablename }) => tablename);
  }

  async function secretOf(): Promise<Buffer> {
    const { value } = (await db('service_secrets').where({ name: 'root' }).first()) as { value: Buffer };
    expect(value).to.have.length(32);
    return value;
  }

  it('leave the same schema after up, all down and up again, with a secret of its own (decisions: Where things run)', async () => {
    const applied = await migrate(db);
    const first = await schemaOf(db);
    const secret = await secretOf();
    expect(first['columns']).to.not.deep.equal([]);
    await rollBackAll(db);
    expect(await tables()).to.deep.equal(knexTables);
    expect((await schemaOf(db))['functions']).to.deep.equal([]);
    expect(await migrate(db)).to.deep.equal(applied);
    expect(await schemaOf(db)).to.deep.equal(first);
    expect(await secretOf()).to.not.deep.equal(secret);
  });

  it('revoke keys with scopes or an expiry on the way down, and only these', async () => {
    await migrate(db);
    const now = new Date();
    const { id } = await findOrCreateUser(db, 'ann@example.com', now);
    const future = new Date(now.getTime() + 3_600_000);
    const past = new Date(now.getTime() - 3_600_000);
    await createApiKey(db, id as WorkspaceId, 'everything', now);
    await createApiKey(db, id as WorkspaceId, 'scopes', now, { scopes: ['read'], expiresAt: null });
    await createApiKey(db, id as WorkspaceId, 'expires', now, { scopes: null, expiresAt: future });
    await createApiKey(db, id as WorkspaceId, 'expired', now, { scopes: null, expiresAt: past });
    // Its triggers name the columns.
    for (const later of [historyOfInvitations, keptParts, changes])
      await db.transaction((transaction) => later.down(transaction));
    await down(db);
    const keys = (await db('api_keys').orderBy('name')) as { name: string; revoked_at: Date | null }[];
    const revoked = new Map(keys.map(({ name, revoked_at }) => [name, revoked_at]));
    expect(revoked.get('everything')).to.equal(null);
    expect(revoked.get('expired')).to.deep.equal(past);
    for (const name of ['scopes', 'expires'])
      expect(revoked.get(name)?.getTime(), name).to.be.closeTo(Date.now(), 600_000);
    await up(db);
  });

  it("are not stopped by knex's lock, left behind by a killed process with work to do (decisions: Where things run)", async () => {
    const all = await migrate(db);
    await rollBackAll(db);
    await db('migrations_lock').update({ is_locked: 1 });
    const { code, stderr } = await runQrelayHere(['migrate'], { DATABASE_URL: bare.url });
    expect(code, stderr).to.equal(0);
    expect(stderr).to.equal(`Applied ${all.join(', ')}.\n`);
    expect(await db('migrations_lock').first('is_locked')).to.deep.equal({ is_locked: 0 });
  });

  it('may be run twice at once within a process, on connections of their own (decisions: Where things run)', async () => {
    const other = openDatabase(bare.url, { poolMax: 2, applicationName: 'test' });
    const applied = await Promise.all([migrate(db), migrate(other)]);
    await other.destroy();
    expect(applied.filter((names) => names.length > 0)).to.have.length(1);
  });

  it('have the same names built and unbuilt (decisions: Where things run)', async () => {
    expect((await runQrelayHere(['migrate'], { DATABASE_URL: bare.url })).code).to.equal(0);
    expect(await migrate(db)).to.deep.equal([]);
  });

  it('are applied completely or not at all when the connection is lost (decisions: Where things run)', async () => {
    const other = openDatabase(bare.url, { poolMax: 2, applicationName: 'lost' });
    const obstacle = await db.transaction();
    try {
      // An uncommitted table of the same name blocks the migration that creates the real one.
      await obstacle.raw('CREATE TABLE qr_codes ()');
      const migrating = migrate(other).catch((reason: unknown) => reason);
      await eventually(async () => {
        const { rows } = (await db.raw(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )) as { rows: unknown[] };
        expect(rows).to.have.length(1);
      });
      expect(await migrating).to.be.an('error');
    } finally {
      await obstacle.rollback();
      await other.destroy();
    }
    const [first] = await migrate(db);
    expect(first, 'the one before was done').to.equal('0002-qr-codes');
    const schema = await schemaOf(db);
    await rollBackAll(db);
    await migrate(db);
    expect(await schemaOf(db)).to.deep.equal(schema);
  });

  describe('in processes of their own [processes]', () => {
    it('are applied completely or not at all when the process that runs them is killed (decisions: Where things run)', async () => {
      // An uncommitted table of the same name blocks the migration that creates the real one.
      const obstacle = await db.transaction();
      try {
        await obstacle.raw('CREATE TABLE qr_codes ()');
        const child = startQrelay(['migrate'], { DATABASE_URL: bare.url });
        const ended = outcomeOf(child);
        await eventually(async () => {
          const { rows } = (await db.raw(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )) as { rows: unknown[] };
          expect(rows).to.have.length(1);
        });
        child.kill('SIGKILL');
        await ended;
      } finally {
        await obstacle.rollback();
      }
      const { code, stderr } = await runQrelayHere(['migrate'], { DATABASE_URL: bare.url });
      expect(code, stderr).to.equal(0);
      expect(stderr, 'the one before was done').to.match(/^Applied 0002-qr-codes, /);
      const schema = await schemaOf(db);
      await rollBackAll(db);
      await migrate(db);
      await createPartitions(db, new Date());
      expect(await schemaOf(db)).to.deep.equal(schema);
    });

    it('may be run by two processes at once: each is applied once, and all succeed (decisions: Where things run)', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 2 }, () => runQrelay(['migrate'], { DATABASE_URL: bare.url })),
      );
      for (const { code, stderr } of outcomes) expect(code, stderr).to.equal(0);
      expect(outcomes.filter(({ stderr }) => stderr.startsWith('Applied'))).to.have.length(1);
      const rows: { name: string }[] = await db('migrations').orderBy('id');
      expect(rows.map(({ name }) => name)).to.deep.equal([...new Set(rows.map(({ name }) => name))]);
    });
  });
});

describe('migrations of a database that has them all (decisions: Where things run)', () => {
  let migrated: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    migrated = await createTestDatabase();
    db = openDatabase(migrated.url, { poolMax: 2, applicationName: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await migrated.drop();
  });

  it('are applied once: a second run changes nothing and keeps the data (decisions: Where things run)', async () => {
    const secret: unknown = await db('service_secrets').first();
    const schema = await schemaOf(db);
    expect(await migrate(db)).to.deep.equal([]);
    expect(await schemaOf(db)).to.deep.equal(schema);
    expect(await db('service_secrets').first()).to.deep.equal(secret);
  });

  it('leave the schema of a newer release unchanged, and say so', async () => {
    await db('migrations').insert({ name: '9001-of-a-later-release', batch: 2, migration_time: new Date() });
    const schema = await schemaOf(db);
    const { code, stderr } = await runQrelayHere(['migrate'], { DATABASE_URL: migrated.url });
    expect(stderr).to.equal(
      'The schema is newer than this release: it has the migrations 9001-of-a-later-release of a later one. It was not changed.\n',
    );
    expect(code).to.equal(0);
    expect(await schemaOf(db)).to.deep.equal(schema);
    expect(await db('migrations').where({ name: '9001-of-a-later-release' })).to.have.length(1);
  });

  it('fail if the schema has an unknown migration that is not newer than ours', async () => {
    await db('migrations').insert({ name: '0002-of-another-line', batch: 2, migration_time: new Date() });
    const error = await migrate(db).catch((reason: unknown) => reason);
    expect(String(error)).to.include('0002-of-another-line');
  });

  it("are not stopped by knex's lock with nothing to do (decisions: Where things run)", async () => {
    await db('migrations_lock').update({ is_locked: 1 });
    expect(await migrate(db)).to.deep.equal([]);
  });
});

/** Describes the whole schema, independent of when it was created. */
async function schemaOf(db: Database): Promise<Record<string, unknown[]>> {
  const queries = {
    columns: `SELECT table_name, ordinal_position, column_name, data_type, udt_name, datetime_precision,
                     is_nullable, column_default
              FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
    constraints: `SELECT conrelid::regclass::text AS "table", conname, pg_get_constraintdef(oid) AS rule
                  FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    indexes:
      "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
    relations: `SELECT relname, relkind, reloptions FROM pg_class
                WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
    functions: `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    types: `SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace ORDER BY 1`,
    triggers: 'SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
  };
  const schema: Record<string, unknown[]> = {};
  for (const [part, sql] of Object.entries(queries)) {
    const { rows } = (await db.raw(sql)) as { rows: unknown[] };
    schema[part] = rows;
  }
  return schema;
}
