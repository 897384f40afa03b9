import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { findOrCreateUser, personOf, type User } from '../../src/accounts/users.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { changeCode, createCode } from '../../src/codes/codes.ts';
import { defaultDesign } from '../../src/codes/design/design.ts';
import { addApplication } from '../../src/codes/styles/style-applications.ts';
import { insertStyle } from '../../src/codes/styles/styles.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { trashCode, deleteTrashedCode } from '../../src/codes/trash.ts';
import { listChanges, versionsOf } from '../../src/history/changes.ts';
import { erasePeople, purgeChanges } from '../../src/history/purge-changes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { runAs } from '../../src/store/actor.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { firstIdAt } from '../../src/store/time-ordered-id.ts';
import { inviteByMail, purgeInvitations } from '../../src/workspaces/invitations.ts';
import { addMember } from '../../src/workspaces/members.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const never = () => false;

describe('Old entries of the history', () => {
  let database: TestDatabase;
  let db: Database;
  let owner: User;
  let workspaceId: WorkspaceId;
  const now = new Date();
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await db('users').delete();
    await db('deleted_people').delete();
    owner = await findOrCreateUser(db, 'owner@example.com', now);
    workspaceId = ownWorkspaceId(owner);
  });

  const create = (of = workspaceId) =>
    createCode(
      db,
      of,
      { ...createDefaults, name: 'Menu', content: 'https://example.com/0' },
      { lifetimeDays: 365, limits: defaultLimits, now },
    );
  let edits = 0;
  async function edit(code: QrCode, times: number): Promise<void> {
    for (let time = 1; time <= times; time += 1)
      await changeCode(
        db,
        code.workspaceId,
        code.id,
        async () => ({ content: `https://example.com/${(edits += 1)}` }),
        now,
      );
  }
  const versions = async (code: QrCode) =>
    (await versionsOf(db, code, { limit: 100 })).map(({ version }) => version);
  /** As if an entry had been written that much earlier. */
  async function age(code: QrCode, days: number, upTo: number): Promise<void> {
    const then = new Date(now.getTime() - days * dayMs);
    for (let version = 1; version <= upTo; version += 1)
      await db('changes')
        .where({ code_id: code.id, version })
        .update({ at: then, id: firstIdAt(new Date(then.getTime() + version)) });
  }
  const purge = (options: { months?: number; most?: number; isOver?: () => boolean } = {}) =>
    purgeChanges(db, {
      retentionMonths: options.months ?? 24,
      now,
      isOver: options.isOver ?? never,
      ...(options.most !== undefined && { maxPerKind: options.most }),
    });

  it('about other things stay when codes have too many', async () => {
    await createApiKey(db, workspaceId, 'Till', now);
    const code = await create();
    await edit(code, 5);
    await purge({ most: 2 });
    expect(await versions(code)).to.deep.equal([6, 5]);
    const keys = await listChanges(db, workspaceId, { kind: 'key' }, { limit: 10 });
    expect(keys.map(({ subjectName }) => subjectName)).to.deep.equal(['Till']);
  });

  it('are deleted after their retention, and not before', async () => {
    const code = await create();
    await edit(code, 3);
    await age(code, 740, 2);
    await purge({ months: 25 });
    expect(await versions(code)).to.deep.equal([4, 3, 2, 1]);
    await purge({ isOver: () => true });
    expect(await versions(code)).to.deep.equal([4, 3, 2, 1]);
    await purge();
    expect(await versions(code)).to.deep.equal([4, 3]);
  });

  it('leave the oldest ones of a workspace beyond its bound, and nothing of another one', async () => {
    const code = await create();
    await edit(code, 4);
    const other = await create(ownWorkspaceId(await findOrCreateUser(db, 'other@example.com', now)));
    await purge({ most: 3 });
    expect(await versions(code)).to.deep.equal([5, 4, 3]);
    expect(await versions(other)).to.deep.equal([1]);
  });

  it('leave the numbers of versions behind, until the code is deleted', async () => {
    const code = await create();
    await edit(code, 2);
    await age(code, 800, 3);
    await purge();
    expect(await versions(code)).to.deep.equal([]);
    await edit(code, 2);
    expect(await versions(code)).to.deep.equal([5, 4]);
    await age(code, 0, 5);
    await db('changes')
      .where({ code_id: code.id })
      .update({ at: new Date(0) });
    await purge({ most: 0 });
    await edit(code, 1);
    expect(await versions(code)).to.deep.equal([6]);
    await trashCode(db, workspaceId, code.id, defaultLimits);
    await deleteTrashedCode(db, workspaceId, code.id);
    expect(await db('purged_versions')).to.deep.equal([]);
    const kept = await create();
    await age(kept, 800, 1);
    await purge();
    expect(await db('purged_versions')).to.have.length(1);
    await deleteUser(db, owner);
    expect(await db('purged_versions')).to.deep.equal([]);
  });

  async function stored(email: string): Promise<string[]> {
    const { rows } = (await db.raw(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )) as { rows: { name: string }[] };
    const found: string[] = [];
    for (const { name } of rows) {
      const { rows: hits } = (await db.raw(
        `SELECT FROM "${name}" AS stored WHERE strpos(lower(stored::text), :email) > 0 LIMIT 1`,
        { email },
      )) as { rows: unknown[] };
      if (hits.length > 0) found.push(name);
    }
    return found.toSorted();
  }

  const invite = (emails: string[]) =>
    inviteByMail(
      db,
      { workspaceId, createdBy: owner.id, role: 'viewer', days: 1, ofPlans: defaultLimits, emails },
      now,
    );

  it('name nobody whose account was deleted, in any table and workspace', async () => {
    await invite(['anna@example.com']);
    const anna = await findOrCreateUser(db, 'Anna@example.com', now);
    await db.transaction((transaction) =>
      addMember(transaction, { workspaceId, userId: anna.id, role: 'owner' }, now),
    );
    const code = await create();
    await runAs(personOf(anna), async () => {
      await edit(code, 3);
      await createApiKey(db, workspaceId, 'Key', now, undefined, { id: anna.id, email: anna.email });
      const style = { name: 'Style', design: defaultDesign, isDefault: false };
      const { id: styleId } = await insertStyle(db, workspaceId, style, now);
      await addApplication(db, workspaceId, { styleId, codeIds: [code.id], keepsDesigns: false }, now);
    });
    await db('webhook_endpoints').insert(await endpointBy(anna));
    expect(await stored('anna@example.com')).to.include.members([
      'api_keys',
      'changes',
      'invitations',
      'style_applications',
      'webhook_endpoints',
    ]);
    await deleteUser(db, anna);
    await erasePeople(db, () => true);
    expect(await db('deleted_people').pluck('id')).to.deep.equal([anna.id]);
    await erasePeople(db, never);
    expect(await stored('anna@example.com')).to.deep.equal([]);
    const entries = await listChanges(db, workspaceId, { actorId: anna.id }, { limit: 10 });
    expect(entries.length).to.be.above(3);
    for (const { actorKind, actorName } of entries)
      expect([actorKind, actorName]).to.deep.equal(['person', null]);
    expect(await stored('owner@example.com')).to.include('users');
  });

  const endpointBy = async ({ id, email }: User) => ({
    id: firstIdAt(now),
    user_id: workspaceId,
    name: 'Webhook',
    url: 'https://example.com/hook',
    events: ['code.created'],
    sealed_secret: Buffer.from('sealed'),
    secret_key: 'key',
    created_by: id,
    created_by_email: email,
    changed_by: id,
    changed_by_email: email,
    created_at: now,
    updated_at: now,
  });

  it('name nobody who was invited and never came', async () => {
    await invite(['ben@example.com']);
    const [entry] = await listChanges(db, workspaceId, { kind: 'invitation' }, { limit: 1 });
    expect(entry).to.include({ subjectName: 'ben@example.com' });
    expect(entry?.after).to.include({ role: 'viewer' });
    expect(await purgeInvitations(db, new Date(now.getTime() + 2 * dayMs))).to.equal(1);
    expect(await stored('ben@example.com')).to.deep.equal([]);
    const [later] = await listChanges(db, workspaceId, { kind: 'invitation' }, { limit: 1 });
    expect(later).to.include({ subjectName: '' });
    expect(later?.after).to.include({ role: 'viewer' });
  });
});
