import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  cleanUp,
  everyMs,
  expectAllGone,
  expectReleased,
  type Instance,
  kill,
  newFolder,
  start,
  usedDataDir,
} from './instance.ts';
import { type ScannedInstance, startScannedInstance } from './scanned-instance.ts';

describe('npm start, when a process dies [processes]', function () {
  this.timeout(90_000);
  after(cleanUp);

  describe('of a running service', () => {
    let service: ScannedInstance;
    let instance: Instance;
    before(async () => {
      service = await startScannedInstance();
      ({ instance } = service);
    });

    it('serves again after its web process is killed', () => service.expectReplaced('web'));
    it('records scans again after its worker process is killed', () => service.expectReplaced('worker'));
    it('serves and records again after its Postgres is killed', () => service.expectReplaced('postgres'));

    it('restarts its Postgres when someone else stops it', async () => {
      const old = instance.pid('postgres');
      process.kill(old, 'SIGINT');
      await eventually(() => expect(instance.pid('postgres')).to.not.equal(old), 30_000, everyMs);
      await service.expectScansCounted();
    });

    it('is not affected by a second start on the same DATA_DIR, which fails with a message', async () => {
      const { dataDir } = instance;
      const second = await start({ dataDir });
      expect(await second.exit()).to.equal(1);
      expect(second.stderr()).to.equal(
        `Another Qrelay (process ${instance.pid('standalone')}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.\n`,
      );
      expect(second.stdout()).to.equal('');
      await service.expectScansCounted();
    });

    it('stops everything on SIGTERM, even if Postgres dies at that moment', async () => {
      const postgres = instance.pid('postgres');
      instance.child.kill('SIGTERM');
      kill(postgres);
      expect(await instance.exit()).to.equal(0);
      await expectAllGone(instance.dataDir);
    });
  });

  describe('while it starts', () => {
    it('stops at once on a signal while the database is created', async () => {
      const dataDir = join(await newFolder(), 'data');
      const first = await start({ dataDir });
      await eventually(() => first.pid('initdb'));
      first.child.kill('SIGTERM');
      expect(await first.exit()).to.equal(0);
      await expectAllGone(dataDir);
      expectReleased(dataDir);
      expect(existsSync(join(dataDir, 'postgres'))).to.equal(false);
      expect(first.stdout() + first.stderr()).to.equal('');
    });

    it('stops at once on a signal while PostgreSQL starts', async () => {
      const dataDir = await usedDataDir();
      const instance = await start({ dataDir });
      await eventually(() => instance.pid('postgres'));
      instance.child.kill('SIGINT');
      expect(await instance.exit()).to.equal(0);
      await expectAllGone(dataDir);
      expectReleased(dataDir);
      expect(instance.stdout() + instance.stderr()).to.equal('');
    });

    it('ends at once when it is asked to while it waits for its turn to migrate', async () => {
      const database = await createTestDatabase();
      const { url } = database;
      const holder = new Client({ connectionString: url });
      // Not in the holder's transaction, which would see the same activity each time.
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
        /^(?:Another process is migrating this database; waiting for it\.\n)?$/,
      );
    });
  });
});
