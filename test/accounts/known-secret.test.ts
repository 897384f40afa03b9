import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createKnownSecret } from '../../src/accounts/known-secret.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { freePort } from '../support/free-port.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('The root secret of the database', () => {
  let database: TestDatabase;
  let dataDir: string;
  let db: Database;
  let away: Database;

  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
    const port = await freePort();
    away = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, { poolMax: 1, applicationName: 'test' });
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'qrelay-secret-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  after(async () => {
    await db.destroy();
    await away.destroy();
    await database.drop();
  });

  const open = (from: Database, databaseUrl = database.url) =>
    createKnownSecret({ dataDir, databaseUrl, db: from, replicas: [] });

  it('is known without the database after it was read once, to those who have DATABASE_URL', async () => {
    expect(await open(away).find()).to.equal(undefined);
    const found = await open(db).find();
    expect(found?.from).to.equal('primary');
    await open(db).save(found?.secret);
    expect(await open(away).find()).to.deep.equal({ secret: found?.secret, from: 'disk' });
    expect(await open(away, `${database.url}_other`).find()).to.equal(undefined);
    const path = join(dataDir, 'known', 'root-secret');
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const file = await readFile(path);
    const { secret = Buffer.alloc(0) } = found ?? {};
    for (const form of [secret, secret.toString('base64'), secret.toString('hex')])
      expect(file.includes(form)).to.equal(false);
  });

  it('is not known any more after it was removed', async () => {
    await open(db).save(Buffer.from('a secret'));
    await open(db).save(undefined);
    expect(await open(away).find()).to.deep.equal({ secret: undefined, from: 'disk' });
  });

  it('is not looked for elsewhere where the database answers with an error', async () => {
    await open(db).save(Buffer.from('a secret'));
    const bare = await createBareDatabase();
    const empty = openDatabase(bare.url, { poolMax: 1, applicationName: 'test' });
    const error = await open(empty)
      .find()
      .catch((err: unknown) => err);
    expect(error).to.include({ code: '42P01' });
    await empty.destroy();
    await bare.drop();
  });
});
