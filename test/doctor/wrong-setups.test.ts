import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import type { Finding, State, Subject } from '../../src/doctor/finding.ts';
import { runChecks } from '../../src/doctor/checks.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService } from '../support/service.ts';
import { goodSettings } from './setup.ts';

type Settings = Record<string, string>;

/** Setups that start, and in which something does not do what the operator believes. */
describe('The doctor does not call it ok', () => {
  let service: TestService;
  let folder: string;
  let settings: Settings;
  let sentinel: ChildProcess | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-wrong-'));
    service = await startService({ config: { trustProxyHops: 0 } });
    settings = { ...goodSettings, DATABASE_URL: service.databaseUrl, DATA_DIR: folder };
    // A proxy on this machine. What the process has counted is in its next report.
    for (let request = 0; request < 10; request += 1)
      await fetch(`${service.url}/signin`, { headers: { 'X-Forwarded-For': '81.2.69.142' } });
  });
  after(async () => {
    sentinel?.kill('SIGKILL');
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const check = (changes: Settings = {}) => {
    const env = { ...settings, ...changes };
    return runChecks({ ...readConfig(env), env });
  };
  const of = (findings: Finding[], subject: Subject, state: State) =>
    findings.filter((finding) => finding.subject === subject && finding.state === state);

  it('if the second host of DATABASE_URL is down', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const { host } = new URL(service.databaseUrl);
    for (const hosts of [`${host},${dead}`, `${dead},${host}`]) {
      const found = await check({ DATABASE_URL: service.databaseUrl.replace(host, hosts) });
      const [finding] = of(found, 'postgres', 'warning').filter(({ finding: text }) => text.includes(dead));
      expect(finding?.finding).to.match(
        /^127\.0\.0\.1:\d+\/test_\w+ of DATABASE_URL cannot be reached \(ECONNREFUSED\): it cannot take over if the primary fails\.$/,
      );
      expect(finding?.remedy).to.equal('Start it, or remove it from DATABASE_URL.');
    }
    const both = await check({ DATABASE_URL: service.databaseUrl.replace(host, `${host},${host}`) });
    // The same server twice: both accept writes, and nothing can take over.
    expect(of(both, 'postgres', 'failure').map(({ finding }) => finding.split(': ')[0])).to.match(
      /all accept writes/,
    );
  });

  it('if REDIS_URL names a sentinel as a server', async function () {
    const program = findProgram('redis-server', 'valkey-server');
    if (!program) return this.skip();
    const [port, primaryPort] = [await freePort(), await freePort()];
    const file = join(folder, 'sentinel.conf');
    await writeFile(file, `port ${port}\ndir ${folder}\nsentinel monitor scans 127.0.0.1 ${primaryPort} 1\n`);
    sentinel = spawn(program, [file, '--sentinel'], { stdio: 'ignore' });
    await once(sentinel, 'spawn');
    const found = await eventually(async () => {
      const findings = await check({ REDIS_URL: `redis://127.0.0.1:${port}` });
      expect(of(findings, 'redis', 'failure')[0]?.finding).to.not.match(/cannot be reached/);
      return findings;
    });
    expect(of(found, 'redis', 'failure')).to.deep.equal([
      {
        subject: 'redis',
        state: 'failure',
        finding:
          'REDIS_URL names a sentinel, which accepts no jobs: scans go to the spool and are not recorded.',
        remedy: 'Name all sentinels and the primary: redis+sentinel://host1:26379,host2:26379/scans.',
      },
    ]);
  });

  it('if BASE_URL is http: a failure for the internet, and a warning in a private network', async () => {
    for (const [baseUrl, state] of [
      ['http://qr.example.com', 'failure'],
      ['http://8.8.8.8', 'failure'],
      ['http://10.1.2.3:3000', 'warning'],
      ['http://qr.lan', 'warning'],
    ] as const) {
      const [finding] = of(await check({ BASE_URL: baseUrl }), 'configuration', state);
      expect(finding?.finding, baseUrl).to.include(
        'without TLS: anyone on the network path can read passwords',
      );
      expect(finding?.remedy).to.match(/set BASE_URL to its https address before you print codes/);
    }
  });

  it('if DATA_DIR does not exist, and creates nothing there', async () => {
    const missing = join(folder, 'not', 'mounted');
    for (let time = 0; time < 2; time += 1) {
      const [finding] = of(await check({ DATA_DIR: missing }), 'disk', 'warning');
      expect(finding?.finding).to.equal(
        `DATA_DIR ${missing} does not exist: a web process creates it on the disk of ${folder}, and scans in the spool of another folder are not replayed.`,
      );
      expect(finding?.remedy).to.match(/^Correct DATA_DIR, mount its disk, or create the folder/);
    }
  });

  it('if a variable is misspelled, but does not speak of those of other programs', async () => {
    const misspelled = async (changes: Settings) =>
      of(await check(changes), 'configuration', 'warning').map(
        ({ finding, remedy }) => `${finding} ${remedy}`,
      );
    expect(await misspelled({ SCAN_QUEUE: '4' })).to.deep.equal([
      'SCAN_QUEUE is not a variable of Qrelay and is ignored: SCAN_QUEUES has its default value. Rename it to SCAN_QUEUES, or unset it.',
    ]);
    const meant = {
      REDIS_URI: 'REDIS_URL',
      TRUST_PROXY_HOP: undefined, // TRUST_PROXY_HOPS is set.
      SPOOL_MAX_BM: 'SPOOL_MAX_MB',
      QRELAY_METRICS_TOKEN: 'METRICS_TOKEN',
      QRELAY_SECRETS: 'QRELAY_SECRET',
      scan_journal: 'SCAN_JOURNAL',
      QRELAY_NONSENSE: '',
    };
    for (const [name, other] of Object.entries(meant)) {
      const [found = ''] = await misspelled({ [name]: 'value' });
      if (other === undefined) expect(found, name).to.equal('');
      else if (other === '')
        expect(found, name).to.equal(
          'QRELAY_NONSENSE is not a variable of Qrelay and is ignored. Correct its name, or unset it.',
        );
      else expect(found, name).to.contain(`${other} has its default value`);
    }
    const unrelated = `HOME HOSTNAME POST PORTS MAIL PATH LOGNAME NODE_ENV DATABASE REDIS_HOST REDIS_PORT PGHOST npm_config_loglevel
      QRELAY_SERVICE_HOST QRELAY_SERVICE_PORT QRELAY_SERVICE_PORT_HTTP QRELAY_PORT QRELAY_PORT_80_TCP QRELAY_PORT_80_TCP_ADDR
      QRELAY_WEB_PORT`;
    const others = Object.fromEntries(unrelated.split(/\s+/).map((name) => [name, 'value']));
    expect(await misspelled({ ...(process.env as Settings), ...others, ...settings })).to.deep.equal([]);
  });

  it('if a proxy forwards requests while TRUST_PROXY_HOPS is 0', async () => {
    const finding = await eventually(
      async () => {
        const [failure] = of(await check(), 'proxy', 'failure');
        expect(failure).to.not.equal(undefined);
        return failure;
      },
      30_000,
      1_000,
    );
    expect(finding?.finding).to.match(
      /^A proxy in your network forwards requests to web processes whose TRUST_PROXY_HOPS is 0 \(1 on .+\): every scan gets the place of the proxy, and all clients share one rate limit\.$/,
    );
    expect(finding?.remedy).to.match(/^Set TRUST_PROXY_HOPS to the number of your own proxies/);
    const { rows } = (await service.db.raw('SELECT state::text FROM processes')) as {
      rows: { state: string }[];
    };
    expect(JSON.stringify(rows)).to.not.contain('81.2.69.142').and.not.contain('127.0.0.1');
  });
});
