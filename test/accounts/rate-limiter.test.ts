import { expect } from 'chai';
import { createApiKey, generateApiKey, parseApiKey, revokeApiKey } from '../../src/accounts/api-keys.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createRateLimiter, type RateLimiter } from '../../src/accounts/rate-limiter.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

describe('an address that is over its limit and sends random keys (decisions: Limits)', () => {
  let db: Database;
  let dropDatabase: () => Promise<void>;
  let statements: string[] = [];
  let limiter: RateLimiter;
  before(async () => {
    const database = await createTestDatabase();
    dropDatabase = database.drop;
    db = openDatabase(database.url, { poolMax: 4, applicationName: 'test' });
    db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  });
  after(async () => {
    await db.destroy();
    await dropDatabase();
  });

  const clientControlled = () => parseApiKey(generateApiKey().key);
  async function makeKey(): Promise<string> {
    const user = await findOrCreateUser(db, 'ann@example.com', new Date());
    return createApiKey(db, ownWorkspaceId(user), 'test', new Date());
  }
  beforeEach(async () => {
    await db('request_windows').delete();
    limiter = createRateLimiter(db, defaultLimits);
    for (let number = 0; number < 60; number += 1)
      expect(await limiter.check(clientControlled(), 'home')).to.deep.include({
        isAllowed: true,
        workspaceId: undefined,
      });
    expect(await limiter.check(clientControlled(), 'home')).to.include({ isAllowed: false });
    statements = [];
  });

  it('causes no write and few reads, however many keys it sends', async () => {
    const startedAt = performance.now();
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => limiter.check(clientControlled(), 'home')),
      );
      for (const { isAllowed, window } of answers) {
        expect(isAllowed).to.equal(false);
        expect(window).to.include({ limit: 60, remaining: 0 });
      }
    }
    expect(statements.filter((sql) => !sql.startsWith('select'))).to.deep.equal([]);
    expect(statements.length).to.be.at.most(2 + (performance.now() - startedAt) / 100);
  });

  it('causes no query for a key that was looked up before, nor without a key', async () => {
    const key = clientControlled();
    expect(await limiter.check(key, 'home')).to.include({ isAllowed: false });
    statements = [];
    for (let number = 0; number < 10; number += 1) {
      expect(await limiter.check(key, 'home')).to.include({ isAllowed: false });
      expect(await limiter.check(undefined, 'home')).to.include({ isAllowed: false });
    }
    expect(statements).to.deep.equal([]);
  });

  it('is served with a valid key, among the others', async () => {
    const key = parseApiKey(await makeKey());
    const others = Array.from({ length: 200 }, () => limiter.check(clientControlled(), 'home'));
    const answer = await limiter.check(key, 'home');
    expect(answer).to.include({ isAllowed: true });
    expect(answer.window).to.include({ limit: 20, remaining: 19 });
    await Promise.all(others);
    statements = [];
    expect((await limiter.check(key, 'home')).window).to.include({ remaining: 18 });
    expect(statements).to.have.length(1);
  });

  it('is refused with a key that has been revoked, by the window of the address, and then without a write', async () => {
    const text = await makeKey();
    const key = parseApiKey(text);
    expect(await limiter.check(key, 'home')).to.include({ isAllowed: true });
    await revokeApiKey(db, key?.prefix ?? '', new Date());
    expect(await limiter.check(key, 'home')).to.deep.include({ isAllowed: false, workspaceId: undefined });
    statements = [];
    const { isAllowed, window } = await limiter.check(key, 'home');
    expect(isAllowed).to.equal(false);
    expect(window.limit).to.equal(60);
    expect(statements).to.deep.equal([]);
  });

  it('is refused with a key that has expired by the clock of the database, and then without a write', async () => {
    const user = await findOrCreateUser(db, 'ann@example.com', new Date());
    const grant = { scopes: null, expiresAt: new Date(Date.now() + 3_600_000) };
    const key = parseApiKey(await createApiKey(db, ownWorkspaceId(user), 'test', new Date(), grant));
    const answer = await limiter.check(key, 'home');
    expect(answer).to.include({ isAllowed: true });
    expect(answer.expiresInMs).to.be.within(3_500_000, 3_600_000);
    await db('api_keys')
      .where({ prefix: key?.prefix ?? '' })
      .update({ expires_at: db.raw('now()') });
    expect(await limiter.check(key, 'home')).to.deep.include({ isAllowed: false, workspaceId: undefined });
    // Another process, which has never seen it, looks it up without a write.
    const other = createRateLimiter(db, defaultLimits);
    await other.check(clientControlled(), 'home');
    for (const each of [limiter, other]) {
      statements = [];
      expect((await each.check(key, 'home')).window.limit).to.equal(60);
      expect(statements.filter((sql) => !sql.startsWith('select'))).to.deep.equal([]);
    }
  });

  it('learns the scopes of a key in the same statement', async () => {
    const user = await findOrCreateUser(db, 'ann@example.com', new Date());
    const grant = { scopes: ['read' as const, 'webhooks' as const], expiresAt: null };
    const limited = parseApiKey(await createApiKey(db, ownWorkspaceId(user), 'test', new Date(), grant));
    const unlimited = parseApiKey(await makeKey());
    statements = [];
    const answers = [await limiter.check(limited, 'elsewhere'), await limiter.check(unlimited, 'elsewhere')];
    expect(statements).to.have.length(2);
    expect(answers.map(({ scopes }) => scopes)).to.deep.equal([['read', 'webhooks'], null]);
  });

  it('does not affect other addresses', async () => {
    expect(await limiter.check(clientControlled(), 'elsewhere')).to.include({ isAllowed: true });
  });
});
