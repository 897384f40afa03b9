// oxlint-disable no-underscore-dangle -- knex's name
import { expect } from 'chai';
import { deleteWorkspace } from '../../src/accounts/deletion.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('The deletion of a large workspace', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('takes statements of bounded size in one transaction, and leaves nothing', async () => {
    const user = await findOrCreateUser(db, 'large@example.com', new Date());
    const workspaceId = ownWorkspaceId(user);
    const [active, trashed] = [2_400, 1_100];
    await db.transaction(async (transaction) => {
      await transaction.raw(
        `INSERT INTO qr_codes (id, user_id, share_token, name, type, content, foreground_color, background_color, size,
                               error_correction, is_public, is_favorite, page_shows_name, expires_at, created_at, updated_at)
         SELECT gen_random_uuid(), :id, 'token-' || number, 'Code', 'text', 'Hello', '#000000', '#ffffff', 256,
                'M', false, false, false, now(), now(), now() FROM generate_series(1, :codes) AS number`,
        { id: user.id, codes: active + trashed },
      );
      await transaction.raw(
        `WITH moved AS (
           INSERT INTO trashed_codes (code_id, user_id, share_token)
           SELECT id, user_id, share_token FROM qr_codes ORDER BY id LIMIT :trashed RETURNING code_id
         ) UPDATE qr_codes SET user_id = NULL, share_token = NULL FROM moved WHERE id = code_id`,
        { trashed },
      );
    });
    const deleted: { rows: number; transaction: unknown }[] = [];
    interface Query {
      sql: string;
      __knexTxId?: string;
      response: { rowCount: number | null };
    }
    db.on('query-response', (_rows: unknown, query: Query) => {
      const { rowCount } = query.response;
      if (/^delete/i.test(query.sql.trim()))
        deleted.push({ rows: rowCount ?? 0, transaction: query.__knexTxId });
    });
    const outcome = await deleteWorkspace(db, workspaceId);
    expect(outcome?.shareTokens).to.have.length(active);
    expect(Math.max(...deleted.map(({ rows }) => rows))).to.be.within(100, 1_000);
    expect(new Set(deleted.map(({ transaction }) => transaction)).size).to.equal(1);
    for (const table of ['qr_codes', 'trashed_codes', 'changes', 'workspaces'])
      expect(await db(table).select(db.raw('1')), table).to.deep.equal([]);
  });
});
