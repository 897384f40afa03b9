import { expect } from 'chai';
import { openDatabase } from '../../src/store/database.ts';
import { triggers } from '../../src/store/triggers.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('The triggers of the database', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });

  after(() => database.drop());

  it('are those of the list, each enabled and with its function', async () => {
    const db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
    try {
      const { rows } = (await db.raw(
        `SELECT tgrelid::regclass::text || ' ' || tgname || ' ' || tgfoid::regproc::text || ' ' || tgenabled::text AS "trigger"
         FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
         JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE NOT tgisinternal AND tgparentid = 0 AND nspname = 'public'`,
      )) as { rows: { trigger: string }[] };
      expect(rows.map(({ trigger }) => trigger)).to.have.members(
        Object.entries(triggers).flatMap(([table, guarantees]) =>
          Object.keys(guarantees).map((key) => {
            const [, name = '', called = name] = /^(\w+)(?: \((\w+)\))?$/.exec(key) ?? [];
            return `${table} ${name} ${called} O`;
          }),
        ),
      );
    } finally {
      await db.destroy();
    }
  });
});
