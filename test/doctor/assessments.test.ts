import { expect } from 'chai';
import { reportLines } from '../../src/cli/doctor.ts';
import { checkConfiguration } from '../../src/doctor/configuration.ts';
import { assessEncryption, type Encryption } from '../../src/doctor/connection.ts';
import { assessFiles, assessJournal, assessSpace } from '../../src/doctor/disk.ts';
import { type Finding, found } from '../../src/doctor/finding.ts';
import { assessBundledData, assessGeoDatabase } from '../../src/doctor/geo-data.ts';
import { assessHosts, assessPgBouncer } from '../../src/doctor/postgres-servers.ts';
import { assessClock, assessPartitions, assessServer, type ServerFacts } from '../../src/doctor/postgres.ts';
import { assessForwards, checkProxy } from '../../src/doctor/proxy.ts';
import { assessQueue } from '../../src/doctor/queue.ts';
import { assessQuorum, assessRedis, parseInfo } from '../../src/doctor/redis.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import type { SpoolFileState } from '../../src/queue/spool-files.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { goodConfig } from './setup.ts';

const states = (findings: Finding[]) => findings.map(({ state }) => state);
const bad = (findings: Finding[]) => findings.filter(({ state }) => state !== 'ok');
const megabyte = 1024 * 1024;

describe('How the doctor assesses states that a test cannot produce', () => {
  const server: ServerFacts = {
    version: '16.4',
    versionNumber: 160_004,
    encoding: 'UTF8',
    fsync: 'on',
    synchronousCommit: 'on',
    isReadOnly: false,
    usableConnections: 97,
    usedConnections: 3,
    webProcesses: 1,
    workerProcesses: 1,
    nowMs: 0,
  };
  const onServer = (changes: Partial<ServerFacts>, config = {}) =>
    bad(assessServer({ ...server, ...changes }, goodConfig(config)));

  it('PostgreSQL: safe settings are fine; old versions, other encodings and standbys fail', () => {
    expect(onServer({})).to.deep.equal([]);
    expect(onServer({ synchronousCommit: 'local' })).to.deep.equal([]);
    expect(onServer({ versionNumber: 150_000 })).to.deep.equal([]);
    expect(states(onServer({ version: '14.20', versionNumber: 140_020 }))).to.deep.equal(['warning']);
    expect(states(onServer({ version: '13.9', versionNumber: 130_009 }))).to.deep.equal(['failure']);
    expect(states(onServer({ encoding: 'SQL_ASCII' }))).to.deep.equal(['failure']);
    expect(states(onServer({ isReadOnly: true }))).to.deep.equal(['failure']);
    const [off] = onServer({ synchronousCommit: 'off' });
    expect(off?.state).to.equal('warning');
    expect(off?.remedy).to.equal('ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf();');
  });

  it('PostgreSQL: there must be enough connections for the processes of this setup', () => {
    const redisUrl = 'redis://localhost';
    // 10 for the web process, 11 for the worker, 5 to spare; without Redis more, depending on the queues.
    expect(onServer({ usableConnections: 26 }, { redisUrl })).to.deep.equal([]);
    expect(states(onServer({ usableConnections: 25 }, { redisUrl }))).to.deep.equal(['warning']);
    const enough = connectionCounts(goodConfig({})).all + 5;
    expect(enough).to.be.above(26);
    expect(onServer({ usableConnections: enough })).to.deep.equal([]);
    expect(states(onServer({ usableConnections: enough - 1 }))).to.deep.equal(['warning']);
    expect(states(onServer({}, { redisUrl, webConcurrency: 9 }))).to.deep.equal(['warning']);
    // Processes on other machines count: 5 × 10, 6 × 11, 5 to spare.
    const fleet = { webProcesses: 5, workerProcesses: 6 };
    expect(onServer({ ...fleet, usableConnections: 121 }, { redisUrl })).to.deep.equal([]);
    const [tooFew] = onServer({ ...fleet, usableConnections: 120 }, { redisUrl });
    expect(tooFew?.finding).to.include('together 116 for 5 web processes and 6 workers: too few');
    expect(tooFew?.remedy).to.include('Set max_connections to 131 or more');
    // Sizes from the environment count, and one connection that measures the lag of replicas.
    const sizes = { redisUrl, webPoolSize: 20, workerPoolSize: 8, databaseReplicaUrl: 'postgres://b/q' };
    expect(onServer({ usableConnections: 39 }, sizes)).to.deep.equal([]);
    expect(states(onServer({ usableConnections: 38 }, sizes))).to.deep.equal(['warning']);
  });

  it('TLS: plain connections may stay in a private network; certificates are checked and renewed in time', () => {
    const now = Date.parse('2026-11-16T00:00:00Z');
    const assess = (encryption: Encryption) =>
      found(assessEncryption('redis', 'db:1', encryption, { encrypt: 'Encrypt.', verify: 'Verify.' }, now));
    const plain = (address: string | undefined) => assess({ address, tls: undefined });
    for (const local of [undefined, '127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(plain(local)).to.deep.equal([]);
    for (const near of ['10.0.0.7', '192.168.1.5', 'fd00::1'])
      expect(states(plain(near))).to.deep.equal(['ok']);
    for (const far of ['81.2.69.142', '2a00:1450::1']) {
      expect(states(plain(far))).to.deep.equal(['warning']);
      expect(plain(far)[0]?.remedy).to.equal('Encrypt.');
    }
    const tls = (isVerified: boolean, validUntil: string) =>
      assess({
        address: '81.2.69.142',
        tls: { version: 'TLSv1.3', isVerified, validUntil: new Date(validUntil) },
      });
    expect(tls(true, '2026-12-01T00:00:00Z')).to.deep.equal([
      {
        subject: 'redis',
        state: 'ok',
        finding:
          'The connection to db:1 is encrypted (TLSv1.3), with a certificate that is valid until 2026-12-01.',
      },
    ]);
    expect(tls(true, '2026-11-29T00:00:00Z')[0]?.finding).to.include('13 days from now');
    expect(tls(false, '2027-11-29T00:00:00Z')[0]?.remedy).to.equal('Verify.');
  });

  it('Sentinel: too few sentinels, and one that is named alone, are warnings; no quorum is a failure', () => {
    const state = (...given: Parameters<typeof assessQuorum>) => assessQuorum(...given).state;
    expect(state(3, 3, 'OK 3 usable Sentinels.')).to.equal('ok');
    expect(state(2, 2, 'OK 2 usable Sentinels.')).to.equal('warning');
    expect(state(5, 1, 'OK 5 usable Sentinels.')).to.equal('warning');
    expect(state(3, 3, 'NOQUORUM 1 usable Sentinels.')).to.equal('failure');
  });

  it('PgBouncer: too few clients, or a small pool in session mode, are warnings', () => {
    const facts = { version: 'PgBouncer 1.18.0', maxClients: 100, poolSize: 20 };
    const state = (mode: 'session' | 'transaction', wanted: number) =>
      assessPgBouncer(facts, mode, wanted).state;
    expect([state('transaction', 100), state('transaction', 101)]).to.deep.equal(['ok', 'warning']);
    expect([state('session', 20), state('session', 21)]).to.deep.equal(['ok', 'warning']);
    expect(assessPgBouncer(undefined, 'session', 21).state).to.equal('ok');
  });

  it('metrics: a port without a token is a warning unless it is on loopback', () => {
    const onPort = (changes: object) =>
      bad(checkConfiguration(goodConfig({ metricsPort: 9464, ...changes }), [])).map(({ state }) => state);
    expect(onPort({ metricsHost: undefined })).to.deep.equal(['warning']);
    expect(onPort({ metricsHost: undefined, metricsToken: 'x'.repeat(16) })).to.deep.equal([]);
    expect(onPort({ metricsHost: '127.0.0.1' })).to.deep.equal([]);
  });

  it('clocks: two seconds of skew are ok, more than a minute is a failure', () => {
    const skews = [0, 2_000, -2_000, 2_001, -60_000, 60_001, -60_001];
    expect(states(skews.map(assessClock))).to.deep.equal([
      'ok',
      'ok',
      'ok',
      'warning',
      'warning',
      'failure',
      'failure',
    ]);
  });

  const redis = (changes: Record<string, string | number>) =>
    bad(
      assessRedis(
        parseInfo(
          Object.entries({
            redis_version: '7.0.15',
            role: 'master',
            maxmemory_policy: 'noeviction',
            aof_enabled: 1,
            used_memory: 10 * megabyte,
            maxmemory: 0,
            ...changes,
          })
            .map(([name, value]) => `${name}:${value}\r\n`)
            .join('# Section\r\n'),
        ),
      ),
    ).map(({ state, finding }) => `${state}: ${finding}`);

  it('Redis: old versions, clusters, replicas, failed snapshots and low memory', () => {
    expect(redis({})).to.deep.equal([]);
    expect(redis({ redis_version: '6.2.0' })).to.deep.equal([]);
    expect(redis({ redis_mode: 'cluster' }).join()).to.include(
      'failure: The server is part of a Redis Cluster',
    );
    expect(redis({ rdb_last_bgsave_status: 'err' }).join()).to.include('failure: The last snapshot');
    expect(redis({ redis_version: '6.0.16' })).to.deep.equal([
      'warning: Redis 6.0.16 is older than BullMQ recommends.',
    ]);
    expect(redis({ redis_version: '4.0.9' })).to.deep.equal(['failure: Redis 4.0.9 is too old for BullMQ.']);
    expect(redis({ role: 'slave' })).to.deep.equal([
      'failure: The server is a replica and accepts no writes.',
    ]);
    expect(redis({ aof_last_write_status: 'err' })[0]).to.match(/^failure: The append-only file could not/);
    expect(redis({ maxmemory: 20 * megabyte })).to.deep.equal([]);
    expect(redis({ maxmemory: 12 * megabyte })[0]).to.match(/^warning: 10 MB of 12 MB of memory used/);
    expect(redis({ maxmemory: 10 * megabyte })[0]).to.match(/^failure: 10 MB of 10 MB of memory used/);
  });

  it('the queue: a lag of more than a minute and failed jobs are warnings, a lag of 15 minutes is a failure', () => {
    const queue = (oldestWaitingMs: number, failed = 0) =>
      bad(
        assessQueue(scanQueue, {
          jobs: { waiting: 1, active: 0, delayed: 0, scheduled: 1, failed },
          oldestWaitingMs,
          workers: 1,
        }),
      ).map(({ state, finding }) => `${state}: ${finding}`);
    expect(queue(60_000)).to.deep.equal([]);
    expect(queue(61_000)).to.deep.equal([
      'warning: scans: 1 job pending, the oldest for 61 seconds: analytics are delayed by as much.',
    ]);
    expect(queue(16 * 60_000)).to.deep.equal([
      'failure: scans: 1 job pending, the oldest for 16 minutes: analytics are delayed by as much.',
    ]);
    expect(queue(0, 2)).to.deep.equal([
      'warning: scans: 2 failed jobs: their scans are kept but not counted.',
    ]);
  });

  it('the queue: the next job of a schedule is not pending, and each queue has consequences of its own', () => {
    const idle = { waiting: 0, active: 0, delayed: 0, scheduled: 1, failed: 0 };
    for (const queue of allQueues) {
      const { name, consequences } = queue;
      const texts = (jobs: typeof idle) =>
        assessQueue(queue, { jobs, oldestWaitingMs: 0, workers: 0 }).map(
          ({ state, finding }) => `${state}: ${finding}`,
        );
      expect(texts(idle)).to.deep.equal([
        `ok: ${name}: No jobs are waiting.`,
        `warning: ${name}: No worker is connected: ${consequences.noWorker}.`,
        `ok: ${name}: No failed jobs.`,
      ]);
      expect(texts({ ...idle, waiting: 1 })[1]).to.equal(
        `failure: ${name}: No worker is connected, and jobs are waiting: ${consequences.noWorker}.`,
      );
    }
  });

  it("geo data: a warning after a year for geoip-lite's, after 90 days for a file that should be updated", () => {
    const madeAt = new Date('2026-01-01T00:00:00Z');
    expect(assessBundledData(madeAt, Date.parse('2027-01-01T12:00:00Z')).state).to.equal('ok');
    expect(assessBundledData(madeAt, Date.parse('2027-01-02T12:00:00Z')).state).to.equal('warning');
    expect(assessBundledData(undefined, 0).state).to.equal('warning');
    const database = { type: 'DBIP-City-Lite', madeAt, bytes: 60 * megabyte, hasCities: true, hasIpv6: true };
    const file = (now: string, changes = {}) =>
      assessGeoDatabase('/geo/city.mmdb', { ...database, ...changes }, Date.parse(now));
    expect(file('2026-04-01T12:00:00Z')).to.deep.equal([
      {
        subject: 'geo data',
        state: 'ok',
        finding:
          'Places come from GEO_DATABASE /geo/city.mmdb (DBIP-City-Lite, 60 MB) of 2026-01-01, 90 days old.',
      },
    ]);
    expect(states(file('2026-04-02T12:00:00Z'))).to.deep.equal(['warning']);
    expect(states(file('2026-01-02T12:00:00Z', { hasCities: false }))).to.deep.equal(['ok', 'warning']);
    expect(states(file('2026-01-02T12:00:00Z', { hasIpv6: false }))).to.deep.equal(['ok', 'warning']);
  });

  it('disk: a warning below 1 GB or the size of the spool, a failure below 100 MB', () => {
    const space = (freeMb: number, spoolMaxMb = 256) =>
      assessSpace(freeMb * megabyte, '/data', spoolMaxMb).state;
    expect([space(1_024), space(1_023), space(4_000, 5_000), space(100), space(99)]).to.deep.equal([
      'ok',
      'warning',
      'warning',
      'warning',
      'failure',
    ]);
  });

  it('disk: the journal needs as much as the spool', () => {
    const space = (freeMb: number) => assessSpace(freeMb * megabyte, '/data', 1_000, true).state;
    expect([space(1_999), space(2_000)]).to.deep.equal(['warning', 'ok']);
  });

  it('the journal: a warning when it is more than half full, or not recorded for 15 minutes', () => {
    const nowMs = Date.parse('2026-01-01T12:00:00Z');
    const file = (bytes: number, ageMinutes: number): SpoolFileState => ({
      owner: 'host.1',
      bytes,
      createdAt: new Date(nowMs - ageMinutes * 60_000),
      isAbandoned: false,
      isElsewhere: false,
      isAdopted: false,
      isJournal: true,
    });
    const assess = (files: SpoolFileState[], scanJournal: 'off' | 'on' = 'on') =>
      found(assessJournal(files, { scanJournal, spoolMaxMb: 2 }, nowMs)).map(
        ({ state, finding }) => `${state}: ${finding}`,
      );
    expect(assess([], 'off')).to.deep.equal([]);
    expect(assess([])).to.deep.equal(['ok: SCAN_JOURNAL=on: the journal is empty.']);
    const held = (of: string) => `${of} of the journal hold batches until they are recorded`;
    expect(assess([file(1_024, 15), file(megabyte - 1_024, 1)])).to.deep.equal([
      `ok: ${held('2 files (1 MB, the oldest 15 minutes old)')}.`,
    ]);
    expect(assess([file(1_024, 16), file(1_024, 1)])).to.deep.equal([
      `warning: ${held('2 files (2 kB, the oldest 16 minutes old)')}: some have not been recorded for more than 15 minutes.`,
    ]);
    expect(assess([file(1_024, 1), file(megabyte, 1)]).join()).to.include(
      'the fullest process uses 1 MB of SPOOL_MAX_MB=2: when it is full, new scans are only in the queue.',
    );
  });

  it('disk: a failure when inodes run out', () => {
    expect([assessFiles(0, 0, '/data'), assessFiles(1_000, 100, '/data')]).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(assessFiles(1_000, 99, '/data')?.state).to.equal('failure');
  });

  it('BASE_URL: a warning for loopback and private addresses without TLS, a failure for public ones', () => {
    const state = (baseUrl: string) =>
      checkConfiguration(goodConfig({ baseUrl }), []).find(({ finding }) => finding.startsWith('Share links'))
        ?.state;
    for (const local of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443']) {
      expect(state(local), local).to.equal('warning');
    }
    for (const open of ['http://qr.example.com', 'http://8.8.8.8', 'http://[2001:4860::1]']) {
      expect(state(open), open).to.equal('failure');
    }
    for (const near of ['http://192.168.1.5:3000', 'http://printer.lan']) {
      expect(state(near), near).to.equal('warning');
    }
    for (const fine of ['https://qr.example.com', 'https://192.168.1.5:3000', 'https://printer.lan']) {
      expect(state(fine), fine).to.equal('ok');
    }
  });

  it('several hosts of DATABASE_URL: all of one cluster, and one of them accepts writes', () => {
    const host = (name: string, isStandby: boolean, systemId = '1') => ({
      name,
      position: { isStandby, systemId },
    });
    const assessed = (...hosts: Parameters<typeof assessHosts>[0]) =>
      assessHosts(hosts).map(({ state, finding }) => `${state}: ${finding.split(/[:(]/)[0]?.trim()}`);
    expect(assessed(host('a', false), host('b', true))).to.deep.equal([
      'ok: All 2 hosts of DATABASE_URL respond, and one of them accepts writes.',
    ]);
    expect(assessed(host('a', false), host('b', true, '2'))).to.deep.equal([
      'failure: b of DATABASE_URL has another database',
    ]);
    expect(assessed(host('a', false), host('b', false))).to.deep.equal([
      'failure: a and b of DATABASE_URL all accept writes',
    ]);
    const refused = Object.assign(new Error('password authentication failed'), { code: '28P01' });
    expect(assessed(host('a', false), { name: 'b', error: refused })).to.deep.equal([
      'failure: b of DATABASE_URL cannot be used',
    ]);
  });

  describe('proxies', () => {
    const seen = (forwardedFor: string | undefined, remote: string, trustProxyHops: number) => {
      const findings = checkProxy(goodConfig({ trustProxyHops, baseUrl: 'http://qr.lan' }), {
        remote,
        forwardedFor,
      });
      expect(findings).to.have.length(2);
      return findings[1];
    };

    it('shows which client address a request is attributed to', () => {
      expect(seen('6.6.6.6, 81.2.69.142', '10.0.0.9', 1)).to.deep.equal({
        subject: 'proxy',
        state: 'ok',
        finding: 'The request from 10.0.0.9 with "6.6.6.6, 81.2.69.142" is attributed to 81.2.69.142.',
      });
      expect(seen(undefined, '81.2.69.142', 0)?.finding).to.equal(
        'The request from 81.2.69.142 with no X-Forwarded-For is attributed to 81.2.69.142.',
      );
    });

    it('suggests the right number of hops', () => {
      const behind = seen('81.2.69.142, 10.0.0.8', '10.0.0.9', 1);
      expect(behind?.finding).to.include(
        'is attributed to 10.0.0.8, which looks like one of your own proxies',
      );
      expect(behind?.remedy).to.equal('If 81.2.69.142 is the client, set TRUST_PROXY_HOPS to 2.');
      const unread = seen('81.2.69.142', '10.0.0.9', 0);
      expect(unread?.remedy).to.equal('If 81.2.69.142 is the client, set TRUST_PROXY_HOPS to 1.');
      const tooMany = seen('81.2.69.142', '10.0.0.9', 3);
      expect(tooMany?.state).to.equal('warning');
      expect(tooMany?.remedy).to.equal('If this is what your proxy sends, set TRUST_PROXY_HOPS to 1.');
    });

    it('counts what running web processes have seen, and not a single request', () => {
      const seenBy = (status: 'running' | 'stopped', ignoredForwards?: number) =>
        states(
          found(
            assessForwards([
              { status, host: 'a', state: { memoryBytes: 1, ...(ignoredForwards && { ignoredForwards }) } },
            ]),
          ),
        );
      expect([seenBy('running'), seenBy('running', 9), seenBy('stopped', 1_000)]).to.deep.equal([[], [], []]);
      expect(seenBy('running', 10)).to.deep.equal(['failure']);
    });

    it('warns of TRUST_PROXY_HOPS=0 with https, and of a port that is open to others than the proxy', () => {
      const warned = (changes: object) =>
        bad(checkProxy(goodConfig(changes), undefined)).map(({ finding }) => finding.split(':')[0]);
      expect(warned({})).to.deep.equal([]);
      expect(warned({ trustProxyHops: 0 })).to.deep.equal(['BASE_URL is https and TRUST_PROXY_HOPS is 0']);
      const open = 'The port is open on every address, and X-Forwarded-For is trusted';
      expect(warned({ host: undefined })).to.deep.equal([open]);
      expect(warned({ host: undefined, trustProxyHops: 0, baseUrl: 'http://qr.lan' })).to.deep.equal([]);
    });
  });

  it('prints a mark and a word for each state, in color only if requested', () => {
    const findings: Finding[] = [
      { subject: 'disk', state: 'failure', finding: 'Full.', remedy: 'Make room.' },
      { subject: 'queue', state: 'ok', finding: 'Empty.' },
    ];
    expect(reportLines(findings, false)).to.deep.equal([
      'queue',
      '  ✓ ok       Empty.',
      '',
      'disk',
      '  ✗ failure  Full.',
      '             → Make room.',
      '',
      '1 ok, 0 warnings, 1 failure',
    ]);
    expect(reportLines(findings, true)[4]).to.equal('  \u001B[31m✗ failure\u001B[0m  Full.');
  });
});

describe('The doctor on the partitions of scans', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const inDays = (days: number) => new Date(now + days * dayMs);

  it('is content while they reach far enough, and says from when raw scans are kept', () => {
    expect(assessPartitions(inDays(20), undefined, now)).to.include({
      state: 'ok',
      finding: 'Scans have partitions until 2026-12-04.',
    });
    expect(assessPartitions(inDays(90), new Date('2026-05-01'), now).finding).to.include(
      'Raw scans are kept from 2026-05-01.',
    );
  });

  it('warns when they end soon, and fails when they have ended', () => {
    expect(assessPartitions(inDays(19), undefined, now).state).to.equal('warning');
    expect(assessPartitions(inDays(0), undefined, now).state).to.equal('failure');
  });
});
