import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { createBackoff } from '../../src/runtime/backoff.ts';
import { processIdentity } from '../../src/runtime/process-identity.ts';
import { claimDataDir } from '../../src/store/data-dir.ts';
import { findBinaries } from '../../src/store/embedded/cluster.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  supervisePostgres,
} from '../../src/store/embedded/server.ts';
import { eventually } from '../support/eventually.ts';
import { testLog } from '../support/test-log.ts';

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => String(error),
  );

describe('the embedded Postgres', () => {
  let folder: string;
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-embedded-'));
    dataDir = join(folder, 'data');
    await mkdir(dataDir);
    postgres = await startEmbeddedPostgres({ dataDir });
  });
  after(async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(url: string, question: string): Promise<unknown[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(question)).rows;
    } finally {
      await client.end();
    }
  }

  it('gives the service a role that owns its database and has no other rights', async () => {
    const rows = await ask(
      postgres.url,
      `SELECT current_database() AS name, pg_get_userbyid(datdba) AS owner, rolsuper, rolcreatedb, rolcreaterole
       FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`,
    );
    expect(rows).to.deep.equal([
      { name: 'qrelay', owner: 'qrelay', rolsuper: false, rolcreatedb: false, rolcreaterole: false },
    ]);
  });

  it('is found through its data folder while it runs', async () => {
    expect(await findEmbeddedPostgres(dataDir)).to.equal(postgres.url);
    expect(await findEmbeddedPostgres(folder)).to.equal(undefined);
  });

  it('is restarted on the same port whenever it is killed, until it is stopped', async () => {
    const stop = supervisePostgres(postgres, testLog(), createBackoff({ firstMs: 1 }));
    for (let times = 0; times < 2; times += 1) {
      const { process: old } = postgres;
      old.kill('SIGKILL');
      await eventually(async () => {
        expect(postgres.process).to.not.equal(old);
        expect(await findEmbeddedPostgres(dataDir)).to.equal(postgres.url);
      });
    }
    const { process: last } = postgres;
    last.kill('SIGKILL');
    await once(last, 'exit');
    // During the restart: no process may be left.
    await stop();
    expect(await findEmbeddedPostgres(dataDir)).to.equal(undefined);
    postgres = await startEmbeddedPostgres({ dataDir });
  });

  it('does not mistake another program with a reused PID for its server', async () => {
    await postgres.stop();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${other.pid}\n/elsewhere\n0\n5432\n\n\n`);
    postgres = await startEmbeddedPostgres({ dataDir });
    expect(await findEmbeddedPostgres(dataDir)).to.equal(postgres.url);
    expect(other.exitCode ?? other.signalCode, 'the other program was ended').to.equal(null);
    other.kill('SIGKILL');
  });

  it('leaves nothing running when the start is aborted', async () => {
    await postgres.stop();
    const giveUp = new AbortController();
    const started = rejection(startEmbeddedPostgres({ dataDir, signal: giveUp.signal }));
    await eventually(() => {
      if (!existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) throw new Error('not begun');
    });
    giveUp.abort();
    expect(await started).to.match(/AbortError/);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(false);
    postgres = await startEmbeddedPostgres({ dataDir });
  });

  it('runs as root from a checkout that only root can enter', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const home = await mkdtemp(join(tmpdir(), 'qrelay-home-'));
    const { initdb } = await findBinaries();
    spawnSync('cp', ['-a', dirname(dirname(initdb)), join(home, 'native')]);
    const [bin, itsData] = [join(home, 'native', 'bin'), join(home, 'data')];
    await mkdir(itsData);
    const binaries = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
    const own = await startEmbeddedPostgres({ dataDir: itsData, binaries });
    expect(await ask(own.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await own.stop();
    await rm(home, { recursive: true });
  });

  it('reports a password file from another backup', async () => {
    await postgres.stop();
    const path = join(dataDir, 'postgres', 'qrelay-credentials.json');
    const right = await readFile(path, 'utf8');
    await writeFile(path, JSON.stringify({ superuser: 'wrong', service: 'wrong' }));
    expect(await rejection(startEmbeddedPostgres({ dataDir }))).to.match(
      /does not accept the password in its qrelay-credentials\.json/,
    );
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(false);
    await writeFile(path, right);
    postgres = await startEmbeddedPostgres({ dataDir });
  });
});

describe('the claim on DATA_DIR', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'qrelay-claim-')), 'made', 'on demand');
  });
  afterEach(() => rm(join(dataDir, '..', '..'), { recursive: true, force: true }));

  it('is given to one process at a time', async () => {
    const release = await claimDataDir(dataDir);
    expect(await rejection(claimDataDir(dataDir, { timeoutMs: 0 }))).to.include(
      `Another Qrelay (process ${process.pid}) is using ${dataDir}`,
    );
    await release();
    await (await claimDataDir(dataDir, { timeoutMs: 0 }))();
  });

  it('waits for one that is about to be released', async () => {
    const release = await claimDataDir(dataDir);
    const second = claimDataDir(dataDir);
    await release();
    await (await second)();
  });

  it('of a live process of an earlier release, which wrote no namespace, is respected', async () => {
    const identity = (await processIdentity(process.pid)).split('-').slice(0, 3).join('-');
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'qrelay.pid'), identity);
    const error = await claimDataDir(dataDir, { timeoutMs: 0 }).catch((reason: unknown) => reason);
    expect(String(error)).to.include(`Another Qrelay (process ${process.pid}) is using`);
  });

  it('of an exited process is stale, as is an unreadable one', async () => {
    const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    const identity = await processIdentity(gone.pid ?? 0);
    await once(gone, 'exit');
    await mkdir(dataDir, { recursive: true });
    // The same PID with another start time is another process.
    for (const claim of [identity, `${process.pid}-1-x`, 'nonsense', '']) {
      await writeFile(join(dataDir, 'qrelay.pid'), claim);
      await (await claimDataDir(dataDir, { timeoutMs: 0 }))();
    }
  });

  it('is given to exactly one of several processes that find it stale', async () => {
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'qrelay.pid'), 'nonsense');
    const module = new URL('../../dist/src/store/data-dir.js', import.meta.url).href;
    const claim = `import(${JSON.stringify(module)})
      .then(({ claimDataDir }) => claimDataDir(process.argv[1], { timeoutMs: 0 }))
      .then(() => console.log('mine') ?? process.stdin.resume(), () => console.log('not mine'))`;
    const processes = [1, 2, 3, 4].map(() => spawn(process.execPath, ['-e', claim, dataDir]));
    // Each process holds its claim until its input ends.
    const answers = await Promise.all(
      processes.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])),
    );
    for (const { stdin } of processes) stdin.end();
    expect(answers.toSorted((a, b) => a.localeCompare(b))).to.deep.equal([
      'mine\n',
      'not mine\n',
      'not mine\n',
      'not mine\n',
    ]);
  });
});
