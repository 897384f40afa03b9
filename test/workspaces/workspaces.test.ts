import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { createUser, type User } from '../../src/accounts/users.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate, ownMigrations } from '../../src/store/migrate.ts';
import { findMembership, findMemberships, hasRole } from '../../src/workspaces/members.ts';
import { findWorkspace, ownWorkspaceId, setPlan, Workspace } from '../../src/workspaces/workspace.ts';
import { previousRelease, storeCode } from '../support/previous-release.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const now = new Date('2026-06-01T12:00:00.000Z');

async function openTestDatabase(create: () => Promise<TestDatabase>) {
  const database = await create();
  const db = openDatabase(database.url, { poolMax: 4, applicationName: 'test', queryTimeoutMs: 0 });
  return {
    db,
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

describe('The workspace of an account', () => {
  let db: Database;
  let close: () => Promise<void>;
  before(async () => ({ db, close } = await openTestDatabase(createTestDatabase)));
  after(() => close());

  async function signUp(email: string): Promise<User> {
    const user = await createUser(db, { email, passwordHash: null }, now);
    if (!user) throw new Error(`${email} is taken`);
    return user;
  }

  it('is created with the account, which is its only owner, and named after it', async () => {
    const user = await signUp('Anna.Meyer+qr@example.com');
    const { workspace, role } = (await findMembership(db, user.id, ownWorkspaceId(user))) ?? {};
    expect(role).to.equal('owner');
    expect(workspace).to.include({
      id: user.id,
      slug: 'anna-meyer-qr',
      name: 'Anna.Meyer+qr',
      plan: 'free',
      limits: null,
    });
    expect(workspace?.createdAt).to.deep.equal(now);
  });

  it('has a slug of its own where another workspace has the same, also when both are created at once', async () => {
    const users = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signUp(`sales@shop-${index}.example.com`)),
    );
    const slugs = await Promise.all(
      users.map(async (user) => (await findWorkspace(db, ownWorkspaceId(user))).slug),
    );
    expect(new Set(slugs)).to.have.property('size', 8);
    for (const slug of slugs) expect(slug).to.match(/^sales(?:-[0-9a-f]{6})?$/);
  });

  it('has a slug that an address can contain, whatever the address of the person contains', async () => {
    const user = await signUp("!#$%&'*/=?^_`{|}~@example.com");
    expect((await findWorkspace(db, ownWorkspaceId(user))).slug).to.match(/^workspace/);
    const long = await signUp(`${'a'.repeat(29)}.${'b'.repeat(30)}@example.com`);
    expect((await findWorkspace(db, ownWorkspaceId(long))).slug).to.equal('a'.repeat(29));
  });

  it('has one plan, whichever release changes it', async () => {
    const user = await signUp('plan@example.com');
    const planOfAccount = async () =>
      ((await db('users').where({ id: user.id }).first('plan')) as { plan: string }).plan;
    await setPlan(db, ownWorkspaceId(user), 'pro');
    expect(await planOfAccount()).to.equal('pro');
    await db('users').where({ id: user.id }).update({ plan: 'free' });
    expect((await findWorkspace(db, ownWorkspaceId(user))).plan).to.equal('free');
  });

  it('is deleted with the account, and everything in it', async () => {
    const user = await signUp('leaves@example.com');
    await createApiKey(db, ownWorkspaceId(user), 'Mine', now);
    await deleteUser(db, user);
    expect(await Workspace.query(db).findById(user.id)).to.equal(undefined);
    expect(await db('api_keys').where({ user_id: user.id })).to.deep.equal([]);
  });

  it('is deleted, too, when the previous release deletes the account', async () => {
    const codeId = await storeCode(db);
    const { user_id: id } = (await db('qr_codes').where({ id: codeId }).first('user_id')) as {
      user_id: string;
    };
    expect(await db('code_counts').where({ user_id: id })).to.have.length(1);
    await db('users').where({ id }).delete();
    expect(await Workspace.query(db).findById(id)).to.equal(undefined);
    expect(await db('qr_codes').where({ id: codeId })).to.deep.equal([]);
    expect(await db('code_counts').where({ user_id: id })).to.deep.equal([]);
  });

  it('stays where it has another member, also when the previous release deletes the account', async () => {
    const [founder, other] = [await signUp('founder@example.com'), await signUp('other@example.com')];
    const workspaceId = ownWorkspaceId(founder);
    await db('workspace_members').insert({
      workspace_id: workspaceId,
      user_id: other.id,
      role: 'editor',
      joined_at: now,
    });
    const removed = await db('users')
      .where({ id: founder.id })
      .delete()
      .catch((error: unknown) => String(error));
    expect(removed).to.contain('only owner');
    expect((await findMembership(db, other.id, workspaceId))?.role).to.equal('editor');
  });

  it('is where a person starts who is a member of several, and nobody else finds it', async () => {
    const [one, two] = [await signUp('one@example.com'), await signUp('two@example.com')];
    await db('workspace_members').insert({
      workspace_id: one.id,
      user_id: two.id,
      role: 'viewer',
      joined_at: new Date(0),
    });
    expect((await findMemberships(db, two.id, undefined)).map(({ workspace }) => workspace.id)).to.deep.equal(
      [two.id, one.id],
    );
    expect(
      (await findMemberships(db, two.id, (await findWorkspace(db, ownWorkspaceId(one))).slug))[0]?.workspace
        .id,
    ).to.equal(one.id);
    expect((await findMembership(db, two.id, ownWorkspaceId(one)))?.role).to.equal('viewer');
    expect(await findMembership(db, one.id, ownWorkspaceId(two))).to.equal(undefined);
  });
});

describe('Roles', () => {
  it('include those that may do less', () => {
    expect(hasRole('owner', 'viewer')).to.equal(true);
    expect(hasRole('editor', 'editor')).to.equal(true);
    expect(hasRole('editor', 'owner')).to.equal(false);
    expect(hasRole('viewer', 'editor')).to.equal(false);
  });
});

describe('Accounts of a previous release', function () {
  this.timeout(60_000);
  let db: Database;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ db, close } = await openTestDatabase(createBareDatabase));
    await migrate(db, { migrations: previousRelease });
  });
  afterEach(() => close());

  /** As the previous release does it. */
  async function addAccounts(count: number): Promise<void> {
    await db.raw(
      `INSERT INTO users (id, email, plan, created_at, updated_at)
       SELECT gen_random_uuid(), 'info@host-' || n || '.example.com', CASE n % 2 WHEN 0 THEN 'pro' ELSE 'free' END, :now, :now
       FROM generate_series(1, :count) AS n`,
      { now, count },
    );
  }
  const withoutWorkspace = () =>
    db.raw(
      `SELECT FROM users LEFT JOIN workspaces USING (id)
       LEFT JOIN workspace_members AS m ON m.workspace_id = users.id AND m.user_id = users.id
       WHERE workspaces.plan IS DISTINCT FROM users.plan OR m.role IS DISTINCT FROM 'owner'`,
    ) as unknown as Promise<{ rows: unknown[] }>;

  it('become workspaces of one with their plan, also those that it creates meanwhile and afterwards', async () => {
    await addAccounts(450);
    const codeId = await storeCode(db);
    const migrating = migrate(db);
    await db('users').insert({
      id: '00000000-0000-4000-8000-000000000001',
      email: 'meanwhile@example.com',
      created_at: now,
      updated_at: now,
    });
    await migrating;
    await db('users').where({ email: 'info@host-1.example.com' }).delete();
    await addAccounts(1);
    expect((await withoutWorkspace()).rows).to.have.length(0);
    const { count } = (await db('workspaces').count('* as count').first()) as { count: number };
    expect(count).to.equal(452);
    expect(await db('qr_codes').where({ id: codeId })).to.have.length(1);
    const unchecked = await db('pg_constraint').where({ convalidated: false }).select('conname');
    expect(unchecked).to.deep.equal([]);
  });

  it('are there as before after a migration back, which refuses to drop a workspace that is not that of an account', async () => {
    await addAccounts(3);
    await migrate(db);
    await db('workspaces').insert({
      id: '00000000-0000-4000-8000-000000000002',
      slug: 'agency',
      name: 'Agency',
      created_at: now,
    });
    const migrationSource = ownMigrations;
    const back = () => db.migrate.down({ migrationSource, tableName: 'migrations' });
    const untilBefore = async (name: string) => {
      for (;;) {
        const last = (await db('migrations').orderBy('id', 'desc').first('name')) as { name: string };
        if (last.name < name) return;
        await back();
      }
    };
    const refused = await untilBefore('0062').then(() => 'dropped', String);
    expect(refused).to.contain('The previous release has no place for 1 workspace');
    await db('workspaces').where({ slug: 'agency' }).delete();
    await untilBefore('0062');
    await db('users').where({ email: 'info@host-1.example.com' }).delete();
    const { count } = (await db('users').count('* as count').first()) as { count: number };
    expect(count).to.equal(2);
    expect(await db.schema.hasTable('workspaces')).to.equal(false);
  });
});
