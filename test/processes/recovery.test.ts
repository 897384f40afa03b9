import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { findEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { runQrelay } from '../support/programs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  cleanUp,
  expectAllGone,
  expectReleased,
  expectServes,
  type Instance,
  kill,
  newFolder,
  npmStart,
  processesOf,
  start,
  usedDataDir,
} from './instance.ts';

describe('npm start, when something dies', function () {
  this.timeout(90_000);
  after(cleanUp);

  describe('of a running service', () => {
    let instance: Instance;
    let shareUrl: string;
    let scans = 0;
    before(async () => {
      instance = await start({ dataDir: await usedDataDir(), env: { HANG_LIMIT_SECONDS: '5' } });
      await instance.ready();
      const { dataDir: DATA_DIR } = instance;
      const { stdout } = await runQrelay(['key', 'create', '--email', 'scans@example.com'], { DATA_DIR });
      const created = await apiClient(instance.url, stdout.trim())('/qrcodes', {
        method: 'POST',
        body: { name: 'Scanned', content: 'https://example.com/' },
      });
      shareUrl = created.body.shareUrl;
    });

    /** From the redirect to the counter: web, queue, worker and database. */
    async function expectScansCounted(): Promise<void> {
      await eventually(async () => {
        const { status } = await fetch(shareUrl, { redirect: 'manual', signal: AbortSignal.timeout(2_000) });
        if (status === 302) scans += 1;
        expect(status).to.equal(302);
      }, 20_000);
      await eventually(async () => {
        const client = new Client({ connectionString: await findEmbeddedPostgres(instance.dataDir) });
        await client.connect();
        const { rows } = await client.query('SELECT count(*)::int AS scans FROM scans');
        await client.end();
        expect(rows).to.deep.equal([{ scans }]);
      }, 20_000);
    }

    async function expectReplaced(
      role: 'web' | 'worker' | 'postgres',
      signal: NodeJS.Signals = 'SIGKILL',
    ): Promise<void> {
      const old = instance.pid(role);
      process.kill(old, signal);
      await eventually(() => expect(instance.pids(role)).to.have.length(1).and.not.include(old));
      await expectScansCounted();
      // A session that PostgreSQL has just begun goes by the name of the server for a moment.
      await eventually(() => expect(instance.pids(role)).to.have.length(1));
    }

    it('serves again after its web process is killed', () => expectReplaced('web'));
    it('records scans again after its worker process is killed', () => expectReplaced('worker'));
    it('serves again after its web process hangs', () => expectReplaced('web', 'SIGSTOP'));
    it('records scans again after its worker process hangs', () => expectReplaced('worker', 'SIGSTOP'));
    it('serves and records again after its Postgres is killed', () => expectReplaced('postgres'));

    it('starts its Postgres again when somebody else stops it', async () => {
      const old = instance.pid('postgres');
      process.kill(old, 'SIGINT');
      await eventually(() => expect(instance.pid('postgres')).to.not.equal(old));
      await expectScansCounted();
    });

    it('is not harmed by a second start on the same DATA_DIR, which says so and ends', async () => {
      const { dataDir } = instance;
      const second = await start({ dataDir });
      expect(await second.exit()).to.equal(1);
      expect(second.stderr()).to.equal(
        `Another Qrelay (process ${instance.pid('standalone')}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.\n`,
      );
      expect(second.stdout()).to.equal('');
      await expectScansCounted();
    });

    it('ends everything on SIGTERM, also when Postgres dies at that moment', async () => {
      const postgres = instance.pid('postgres');
      instance.child.kill('SIGTERM');
      kill(postgres);
      expect(await instance.exit()).to.equal(0);
      await expectAllGone(instance.dataDir);
    });
  });

  it('ends everything by itself when npm is killed', async () => {
    const instance = await start({ dataDir: await usedDataDir(), command: npmStart });
    await instance.ready();
    kill(instance.child.pid ?? 0);
    await expectAllGone(instance.dataDir);
    expectReleased(instance.dataDir);
  });

  it('recovers from being killed: with its Postgres left behind, alone, and with all the rest', async () => {
    const dataDir = await usedDataDir();
    const first = await start({ dataDir });
    await first.ready();
    const leftBehind = first.pid('postgres');
    // It cannot end by itself for now, and so meets the next start.
    process.kill(leftBehind, 'SIGSTOP');
    kill(first.pid('standalone'));
    // On the same port each time: nobody may be left to hold it.
    const { port } = first;
    const second = await start({ dataDir, port });
    process.kill(leftBehind, 'SIGCONT');
    await second.ready();
    expect(second.pids('postgres')).to.have.length(1).and.not.include(leftBehind);

    kill(second.pid('standalone'));
    await expectAllGone(dataDir);
    const third = await start({ dataDir, port });
    await third.ready();

    for (const { pid } of processesOf(dataDir)) kill(pid);
    const fourth = await start({ dataDir, port });
    await fourth.ready();
    await expectServes(fourth);
    fourth.child.kill('SIGTERM');
    expect(await fourth.exit()).to.equal(0);
    await expectAllGone(dataDir);
    expectReleased(dataDir);
  });

  describe('while it starts', () => {
    it('ends at once when it is asked to while the database is made; killed, it begins anew', async () => {
      const dataDir = join(await newFolder(), 'data');
      const first = await start({ dataDir });
      await eventually(() => first.pid('initdb'));
      first.child.kill('SIGTERM');
      expect(await first.exit()).to.equal(0);
      await expectAllGone(dataDir, 2_000);
      expectReleased(dataDir);
      expect(existsSync(join(dataDir, 'postgres'))).to.equal(false);
      expect(first.stdout() + first.stderr()).to.equal('');

      const second = await start({ dataDir });
      await eventually(() => second.pid('initdb'));
      kill(second.pid('standalone'));
      expect(existsSync(join(dataDir, 'postgres.unfinished'))).to.equal(true);
      const third = await start({ dataDir });
      await third.ready();
      await expectServes(third);
      expect(existsSync(join(dataDir, 'postgres.unfinished'))).to.equal(false);
      third.child.kill('SIGTERM');
      expect(await third.exit()).to.equal(0);
      await expectAllGone(dataDir);
    });

    it('ends at once when it is asked to while PostgreSQL starts', async () => {
      const dataDir = await usedDataDir();
      const instance = await start({ dataDir });
      await eventually(() => instance.pid('postgres'));
      instance.child.kill('SIGINT');
      expect(await instance.exit()).to.equal(0);
      await expectAllGone(dataDir, 2_000);
      expectReleased(dataDir);
      expect(instance.stdout() + instance.stderr()).to.equal('');
    });

    it('ends at once when it is asked to while it waits for its turn to migrate', async () => {
      const database = await createTestDatabase();
      const { url } = database;
      const holder = new Client({ connectionString: url });
      // Within its transaction, the holder would be shown the same activity each time.
      const watcher = new Client({ connectionString: url });
      await Promise.all([holder.connect(), watcher.connect()]);
      await holder.query('BEGIN; SELECT pg_advisory_xact_lock(7303014)');
      const instance = await start({
        dataDir: join(await newFolder(), 'data'),
        env: { DATABASE_URL: url },
      });
      try {
        await eventually(async () => {
          const { rows } = await watcher.query(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'qrelay migrations' AND query LIKE '%pg_try_advisory%'",
          );
          expect(rows).to.have.length(1);
        });
        instance.child.kill('SIGTERM');
        expect(await instance.exit()).to.equal(0);
      } finally {
        await Promise.all([holder.end(), watcher.end()]);
      }
      await expectAllGone(instance.dataDir, 2_000);
      await database.drop();
      // It may have waited long enough to say so.
      expect(instance.stdout() + instance.stderr()).to.match(
        /^(?:Another process migrates this database; waiting for it\.\n)?$/,
      );
    });
  });
});
