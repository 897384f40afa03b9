import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { runChecks } from '../../src/doctor/run-checks.ts';
import { waitUntilReady } from '../../src/queue/wait-until-ready.ts';
import { openSpool } from '../../src/queue/spool.ts';
import { openDatabase } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService } from '../support/service.ts';
import { createBareDatabase, createTestDatabase } from '../support/test-database.ts';
import { type DoctorsRedis, goodConfig, goodSettings, startGoodRedis, told } from './setup.ts';
import { testLog } from '../support/test-log.ts';

/** The test run's own PostgreSQL is told to be quick and not safe, and the map that is installed is old: both are true. */
const alwaysWarned = [
  'postgres: fsync and synchronous_commit off: a crash of the server may lose scans that were counted.',
  /^geo data: The map of addresses to places is of 20\d\d-\d\d-\d\d, \d+ days old: more and more scans get the wrong place\.$/,
];

describe('What the doctor finds', () => {
  let service: TestService;
  let own: DoctorsRedis;
  let dataDir: string;
  let redisUrl: string;
  let admin: Redis;

  before(async function () {
    own = await startGoodRedis();
    if (!own.redis) return this.skip();
    dataDir = join(own.folder, 'data');
    await mkdir(dataDir);
    redisUrl = own.redis.url;
    admin = new Redis(redisUrl);
    service = await startService({ worker: true, redisUrl, config: { dataDir } });
  });
  after(async () => {
    await service?.stop();
    admin?.disconnect();
    await own.stop();
  });

  const config = (changes: Partial<Config> = {}) =>
    goodConfig({ dataDir, databaseUrl: service.databaseUrl, redisUrl, ...changes });
  const failures = async (changes: Partial<Config>) =>
    told(await runChecks({ config: config(changes) }), 'failure');
  const warnings = async (changes: Partial<Config>) =>
    told(await runChecks({ config: config(changes) }), 'warning');

  async function withRedisSetting(name: string, value: string, check: () => Promise<void>): Promise<void> {
    const [, before = ''] = await admin.config('GET', name);
    await admin.config('SET', name, value);
    try {
      await check();
    } finally {
      await admin.config('SET', name, before);
    }
  }

  it('of a good set-up on Redis: nothing that fails, and each subject is there', async () => {
    const findings = await eventually(async () => {
      const found = await runChecks({ config: config() });
      // A worker names its connection a moment after it has started.
      expect(told(found, 'ok')).to.include('queue: 1 worker connected.');
      return found;
    });
    expect(told(findings, 'failure')).to.deep.equal([]);
    const warned = told(findings, 'warning');
    expect(warned).to.have.length(2);
    expect(warned[0]).to.equal(alwaysWarned[0]);
    expect(warned[1]).to.match(alwaysWarned[1] as RegExp);
    const fine = told(findings, 'ok');
    expect(fine).to.include.members([
      'configuration: Every variable can be read.',
      'configuration: Share addresses begin with https://qr.example.com/r/.',
      'postgres: Every migration is applied.',
      'redis: maxmemory-policy is noeviction.',
      'redis: The append-only file is on: jobs survive a restart.',
      'queue: No job waits.',
      'queue: No job was given up.',
      'queue: No scan was refused by the database.',
      'spool: No scan waits in it.',
    ]);
    for (const line of [
      /^postgres: 127\.0\.0\.1:\d+\/test_\w+ answers in \d+ ms\.$/,
      /^postgres: PostgreSQL 1\d\.\d+/,
      /^postgres: Its clock and this one differ by \d+ ms\.$/,
      /^postgres: \d+ connections may be open, \d+ are; a web process takes up to 10, a worker up to 7\.$/,
      /^redis: 127\.0\.0\.1:\d+ answers in \d+ ms\.$/,
      /^proxy: TRUST_PROXY_HOPS=1: .* from 10\.0\.0\.1 with "192\.0\.2\.66, 203\.0\.113\.7" is one of 203\.0\.113\.7\.$/,
      /^disk: \d.* free for DATA_DIR /,
    ]) {
      expect(
        fine.filter((text) => line.test(text)),
        String(line),
      ).to.have.length(1);
    }
  });

  it('of a good set-up with the queue on PostgreSQL: the worker, and the connections that it takes as well', async () => {
    const onPostgres = await startService({ worker: true, config: { dataDir } });
    try {
      await eventually(async () => {
        const found = await runChecks({
          config: config({ databaseUrl: onPostgres.databaseUrl, redisUrl: undefined }),
        });
        expect(told(found, 'failure')).to.deep.equal([]);
        const fine = told(found, 'ok');
        expect(fine).to.include('queue: 1 worker connected.').and.include('queue: No job waits.');
        expect(fine).to.include('redis: REDIS_URL is not set: the queue is in PostgreSQL.');
        expect(fine.join()).to.include('a web process takes up to 14, a worker up to 13.');
      });
    } finally {
      await onPostgres.stop();
    }
  });

  it('changes nothing: no table, no key, no file', async () => {
    const bare = await createBareDatabase();
    const emptyRedis = `${redisUrl}/7`;
    const nowhere = join(own.folder, 'not', 'made');
    await runChecks({ config: config({ databaseUrl: bare.url, redisUrl: emptyRedis, dataDir: nowhere }) });
    await runChecks({ config: config({ redisUrl: emptyRedis }) });
    const db = openDatabase(bare.url, { poolMax: 1, applicationName: 'test' });
    const tables = await db('pg_tables').whereNotIn('schemaname', ['pg_catalog', 'information_schema']);
    await db.destroy();
    await bare.drop();
    expect(tables).to.deep.equal([]);
    await admin.select(7);
    expect(await admin.dbsize()).to.equal(0);
    const failure = await rm(join(own.folder, 'not')).catch((error: NodeJS.ErrnoException) => error.code);
    expect(failure).to.equal('ENOENT');
  });

  describe('of a broken set-up', () => {
    it('a Redis that would throw jobs away, or forget them, and how to mend that', async () => {
      await withRedisSetting('maxmemory-policy', 'allkeys-lru', async () => {
        const findings = await runChecks({ config: config() });
        const bad = findings.filter(({ state }) => state === 'failure');
        expect(bad).to.have.length(1);
        expect(bad[0]?.finding).to.include('maxmemory-policy is allkeys-lru');
        expect(bad[0]?.remedy).to.include('CONFIG SET maxmemory-policy noeviction');
      });
      await withRedisSetting('appendonly', 'no', async () => {
        expect(await warnings({})).to.include(
          'redis: The append-only file is off: a restart of Redis loses the scans that wait in it.',
        );
      });
      expect(await failures({})).to.deep.equal([]);
    });

    it('a Redis that is away, and all that can be said without it', async () => {
      const findings = await runChecks({
        config: config({ redisUrl: `redis://:hidden-word@127.0.0.1:${await freePort()}` }),
      });
      const [only, ...others] = told(findings, 'failure');
      expect(only).to.match(/^redis: 127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED/);
      expect(others).to.deep.equal([]);
      expect(told(findings, 'warning')).to.include('queue: Not examined: what is wrong above comes first.');
      expect(told(findings, 'ok')).to.include('postgres: Every migration is applied.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a Redis that refuses the password, which is not shown', async () => {
      await withRedisSetting('requirepass', 'right-word', async () => {
        const wrong = redisUrl.replace('redis://', 'redis://:hidden-word@');
        for (const url of [wrong, redisUrl]) {
          const found = await failures({ redisUrl: url });
          expect(found).to.have.length(1);
          expect(found[0]).to.match(/^redis: 127\.0\.0\.1:\d+ refuses us: (WRONGPASS|NOAUTH)[^.]+\.$/);
          expect(found[0]).to.not.include('hidden-word');
        }
        expect(
          await failures({ redisUrl: redisUrl.replace('redis://', 'redis://:right-word@') }),
        ).to.deep.equal([]);
      });
    });

    it('a PostgreSQL that is away', async () => {
      const databaseUrl = `postgres://qrelay:hidden-word@127.0.0.1:${await freePort()}/qrelay`;
      const findings = await runChecks({ config: config({ databaseUrl }) });
      expect(told(findings, 'failure')).to.have.length(1);
      expect(told(findings, 'failure')[0]).to.match(
        /^postgres: 127\.0\.0\.1:\d+\/qrelay cannot be reached \(ECONNREFUSED\)\.$/,
      );
      expect(told(findings, 'ok')).to.include('redis: maxmemory-policy is noeviction.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a PostgreSQL that refuses the password, or has no such database; no password is shown', async () => {
      const wrong = new URL(service.databaseUrl);
      const right = wrong.password;
      wrong.password = 'hidden-word';
      const [refused = ''] = await failures({ databaseUrl: wrong.href });
      expect(refused).to.match(/^postgres: \S+ refuses us: password authentication failed/);
      expect(refused).to.not.include('hidden-word');
      wrong.password = right;
      wrong.pathname = '/nowhere';
      const [absent = ''] = await failures({ databaseUrl: wrong.href });
      expect(absent).to.match(/^postgres: \S+ refuses us: database "nowhere" does not exist/);
      expect(absent).to.not.include(right);
    });

    it('a database that was never migrated, nor its queue', async () => {
      const bare = await createBareDatabase();
      const found = await failures({ databaseUrl: bare.url, redisUrl: undefined });
      await bare.drop();
      expect(found).to.have.length(2);
      expect(found[0]).to.match(/^postgres: The schema lacks 0001-accounts, 0002-qr-codes, /);
      expect(found[1]).to.equal("queue: The queue's own tables are not there.");
    });

    it('a database that a newer release has migrated, and one that takes no writes', async () => {
      const database = await createTestDatabase();
      const db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
      await db('migrations').insert({ name: '9999-later', batch: 9, migration_time: new Date() });
      expect(await warnings({ databaseUrl: database.url })).to.include(
        'postgres: The schema has 9999-later, which this release does not know.',
      );
      const name = new URL(database.url).pathname.slice(1);
      await db.raw('ALTER DATABASE ?? SET default_transaction_read_only = on', [name]);
      expect(await failures({ databaseUrl: database.url })).to.include(
        'postgres: The server takes no writes: it is a standby, or set to read only.',
      );
      await db.destroy();
      await database.drop();
    });

    it('clocks that differ', async () => {
      const at = async (aheadMs: number) =>
        runChecks({ config: config(), nowMs: () => Date.now() + aheadMs });
      expect(told(await at(-30_000), 'warning').join()).to.include(
        'Its clock is 30 seconds ahead of this one',
      );
      expect(told(await at(90_000), 'failure').join()).to.match(
        /Its clock is (89|90) seconds behind this one/,
      );
    });

    it('variables that cannot be read, each of them, and the rest is examined', async () => {
      const findings = await runChecks(
        readConfig({
          ...goodSettings,
          DATA_DIR: dataDir,
          DATABASE_URL: 'mysql://root:hidden-word@db.example.com/qrelay',
          REDIS_URL: redisUrl,
          PORT: 'eighty',
        }),
      );
      expect(told(findings, 'failure')).to.deep.equal([
        'configuration: PORT must be a whole number from 1 to 65535, not "eighty".',
        'configuration: DATABASE_URL must be an address that starts with postgres:// or postgresql://.',
      ]);
      expect(told(findings, 'warning')).to.include('postgres: Not examined: DATABASE_URL is invalid.');
      expect(told(findings, 'ok')).to.include('redis: maxmemory-policy is noeviction.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a file where the spool should be', async () => {
      const spoilt = join(own.folder, 'spoilt');
      await mkdir(spoilt);
      await writeFile(join(spoilt, 'spool'), '');
      const [found = ''] = await failures({ dataDir: spoilt });
      expect(found).to.include(`spool: ${join(spoilt, 'spool')} cannot be written by this user (ENOTDIR at `);
    });

    it('scans in the spool that nobody will hand over, and scans that somebody holds', async () => {
      const folder = join(own.folder, 'used', 'spool');
      await mkdir(folder, { recursive: true });
      const host = hostname().replace(/[^\w-]/g, '_');
      await writeFile(join(folder, `${host}.999999999-1-abc.1.spool`), 'x'.repeat(3_000));
      await writeFile(join(folder, `not-${host}.1-1-abc.1.spool`), 'x'.repeat(5_000));
      const spool = await openSpool({ folder, maxBytes: 2_000_000, onTornLine: () => undefined });
      await spool.append({ scans: [['id', 'code', 'x'.repeat(600_000)]], sealedAddresses: '' });
      const used = { dataDir: join(own.folder, 'used') };
      const found = await warnings(used);
      expect(found.find((text) => text.includes('belongs to no process'))).to.match(
        /^spool: 1 file \(3 kB, the oldest made \d seconds? ago\)/,
      );
      expect(
        found.find((text) => text.includes('belongs to a process of another machine or container')),
      ).to.match(/^spool: 1 file \(5 kB, the oldest made \d seconds? ago\)/);
      expect(found.find((text) => text.includes('waits for the queue'))).to.match(
        /^spool: 1 file \(586 kB, .* ago\) waits for the queue, in one process 586 kB of SPOOL_MAX_MB=256\.$/,
      );
      expect((await failures({ ...used, spoolMaxMb: 1 })).join()).to.include(
        '586 kB of SPOOL_MAX_MB=1: when it is full, scans are dropped.',
      );
      await spool.append({ scans: [['id', 'code', 'x'.repeat(440_000)]], sealedAddresses: '' });
      expect((await failures({ ...used, spoolMaxMb: 1 })).join()).to.include(
        'of SPOOL_MAX_MB=1: it is full, and scans are being dropped.',
      );
      await spool.close();
    });

    for (const engine of ['Redis', 'PostgreSQL']) {
      it(`jobs that wait and no worker (queue on ${engine})`, async () => {
        const database = await createTestDatabase();
        const place = {
          databaseUrl: database.url,
          redisUrl: engine === 'Redis' ? `${redisUrl}/9` : undefined,
        };
        expect(await warnings(place)).to.include('queue: No worker is connected: scans will wait.');
        const queue = openQueueClient({ place, log: testLog() });
        await waitUntilReady(queue);
        await queue.add(scanQueue, { scans: [], sealedAddresses: '' });
        await queue.add(scanQueue, { scans: [], sealedAddresses: '' });
        await queue.close();
        const findings = await runChecks({ config: config(place) });
        await database.drop();
        expect(told(findings, 'failure')).to.deep.equal(['queue: No worker is connected, and jobs wait.']);
        expect(told(findings, 'ok').join()).to.match(/queue: 2 jobs not done, the oldest \d seconds? old\./);
      });
    }

    it('scans that the database refused', async () => {
      const row = { job: '{}', reason: 'no room', died_at: new Date() };
      await service.db('dead_scans').insert([row, row]);
      const found = await warnings({});
      await service.db('dead_scans').delete();
      expect(found).to.include('queue: 2 scans refused by the database, and put aside.');
    });
  });
});
