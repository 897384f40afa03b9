import { expect } from 'chai';
import { findExport, finishExport, requestExport } from '../../src/accounts/account-exports.ts';
import { releaseExportLease, renewExportLease, takeExportTurn } from '../../src/accounts/export-turns.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const minute = 60_000;
const day = 86_400_000;
const start = Date.UTC(2026, 5, 1);
const at = (ms: number) => new Date(start + ms);

describe('Exports of accounts take turns', () => {
  let database: TestDatabase;
  let db: Database;
  const names = new Map<string, string>();
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 3, applicationName: 'test' });
    names.clear();
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  async function request(name: string, ms: number): Promise<void> {
    const { id } = await findOrCreateUser(db, `${name}@example.com`, at(ms));
    names.set(id, name);
    expect(await requestExport(db, id, at(ms))).to.be.a('string');
  }

  async function take(ms: number, limits = {}) {
    const turn = await takeExportTurn(db, at(ms), limits);
    return typeof turn === 'object'
      ? { ...turn, name: names.get(turn.userId) }
      : { userId: '', requestId: '', name: turn };
  }

  async function finish(
    turn: { userId: string; requestId: string } | undefined,
    ms: number,
    bytes = 1,
  ): Promise<void> {
    const buildId = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
    await finishExport(db, { userId: '', requestId: '', ...turn, buildId, bytes }, at(ms));
  }

  it('two at a time in all workers, the others when one of them ends', async () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) await request(name, index);
    const both = await Promise.all([take(10), take(10), take(10)]);
    expect(both.map(({ name }) => name)).to.have.members(['a', 'b', 'later']);
    await finish(
      both.find(({ name }) => name === 'a'),
      20,
    );
    expect((await take(30)).name).to.equal('c');
    expect((await take(30)).name).to.equal('later');
  });

  it('first for accounts that got none within a day', async () => {
    await request('often', 0);
    await finish(await take(1), 2);
    await request('often', 3);
    await request('first', 4);
    expect((await take(5)).name).to.equal('first');
    expect((await take(5)).name).to.equal('often');
  });

  it('again after that of a worker which was killed, or which failed, but not before others', async () => {
    await request('a', 0);
    const first = await take(1);
    expect((await take(30_000)).name).to.equal('later');
    await renewExportLease(db, first, at(30_000));
    expect((await take(75_000)).name).to.equal('later');
    await request('b', 80_000);
    expect((await take(2 * minute)).name).to.equal('b');
    const again = await take(2 * minute);
    expect(again.name).to.equal('a');
    await releaseExportLease(db, again);
    expect((await take(2 * minute)).name).to.equal('a');
  });

  it('again at once after a failure, although a renewal of its lease arrives after that', async () => {
    await request('a', 0);
    const first = await take(1);
    await releaseExportLease(db, first);
    await renewExportLease(db, first, at(2));
    expect((await take(3)).name).to.equal('a');
  });

  it('in bounded storage: the oldest archives end early, but not on their first day', async () => {
    const limits = { storedBytes: 100 };
    await request('old', 0);
    await finish(await take(1), 2, 60);
    await request('new', 1.5 * day);
    await finish(await take(1.5 * day, limits), 1.5 * day, 60);
    await request('next', 1.6 * day);
    expect((await take(1.6 * day, limits)).name).to.equal('next');
    const isKept = async (name: string) => {
      const [id = ''] = [...names].find(([, each]) => each === name) ?? [];
      return (await findExport(db, id, at(1.6 * day))) !== undefined;
    };
    expect([await isKept('old'), await isKept('new')]).to.deep.equal([false, true]);
    await request('last', 1.7 * day);
    expect((await take(1.7 * day, { storedBytes: 50 })).name).to.equal('later');
  });
});
