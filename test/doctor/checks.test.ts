import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { periodicQueue } from '../../src/queue/periodic-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { runChecks } from '../../src/doctor/checks.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { currentRelease, releaseName } from '../../src/runtime/release.ts';
import { openSpool } from '../../src/queue/spool.ts';
import { hourMs } from '../../src/runtime/units.ts';
import { openDatabase } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type TestService, startService } from '../support/service.ts';
import { createBareDatabase, createTestDatabase } from '../support/test-database.ts';
import {
  type DoctorsRedis,
  findingsIn,
  goodConfig,
  goodSettings,
  startGoodRedis,
  warningsOfFolder,
} from './setup.ts';
import { testLog } from '../support/test-log.ts';

/** True for every test: the PostgreSQL of the test run is configured for speed, and the installed geolocation data is old. */
const alwaysWarned = [
  'postgres: fsync and synchronous_commit off: a crash of the server can lose scans that were counted.',
  /^geo data: Places come from geoip-lite's data \(GeoLite2 City\) of 20\d\d-\d\d-\d\d, \d+ days old: more and more scans get the wrong place\.$/,
];

/** Of every queue, although three of them have a next job that is not due yet. */
const idleQueues = allQueues.flatMap(({ name }) =>
  ['No jobs are waiting.', '1 worker connected.', 'No failed jobs.'].map((text) => `queue: ${name}: ${text}`),
);

describe('The doctor', () => {
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
    findingsIn(await runChecks({ config: config(changes) }), 'failure');
  const warnings = async (changes: Partial<Config>) =>
    findingsIn(await runChecks({ config: config(changes) }), 'warning');

  async function withRedisSetting(name: string, value: string, check: () => Promise<void>): Promise<void> {
    const [, before = ''] = await admin.config('GET', name);
    await admin.config('SET', name, value);
    try {
      await check();
    } finally {
      await admin.config('SET', name, before);
    }
  }

  it('finds no failure in a good setup on Redis, and reports on each subject', async () => {
    const findings = await eventually(async () => {
      const found = await runChecks({ config: config() });
      // A worker names its connection shortly after it has started.
      expect(findingsIn(found, 'ok')).to.include.members(idleQueues);
      return found;
    });
    expect(findingsIn(findings, 'failure')).to.deep.equal([]);
    const warned = findingsIn(findings, 'warning');
    expect(warned).to.have.length(2 + warningsOfFolder);
    expect(warned[0]).to.equal(alwaysWarned[0]);
    expect(warned[1]).to.match(alwaysWarned[1] as RegExp);
    const fine = findingsIn(findings, 'ok');
    expect(fine).to.include.members([
      `configuration: Qrelay ${releaseName(currentRelease({ commit: undefined }))}.`,
      'configuration: All environment variables are valid.',
      'configuration: Share links start with https://qr.example.com/r/.',
      'postgres: All migrations are applied.',
      'redis: maxmemory-policy is noeviction.',
      'redis: The append-only file is on: jobs survive a restart.',
      'queue: No dead scans.',
      'queue: There are no counters to compare.',
      'postgres: No session is idle in a transaction.',
      'spool: The spool is empty.',
    ]);
    for (const line of [
      /^postgres: 127\.0\.0\.1:\d+\/test_\w+ responds in \d+ ms\.$/,
      /^postgres: PostgreSQL 1\d\.\d+/,
      /^postgres: The server's clock differs from this machine's by \d+ ms\.$/,
      /^postgres: \d+ connections allowed, \d+ open; a web process opens up to 10, a worker up to 11, together \d+ for \d+ web process(es)? and 1 worker\.$/,
      /^redis: 127\.0\.0\.1:\d+ responds in \d+ ms\.$/,
      /^proxy: TRUST_PROXY_HOPS=1: .* from 10\.0\.0\.1 with "192\.0\.2\.66, 203\.0\.113\.7" is attributed to 203\.0\.113\.7\.$/,
      /^disk: \d.* free for DATA_DIR /,
    ]) {
      expect(
        fine.filter((text) => line.test(text)),
        String(line),
      ).to.have.length(1);
    }
  });

  it('finds the worker, and counts its connections, when the queue is on PostgreSQL', async () => {
    const onPostgres = await startService({ worker: true, config: { dataDir } });
    const { web, worker } = connectionCounts(goodConfig({}));
    try {
      await eventually(async () => {
        const found = await runChecks({
          config: config({ databaseUrl: onPostgres.databaseUrl, redisUrl: undefined }),
        });
        expect(findingsIn(found, 'failure')).to.deep.equal([]);
        const fine = findingsIn(found, 'ok');
        expect(fine).to.include.members(idleQueues);
        expect(fine).to.include('redis: REDIS_URL is not set: the queue is in PostgreSQL.');
        expect(fine.join()).to.include(
          `a web process opens up to ${web}, a worker up to ${worker}, together ${web + worker} for 1 web process and 1 worker.`,
        );
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

  describe('finds in a broken setup', () => {
    it('a Redis that evicts jobs or loses them in a restart, and says how to fix it', async () => {
      await withRedisSetting('maxmemory-policy', 'allkeys-lru', async () => {
        const findings = await runChecks({ config: config() });
        const bad = findings.filter(({ state }) => state === 'failure');
        expect(bad).to.have.length(1);
        expect(bad[0]?.finding).to.include('maxmemory-policy is allkeys-lru');
        expect(bad[0]?.remedy).to.include('CONFIG SET maxmemory-policy noeviction');
      });
      await withRedisSetting('appendonly', 'no', async () => {
        expect(await warnings({})).to.include(
          'redis: The append-only file is off: a restart of Redis loses the scans in the queue.',
        );
      });
      expect(await failures({})).to.deep.equal([]);
    });

    it('a Redis that is down, and still reports on the rest', async () => {
      const findings = await runChecks({
        config: config({ redisUrl: `redis://:hidden-word@127.0.0.1:${await freePort()}` }),
      });
      const [only, ...others] = findingsIn(findings, 'failure');
      expect(only).to.match(/^redis: 127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED/);
      expect(others).to.deep.equal([]);
      expect(findingsIn(findings, 'warning')).to.include(
        'queue: Not checked, because of the failures above.',
      );
      expect(findingsIn(findings, 'ok')).to.include('postgres: All migrations are applied.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a Redis that rejects the password, which is not shown', async () => {
      await withRedisSetting('requirepass', 'right-word', async () => {
        const wrong = redisUrl.replace('redis://', 'redis://:hidden-word@');
        for (const url of [wrong, redisUrl]) {
          const found = await failures({ redisUrl: url });
          expect(found).to.have.length(1);
          expect(found[0]).to.match(/^redis: 127\.0\.0\.1:\d+ rejects the login: (WRONGPASS|NOAUTH)[^.]+\.$/);
          expect(found[0]).to.not.include('hidden-word');
        }
        expect(
          await failures({ redisUrl: redisUrl.replace('redis://', 'redis://:right-word@') }),
        ).to.deep.equal([]);
      });
    });

    it('a PostgreSQL that is down', async () => {
      const databaseUrl = `postgres://qrelay:hidden-word@127.0.0.1:${await freePort()}/qrelay`;
      const findings = await runChecks({ config: config({ databaseUrl }) });
      expect(findingsIn(findings, 'failure')).to.have.length(1);
      expect(findingsIn(findings, 'failure')[0]).to.match(
        /^postgres: 127\.0\.0\.1:\d+\/qrelay cannot be reached \(ECONNREFUSED\)\.$/,
      );
      expect(findingsIn(findings, 'ok')).to.include('redis: maxmemory-policy is noeviction.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a PostgreSQL that rejects the password, or a database that does not exist, and shows no password', async () => {
      const wrong = new URL(service.databaseUrl);
      const right = wrong.password;
      wrong.password = 'hidden-word';
      const [refused = ''] = await failures({ databaseUrl: wrong.href });
      expect(refused).to.match(/^postgres: \S+ rejects the login: password authentication failed/);
      expect(refused).to.not.include('hidden-word');
      wrong.password = right;
      wrong.pathname = '/nowhere';
      const [absent = ''] = await failures({ databaseUrl: wrong.href });
      expect(absent).to.match(/^postgres: \S+ rejects the login: database "nowhere" does not exist/);
      expect(absent).to.not.include(right);
    });

    it('a database and a queue that were never migrated', async () => {
      const bare = await createBareDatabase();
      const found = await failures({ databaseUrl: bare.url, redisUrl: undefined });
      await bare.drop();
      expect(found).to.have.length(2);
      expect(found[0]).to.match(/^postgres: Migrations not applied: 0001-accounts, 0002-qr-codes, /);
      expect(found[1]).to.equal('queue: The tables of the queue do not exist.');
    });

    it('a database that a newer release has migrated, and one that is read-only', async () => {
      const database = await createTestDatabase();
      const db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
      await db('migrations').insert({ name: '9999-later', batch: 9, migration_time: new Date() });
      expect(await warnings({ databaseUrl: database.url })).to.include(
        'postgres: The schema has migrations that this release does not know: 9999-later.',
      );
      const name = new URL(database.url).pathname.slice(1);
      await db.raw('ALTER DATABASE ?? SET default_transaction_read_only = on', [name]);
      expect(await failures({ databaseUrl: database.url })).to.include(
        'postgres: The server accepts no writes: it is a standby or set to read-only.',
      );
      await db.destroy();
      await database.drop();
    });

    it('clocks that differ', async () => {
      const at = async (aheadMs: number) =>
        runChecks({ config: config(), nowMs: () => Date.now() + aheadMs });
      expect(findingsIn(await at(-30_000), 'warning').join()).to.include(
        "The server's clock is 30 seconds ahead of this machine's",
      );
      expect(findingsIn(await at(90_000), 'failure').join()).to.match(
        /The server's clock is (89|90) seconds behind this machine's/,
      );
    });

    it('every invalid variable, and still checks the rest', async () => {
      const findings = await runChecks(
        readConfig({
          ...goodSettings,
          DATA_DIR: dataDir,
          DATABASE_URL: 'mysql://root:hidden-word@db.example.com/qrelay',
          REDIS_URL: redisUrl,
          PORT: 'eighty',
        }),
      );
      expect(findingsIn(findings, 'failure')).to.deep.equal([
        'configuration: PORT must be a whole number from 1 to 65535, not "eighty".',
        'configuration: DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
      ]);
      expect(findingsIn(findings, 'warning')).to.include('postgres: Not checked: DATABASE_URL is invalid.');
      expect(findingsIn(findings, 'ok')).to.include('redis: maxmemory-policy is noeviction.');
      expect(JSON.stringify(findings)).to.not.include('hidden-word');
    });

    it('a file where the spool should be', async () => {
      const blocked = join(own.folder, 'blocked');
      await mkdir(blocked);
      await writeFile(join(blocked, 'spool'), '');
      const [found = ''] = await failures({ dataDir: blocked });
      expect(found).to.include(`spool: ${join(blocked, 'spool')} is not writable for this user (ENOTDIR at `);
    });

    it('spool files of exited processes, of other machines and of live processes', async () => {
      const folder = join(own.folder, 'used', 'spool');
      await mkdir(folder, { recursive: true });
      const host = hostname().replace(/[^\w-]/g, '_');
      await writeFile(join(folder, `${host}.999999999-1-abc.1.spool`), 'x'.repeat(3_000));
      await writeFile(join(folder, `not-${host}.1-1-abc.1.spool`), 'x'.repeat(5_000));
      await writeFile(join(folder, `${host}.999999999-1-abc.2.journal`), '');
      const spool = await openSpool({ folder, maxBytes: 2_000_000, onTornLine: () => undefined });
      await spool.append({ scans: [['id', 'code', 'x'.repeat(600_000)]], sealedAddresses: '' });
      const used = { dataDir: join(own.folder, 'used') };
      const found = await warnings(used);
      expect(found.find((text) => text.includes('belong to a process that has exited'))).to.match(
        /^spool: 2 files \(3 kB, the oldest \d seconds? old\)/,
      );
      expect(
        found.find((text) =>
          text.includes('belongs to a process on another machine or in another container'),
        ),
      ).to.match(/^spool: 1 file \(5 kB, the oldest \d seconds? old\)/);
      expect(found.find((text) => text.includes('waits for the queue'))).to.match(
        /^spool: 1 file \(586 kB, .* old\) waits for the queue; the fullest process uses 586 kB of SPOOL_MAX_MB=256\.$/,
      );
      expect((await failures({ ...used, spoolMaxMb: 1 })).join()).to.include(
        '586 kB of SPOOL_MAX_MB=1: when the spool is full, scans are dropped.',
      );
      await spool.append({ scans: [['id', 'code', 'x'.repeat(440_000)]], sealedAddresses: '' });
      expect((await failures({ ...used, spoolMaxMb: 1 })).join()).to.include(
        'of SPOOL_MAX_MB=1: the spool is full, and scans are dropped.',
      );
      await spool.close();
    });

    for (const engine of ['Redis', 'PostgreSQL']) {
      it(`waiting jobs without a worker (queue on ${engine})`, async () => {
        const database = await createTestDatabase();
        const place = {
          databaseUrl: database.url,
          redisUrl: engine === 'Redis' ? `${redisUrl}/9` : undefined,
        };
        expect(await warnings(place)).to.include(
          'queue: scans: No worker is connected: scans are not recorded until one is.',
        );
        const queue = openQueueClient({ place, log: testLog() });
        await waitUntilReady(queue);
        await queue.add(scanQueue, { scans: [], sealedAddresses: '' });
        await queue.add(scanQueue, { scans: [], sealedAddresses: '' });
        await queue.close();
        const findings = await runChecks({ config: config(place) });
        await database.drop();
        expect(findingsIn(findings, 'failure')).to.deep.equal([
          'queue: scans: No worker is connected, and jobs are waiting: scans are not recorded until one is.',
        ]);
        expect(findingsIn(findings, 'ok').join()).to.match(
          /queue: scans: 2 jobs pending, the oldest for \d seconds?\./,
        );
      });
    }

    for (const engine of ['Redis', 'PostgreSQL']) {
      it(`scheduled jobs without a worker, as soon as they are due (queue on ${engine})`, async () => {
        const database = await createTestDatabase();
        const place = {
          databaseUrl: database.url,
          redisUrl: engine === 'Redis' ? `${redisUrl}/10` : undefined,
        };
        const log = testLog();
        const ran = new Set<string>();
        // Due again at once, or in an hour.
        const schedules = { purge: { every: 100, data: {} }, partitions: { every: hourMs, data: {} } };
        const worker = openQueueWorker(
          place,
          { ...periodicQueue, schedules },
          async (_data, jobName) => void ran.add(jobName),
          log,
        );
        await eventually(() => expect([...ran]).to.have.members(['purge', 'partitions']));
        await worker.close();
        const findings = await eventually(async () => {
          const found = await runChecks({ config: config(place) });
          expect(findingsIn(found, 'failure')).to.deep.equal([
            'queue: periodic: No worker is connected, and jobs are waiting: no webhooks and notices are sent, and nothing is cleaned up, until one is.',
          ]);
          return found;
        });
        await database.drop();
        expect(findingsIn(findings, 'ok').join('\n')).to.match(
          /^queue: periodic: 1 job pending, the oldest for \d seconds?\.$/m,
        );
        expect(findingsIn(findings, 'warning')).to.include(
          'queue: mail: No worker is connected: no emails are sent until one is.',
        );
      });
    }

    it('dead scans', async () => {
      const row = { job: '{}', reason: 'no room', died_at: new Date() };
      await service.db('dead_scans').insert([row, row]);
      const found = await warnings({});
      await service.db('dead_scans').delete();
      expect(found).to.include('queue: 2 dead scans: the database refused to record them.');
    });
  });
});
