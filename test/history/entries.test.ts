import { expect } from 'chai';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { defaultDesign } from '../../src/codes/design/design.ts';
import { insertStyle } from '../../src/codes/styles/styles.ts';
import { type ChangeKind, listChanges } from '../../src/history/changes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { inviteByMail } from '../../src/workspaces/invitations.ts';
import { addMember } from '../../src/workspaces/members.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('An entry of the history', () => {
  let database: TestDatabase;
  let db: Database;
  let owner: User;
  let workspaceId: WorkspaceId;
  const now = new Date();
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    owner = await findOrCreateUser(db, 'owner@example.com', now);
    workspaceId = ownWorkspaceId(owner);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const entries = (kind: ChangeKind) => listChanges(db, workspaceId, { kind }, { limit: 100 });

  it('about a new style has the whole design, also what is null in it', async () => {
    expect(defaultDesign).to.include({ logo: null });
    const input = { name: 'Mine', design: defaultDesign, isDefault: false };
    await insertStyle(db, workspaceId, input, now);
    const [entry] = await entries('style');
    expect(entry?.after).to.deep.include({ name: 'Mine', design: defaultDesign });
    expect(entry?.after).not.to.have.any.keys('foregroundColor');
  });

  it('has times in one form, whatever the time zone of the connection', async () => {
    const until = new Date(now.getTime() + dayMs);
    await db.transaction(async (transaction) => {
      await transaction.raw(`SET LOCAL timezone = 'Asia/Kolkata'`);
      await transaction('api_keys').insert({
        id: '00000000-0000-7000-8000-000000000001',
        user_id: workspaceId,
        name: 'Key',
        prefix: 'prefix00',
        secret_hash: Buffer.alloc(32),
        expires_at: until,
        created_at: now,
      });
    });
    const [entry] = await entries('key');
    expect(entry?.after).to.deep.equal({ name: 'Key', expiresAt: until.toISOString() });
  });

  it('about revoked invitations of somebody who leaves is only of those that could be accepted', async () => {
    const leaving = await findOrCreateUser(db, 'leaving@example.com', now);
    await db.transaction((transaction) =>
      addMember(transaction, { workspaceId, userId: leaving.id, role: 'owner' }, now),
    );
    const emails = ['open@example.com', 'used@example.com', 'expired@example.com'];
    const inviting = { workspaceId, createdBy: leaving.id, role: 'viewer', days: 1 } as const;
    await inviteByMail(db, { ...inviting, ofPlans: defaultLimits, emails }, now);
    await db('invitations').where({ email: 'used@example.com' }).update({ uses: 1 });
    await db('invitations')
      .where({ email: 'expired@example.com' })
      .update({ expires_at: new Date(now.getTime() - dayMs) });
    await db('changes').where({ kind: 'invitation' }).delete();
    await db('workspace_members').where({ user_id: leaving.id, workspace_id: workspaceId }).delete();
    const { id } = (await db('invitations').where({ email: 'open@example.com' }).first('id')) as {
      id: string;
    };
    expect((await entries('invitation')).map(({ subjectId }) => subjectId)).to.deep.equal([id]);
  });
});
