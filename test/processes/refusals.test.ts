import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { SetupError } from '../../src/errors.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  asNobody,
  cleanUp,
  expectAllGone,
  folderOfNobody,
  isRoot,
  newFolder,
  processesOf,
  standalone,
  start,
  usedDataDir,
  webProgram,
} from './instance.ts';

describe('npm start, when it cannot start [processes]', () => {
  after(cleanUp);

  /** Exit code 1, nothing on standard output, no stack, nothing left running. */
  async function refusal(options: Parameters<typeof start>[0], lines = 1): Promise<string> {
    const instance = await start(options);
    expect(await instance.exit()).to.equal(1);
    await expectAllGone(options.dataDir);
    expect(instance.stdout()).to.equal('');
    expect(instance.stderr()).to.not.match(/^\s+at |Error:|node:internal/m);
    expect(instance.stderr().trim().split('\n'), instance.stderr()).to.have.length(lines);
    return instance.stderr();
  }

  it('says that the port is in use, and which variable to set', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const sentence = await refusal({ dataDir: join(await newFolder(), 'data'), port });
    expect(sentence)
      .to.include(`Port ${port} is in use`)
      .and.include(`PORT=${port + 1} npm start`);
    other.close();
  });

  it('says that HOST is not an address of this machine', async () => {
    const options = { dataDir: join(await newFolder(), 'data'), env: { HOST: '192.0.2.1' } };
    expect(await refusal(options)).to.match(/cannot listen on 192\.0\.2\.1:\d+ \(EADDRNOTAVAIL\)/);
  });

  it('says that DATA_DIR cannot be created', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    expect(await refusal({ dataDir: join(file, 'data') })).to.include('is not writable (ENOTDIR)');
  });

  it('says that DATA_DIR is not writable', async function () {
    if (!isRoot) this.skip();
    const folder = await folderOfNobody();
    await rm(folder, { recursive: true });
    await mkdir(folder, { mode: 0o755 });
    const options = { dataDir: folder, command: [...asNobody, ...standalone] };
    expect(await refusal(options)).to.include('is not writable (EACCES)');
  });

  it('says which part of a half-written database is missing', async () => {
    const [first, ...others] = ['PG_VERSION', join('global', 'pg_control'), 'qrelay-credentials.json'];
    const dataDir = await usedDataDir();
    const partOf = (part: string) => join(dataDir, 'postgres', part);
    await rename(partOf(first), join(dataDir, 'kept'));
    expect(await refusal({ dataDir }))
      .to.include('incomplete')
      .and.include(`${first} is missing`);
    await rename(join(dataDir, 'kept'), partOf(first));
    for (const part of others) {
      await rename(partOf(part), join(dataDir, 'kept'));
      const error = await startEmbeddedPostgres({ dataDir }).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(SetupError);
      expect(String(error)).to.include('incomplete').and.include(`${part} is missing`);
      await rename(join(dataDir, 'kept'), partOf(part));
    }
  });

  it('repeats what PostgreSQL reports about its files', async () => {
    const dataDir = await usedDataDir();
    await writeFile(join(dataDir, 'postgres', 'global', 'pg_control'), '');
    expect(await refusal({ dataDir })).to.match(/did not start on .*: .*pg_control.*postgres\.log/);
  });

  it('says that the database was created by another version of PostgreSQL', async () => {
    const dataDir = await usedDataDir();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '9\n');
    expect(await refusal({ dataDir })).to.match(
      /was created by PostgreSQL 9, but the embedded version is \d\d/,
    );
  });

  it('says that DATABASE_URL cannot be reached', async () => {
    const env = { DATABASE_URL: `postgres://qrelay@127.0.0.1:${await freePort()}/qrelay` };
    const sentence = await refusal({ dataDir: join(await newFolder(), 'data'), env });
    expect(sentence).to.include('cannot be reached (ECONNREFUSED)').and.include('DATABASE_URL');
  });

  it('reports every error of the environment at once', async () => {
    const env = {
      PORT: 'http',
      BASE_URL: 'qr.example.com',
      DATABASE_URL: 'mysql://example.com',
      REDIS_URL: 'localhost',
      QR_CODE_LIFETIME_DAYS: '0',
      TRUST_PROXY_HOPS: '-1',
      LOG_LEVEL: 'loud',
      WEB_CONCURRENCY: '1.5',
    };
    const report = await refusal({ dataDir: join(await newFolder(), 'data'), env }, 9);
    for (const name of Object.keys(env)) expect(report).to.include(`- ${name} `);
  });
});

describe('The web process, when it cannot start [processes]', () => {
  after(cleanUp);

  it('says that the spool is not writable, even though the queue is up', async () => {
    const database = await createTestDatabase();
    const dataDir = join(await newFolder(), 'data');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'spool'), 'a file where the folder should be');
    const instance = await start({
      dataDir,
      command: webProgram,
      env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    });
    expect(await instance.exit()).to.equal(1);
    expect(instance.stderr()).to.equal('');
    expect(JSON.parse(instance.stdout())).to.include({
      level: 60,
      name: 'web',
      msg: `DATA_DIR ${dataDir} is not writable (EEXIST). Free disk space and give this user write permission there, or set DATA_DIR to another folder.`,
    });
    await database.drop();
  });

  it('says which queue the other processes use, where REDIS_URL is missing', async () => {
    const database = await createTestDatabase();
    const db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
    const current = { role: 'current', engine: 'redis', identity: 'an id', address: 'redis.internal:6379' };
    await db('queues_in_use').insert(current);
    await db.destroy();
    const instance = await start({
      dataDir: join(await newFolder(), 'data'),
      command: webProgram,
      env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    });
    expect(await instance.exit()).to.equal(1);
    expect((JSON.parse(instance.stdout()) as { msg: string }).msg).to.match(
      /on Redis at redis\.internal:6379, .* PostgreSQL, because REDIS_URL is not set: .* `qrelay queue use`/,
    );
    await database.drop();
  });
});

describe('WEB_CONCURRENCY=2, when it cannot start [processes]', () => {
  after(cleanUp);

  it('says that the port is in use, and leaves no process behind', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const database = await createTestDatabase();
    // Nothing listens there, and a process that is left behind would retry forever.
    const env = { DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const instance = await start({
      dataDir: join(await newFolder(), 'data'),
      command: webProgram,
      env: { WEB_CONCURRENCY: '2', LOG_LEVEL: 'silent', ...env },
      port,
    });
    expect(await instance.exit()).to.equal(1);
    expect(processesOf(instance.dataDir)).to.deep.equal([]);
    // Each process may have printed the message before it was told to stop.
    const lines = instance.stdout().trim().split('\n');
    expect(lines.length).to.be.within(1, 2);
    for (const line of lines)
      expect((JSON.parse(line) as { msg: string }).msg).to.match(
        new RegExp(`^Port ${port} is in use\\. .*$`),
      );
    expect(instance.stderr()).to.equal('');
    other.close();
    await database.drop();
  });
});
