import { expect } from 'chai';
import { type Database, isDatabaseUnavailable, openDatabase } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { createBareDatabase, type TestDatabase } from '../support/test-database.ts';

const queryTimeoutMs = 600;

describe('A statement that outlives its timeout', () => {
  let database: TestDatabase;
  let observer: Database;
  let proxy: TcpProxy | undefined;
  let db: Database;

  const open = (url: string, settings = {}) =>
    openDatabase(url, { poolMax: 1, applicationName: 'test', queryTimeoutMs, ...settings });

  before(async () => {
    database = await createBareDatabase();
    observer = openDatabase(database.url, { poolMax: 2, applicationName: 'observer' });
    await observer.raw('CREATE TABLE notes (id integer PRIMARY KEY, text text)');
  });
  beforeEach(async () => {
    await observer('notes').delete();
    await observer('notes').insert({ id: 1, text: 'contended' });
  });
  afterEach(async () => {
    await db.destroy();
    await proxy?.stop();
    proxy = undefined;
  });
  after(async () => {
    await observer.destroy();
    await database.drop();
  });

  const ids = async () => observer('notes').orderBy('id').pluck<number[]>('id');

  async function failure(work: Promise<unknown>): Promise<unknown> {
    try {
      await work;
    } catch (error) {
      return error;
    }
    throw new Error('It succeeded.');
  }

  /** In a transaction, with a statement before the one that hangs. */
  const changeInTransaction = () =>
    db.transaction(async (trx) => {
      await trx('notes').insert({ id: 2, text: 'rolled back' });
      await trx('notes').where({ id: 1 }).update({ text: 'changed' });
    });

  it('waiting for a lock: the transaction is rolled back, and what is written afterwards is committed', async () => {
    db = open(database.url);
    const error = await observer.transaction(async (holder) => {
      await holder('notes').where({ id: 1 }).forUpdate();
      return failure(changeInTransaction());
    });
    expect(isDatabaseUnavailable(error)).to.equal(true);
    for (const id of [3, 4, 5]) await db('notes').insert({ id, text: 'committed' });
    expect(await ids()).to.deep.equal([1, 3, 4, 5]);
  });

  it('on a server process that hangs: its connection is discarded, and another one is used', async () => {
    db = open(database.url);
    const { rows } = (await db.raw('SELECT pg_backend_pid() AS pid')) as { rows: [{ pid: number }] };
    const [{ pid }] = rows;
    process.kill(pid, 'SIGSTOP');
    try {
      expect(isDatabaseUnavailable(await failure(changeInTransaction()))).to.equal(true);
      await db('notes').insert({ id: 3, text: 'committed' });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await db('notes').insert({ id: 4, text: 'committed' });
    await eventually(async () => expect(await ids()).to.deep.equal([1, 3, 4]));
  });

  it('never begins on a server process that hung while its connection was idle', async () => {
    db = open(database.url, { queryTimeoutMs: 30_000, trustedForMs: 0 });
    const { rows } = (await db.raw('SELECT pg_backend_pid() AS pid')) as { rows: [{ pid: number }] };
    const [{ pid }] = rows;
    process.kill(pid, 'SIGSTOP');
    try {
      await db('notes').insert({ id: 3, text: 'committed' });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await ids()).to.deep.equal([1, 3]);
  });

  it('on a connection whose packets are dropped: the pool recovers, the idle connections too', async () => {
    const direct = new URL(database.url);
    proxy = await startTcpProxy(Number(direct.port));
    direct.port = String(proxy.port);
    db = open(direct.href, { poolMax: 4 });
    await Promise.all([1, 2, 3, 4].map(() => db.raw('SELECT pg_sleep(0.1)')));
    proxy.blackHole();
    expect(isDatabaseUnavailable(await failure(changeInTransaction()))).to.equal(true);
    // No second timeout, because connections that were idle at the first one are discarded too.
    for (const id of [3, 4, 5, 6]) await db('notes').insert({ id, text: 'committed' });
    expect(await ids()).to.deep.equal([1, 3, 4, 5, 6]);
  });

  it('is canceled by the server first if it responds, so nothing keeps running there', async () => {
    db = open(database.url);
    const error = (await failure(db.raw('SELECT pg_sleep(30)'))) as Error & { code?: string };
    expect(error.code).to.equal('57014');
    expect(isDatabaseUnavailable(error)).to.equal(true);
  });

  it('a transaction left idle is ended by the server', async () => {
    db = open(database.url, { idleInTransactionTimeoutMs: 300 });
    const trx = await db.transaction();
    await trx('notes').where({ id: 1 }).forUpdate();
    // The row is free again only because the server ended the other session.
    await eventually(() => observer.raw('SELECT 1 FROM notes WHERE id = 1 FOR UPDATE NOWAIT'));
    await trx.rollback().catch(() => undefined);
    await db('notes').insert({ id: 3, text: 'committed' });
    expect(await ids()).to.deep.equal([1, 3]);
  });

  it('the wait for a lock has its own limit', async () => {
    db = open(database.url, { lockTimeoutMs: 50, queryTimeoutMs: 30_000 });
    const error = (await observer.transaction(async (holder) => {
      await holder('notes').where({ id: 1 }).forUpdate();
      return failure(changeInTransaction());
    })) as Error & { code?: string };
    expect(error.code).to.equal('55P03');
    expect(isDatabaseUnavailable(error)).to.equal(true);
  });

  it('drops the connection to a server that has become read-only: the new primary is elsewhere', async () => {
    db = open(database.url);
    const pid = async () =>
      ((await db.raw('SELECT pg_backend_pid() AS pid')) as { rows: [{ pid: number }] }).rows[0].pid;
    const before = await pid();
    await db.raw('SET default_transaction_read_only = on');
    const error = (await failure(
      Promise.resolve(db('notes').insert({ id: 3, text: 'refused' })),
    )) as Error & {
      code?: string;
    };
    expect(error.code).to.equal('25006');
    expect(isDatabaseUnavailable(error)).to.equal(true);
    expect(await pid()).not.to.equal(before);
  });
});

describe('isDatabaseUnavailable', () => {
  for (const code of [
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ECONNREFUSED',
    'ECONNABORTED',
    '25006',
    '57P01',
    '55P03',
    '57014',
    '53100',
    '58030',
    '08006',
    '40P01',
  ])
    it(`is true for the temporary error ${code}`, () => {
      expect(isDatabaseUnavailable(Object.assign(new Error('failed'), { code }))).to.equal(true);
    });
  for (const code of ['22P02', '23505', '42601', '28P01'])
    it(`is false for the permanent error ${code}`, () => {
      expect(isDatabaseUnavailable(Object.assign(new Error('failed'), { code }))).to.equal(false);
    });
});
