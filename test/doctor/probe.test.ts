import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Config } from '../../src/config.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { probe } from '../../src/doctor/proxy.ts';
import { freePort } from '../support/free-port.ts';
import { ensureBuilt, runQrelay } from '../support/programs.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTlsNginx } from '../support/tls-nginx.ts';
import { findingsIn, goodConfig } from './setup.ts';

const metricsToken = 'token-of-the-operator';

describe('qrelay doctor --probe', function () {
  this.timeout(120_000);
  let service: TestService;
  let nginx: NonNullable<Awaited<ReturnType<typeof start>>>;

  async function start() {
    const pass = `proxy_pass ${service.url}; proxy_set_header X-Forwarded-For`;
    const appended = `${pass} $proxy_add_x_forwarded_for;`;
    return startTlsNginx({
      good: appended,
      twice: `${appended} add_header Strict-Transport-Security "max-age=60";`,
      hidden: `${appended} proxy_hide_header Strict-Transport-Security;`,
      off: `${appended} proxy_hide_header Strict-Transport-Security; add_header Strict-Transport-Security "max-age=0";`,
      forgeable: `${pass} $http_x_forwarded_for;`,
      bare: `${pass} "";`,
      behind: `${pass} "$http_x_forwarded_for, 81.2.69.142, 10.0.0.8";`,
      down: `proxy_pass http://127.0.0.1:${await freePort()};`,
      redirecting: 'return 301 https://www.example.com$request_uri;',
      other: "return 200 'hello';",
    });
  }

  before(async function () {
    await ensureBuilt();
    service = await startService({ config: { trustProxyHops: 1, metricsToken } });
    const started = await start();
    if (!started) return this.skip();
    nginx = started;
  });
  after(async () => {
    await nginx?.stop();
    await service?.stop();
  });

  const check = async (baseUrl: string, changes: Partial<Config> = {}, httpPort = 80) =>
    probe(goodConfig({ baseUrl, metricsToken, ...changes }), {
      httpPort,
      ca: await readFile(nginx.caFile, 'utf8'),
    });
  const bad = async (...given: Parameters<typeof check>) =>
    (await check(...given)).filter(({ state }) => state !== 'ok');

  it('is content with a proxy that passes HSTS on and appends the client address', async () => {
    const { stdout } = await runQrelay(['doctor', '--json', '--probe'], {
      DATABASE_URL: service.databaseUrl,
      BASE_URL: nginx.urls.good,
      TRUST_PROXY_HOPS: '1',
      HOST: '127.0.0.1',
      METRICS_TOKEN: metricsToken,
      NODE_EXTRA_CA_CERTS: nginx.caFile,
    });
    expect(stdout).to.not.include(metricsToken);
    const { findings: all } = JSON.parse(stdout) as { findings: Finding[] };
    const findings = all.filter(({ subject }) => subject === 'proxy');
    expect(findingsIn(findings, 'warning')).to.deep.equal([]);
    expect(findingsIn(findings, 'failure')).to.deep.equal([]);
    const fine = findingsIn(findings, 'ok');
    expect(fine).to.include.members([
      `proxy: ${nginx.urls.good}/healthz answers, through every proxy in front.`,
      'proxy: Strict-Transport-Security arrives once: max-age=31536000.',
      'proxy: The request from 127.0.0.1 with "127.0.0.1" is attributed to 127.0.0.1.',
    ]);
    expect(fine.join()).to.match(/is encrypted \(TLSv1\.\d\), with a certificate that is valid until 20/);
  });

  const mistakes: [name: keyof typeof nginx.urls, finding: RegExp, remedy: RegExp][] = [
    ['twice', /^Strict-Transport-Security is sent 2 times/, /^Remove it from the proxy/],
    ['hidden', /^Strict-Transport-Security is missing/, /pass the header on/],
    ['off', /^Strict-Transport-Security has no effect \(max-age=0\)/, /^Remove it from the proxy/],
    ['forgeable', /^A client can forge its address/, /\$proxy_add_x_forwarded_for/],
    ['bare', /^The proxy adds no address to X-Forwarded-For/, /\$proxy_add_x_forwarded_for/],
    ['behind', /is attributed to 10\.0\.0\.8, which looks like one of your own proxies/, /HOPS to 2\.$/],
    ['down', /is answered with status 502, and not by Qrelay/, /^Start a web process/],
    ['redirecting', /redirects to https:\/\/www\.example\.com\/healthz/, /^Set BASE_URL to the address/],
    ['other', /is answered with status 200, and not by Qrelay/, /forwards this host and path/],
  ];
  for (const [name, finding, remedy] of mistakes) {
    it(`says what to do about a proxy that is "${name}"`, async () => {
      const [only, ...others] = await bad(nginx.urls[name]);
      expect(others).to.deep.equal([]);
      expect(only?.finding).to.match(finding);
      expect(only?.remedy).to.match(remedy);
    });
  }

  it('says what to do about a certificate that clients reject, a wrong token, and no response', async () => {
    const [untrusted] = await probe(goodConfig({ baseUrl: nginx.urls.good }));
    expect(untrusted?.state).to.equal('failure');
    expect(untrusted?.finding).to.include('has a certificate that clients reject');
    const [rejected] = await bad(nginx.urls.good, { metricsToken: 'another-token-of-the-operator' });
    expect(rejected?.finding).to.include('does not accept METRICS_TOKEN');
    const [absent] = await bad(`https://localhost:${await freePort()}`);
    expect(absent?.finding).to.match(/cannot be reached from here \(ECONNREFUSED\)\.$/);
  });

  it('finds an address that responds without TLS, and is content with none', async () => {
    const plain = async (port: number) =>
      (await check(nginx.urls.good, {}, port)).filter(({ finding }) => finding.startsWith('http://'));
    const [found] = await plain(Number(new URL(service.url).port));
    expect(found?.state).to.equal('warning');
    expect(found?.finding).to.match(/\/healthz is answered without TLS \(status 200\)/);
    const [none] = await plain(await freePort());
    expect(none?.state).to.equal('ok');
  });

  it('learns the client address only with the token', async () => {
    for (const headers of [{}, { Authorization: 'Bearer another-token-of-the-operator' }]) {
      const answer = await fetch(`${service.url}/healthz`, { headers });
      expect(await answer.json()).to.deep.equal({ status: 'alive' });
    }
  });
});
