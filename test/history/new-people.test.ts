import { expect } from 'chai';
import { createSignInLink, useSignInLink } from '../../src/accounts/account-links.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { signInByIdentity } from '../../src/accounts/identity-sign-in.ts';
import { signUpAsInvited } from '../../src/accounts/invitation-links.ts';
import { digestOf, newToken } from '../../src/accounts/secrets.ts';
import { findOrCreateUser, findUserByEmail } from '../../src/accounts/users.ts';
import { defaultLimits } from '../../src/limits.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { runAs } from '../../src/store/actor.ts';
import { foundWorkspace } from '../../src/workspaces/founding.ts';
import { inviteByMail } from '../../src/workspaces/invitations.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** As in a request of somebody who is not signed in. */
const requestId = 'request-of-a-stranger';
const inRequest = <Value>(work: () => Promise<Value>) => runAs({ kind: 'service', requestId }, work);

describe('What people change while they sign up or in', () => {
  let database: TestDatabase;
  let db: Database;
  const now = new Date();
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
  });
  beforeEach(() => db('changes').delete());
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  async function expectTheirs(email: string, entry: { kind: string; action: string }): Promise<void> {
    const { id } = await findUserByEmail(db, email);
    const columns = ['kind', 'action', 'actor_kind', 'actor_id', 'actor_name', 'request_id'];
    const found = (await db('changes').where({ request_id: requestId }).select(columns)) as unknown[];
    const theirs = { actor_kind: 'person', actor_id: id, actor_name: email, request_id: requestId };
    expect(found).to.deep.equal([{ ...entry, ...theirs }]);
  }

  const identityOf = (login: string) => ({
    issuer: 'https://id.example.com',
    subject: login,
    authenticatedAt: undefined,
    verifiedEmail: async () => `${login}@example.com`,
  });

  it('is theirs when they accept an invitation with a new account', async () => {
    const owner = await findOrCreateUser(db, 'owner@example.com', now);
    const inviting = {
      workspaceId: ownWorkspaceId(owner),
      createdBy: owner.id,
      role: 'editor',
      days: 1,
      ofPlans: defaultLimits,
    } as const;
    await inviteByMail(db, { ...inviting, emails: ['invited@example.com'] }, now);
    const token = newToken();
    await db('invitations').update({ token_hash: digestOf(token) });
    const accepting = { token, ofPlans: defaultLimits, passwordHash: 'hash', language: 'en' } as const;
    expect(await inRequest(() => signUpAsInvited(db, accepting, now))).to.include.keys('user');
    await expectTheirs('invited@example.com', { kind: 'member', action: 'created' });
  });

  it('is theirs when they join a workspace by their first sign-in with the provider', async () => {
    const owner = await findOrCreateUser(db, 'founder@example.com', now);
    const { slug } = await foundWorkspace(db, { userId: owner.id, name: 'Staff', now }, defaultLimits);
    const workspace = { slug, role: 'viewer' } as const;
    const rules = {
      domains: [],
      mayCreate: true,
      language: 'en',
      workspace,
      ofPlans: defaultLimits,
    } as const;
    await inRequest(() => signInByIdentity(db, identityOf('joins'), rules, now));
    await expectTheirs('joins@example.com', { kind: 'member', action: 'created' });
  });

  it('is theirs when they prove that an address is theirs, which revokes keys, with the provider', async () => {
    const user = await findOrCreateUser(db, 'claims@example.com', now);
    await createApiKey(db, ownWorkspaceId(user), 'Of somebody else', now);
    const rules = { domains: [], mayCreate: false, language: 'en', ofPlans: defaultLimits } as const;
    const result = await inRequest(() => signInByIdentity(db, identityOf('claims'), rules, now));
    expect(result).to.include({ isClaimed: true });
    await expectTheirs('claims@example.com', { kind: 'key', action: 'changed' });
  });

  it('is theirs when they do that with a link', async () => {
    const user = await findOrCreateUser(db, 'link@example.com', now);
    await createApiKey(db, ownWorkspaceId(user), 'Of somebody else', now);
    const token = await createSignInLink(db, user, now, { isMailed: true });
    const used = await inRequest(() => useSignInLink(db, token, 'hash', now));
    expect(used?.revoked).to.deep.equal({ keys: 1, webhooks: 0 });
    await expectTheirs('link@example.com', { kind: 'key', action: 'changed' });
  });
});
