import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { eventually } from '../support/eventually.ts';
import { type Figures, scrape } from '../support/figures.ts';
import { freePort } from '../support/free-port.ts';
import { startWebProcess, startWorkerProcess } from '../support/programs.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

const token = 'a-token-for-the-figures';
const address = '203.0.113.77';
const password = 'correct-horse-battery';

type Process = Awaited<ReturnType<typeof startWorkerProcess>>;

/** METRICS_HOST, not where the service listens. Other systems than Linux have only one loopback address. */
const metricsHost = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

describe('Figures and logs of two web processes on one port and a worker', () => {
  let database: TestDatabase;
  let db: Database;
  let web: Process & { url: string };
  let worker: Process;
  let webPortUrl: string;
  let workerPortUrl: string;
  let key: string;
  let api: ApiClient;
  let code: SharedCode;

  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    const ports = [await freePort(), await freePort()];
    [webPortUrl = '', workerPortUrl = ''] = ports.map((port) => `http://${metricsHost}:${port}/metrics`);
    const settings = {
      DATABASE_URL: database.url,
      METRICS_TOKEN: token,
      METRICS_HOST: metricsHost,
      LOG_LEVEL: 'debug',
      QRELAY_COMMIT: '1a2b3c4',
    };
    [web, worker] = await Promise.all([
      startWebProcess({
        ...settings,
        METRICS_PORT: String(ports[0]),
        WEB_CONCURRENCY: '2',
        TRUST_PROXY_HOPS: '1',
        BASE_URL: 'https://qr.test',
      }),
      startWorkerProcess({ ...settings, WORKER_METRICS_PORT: String(ports[1]) }),
    ]);
    const user = await findOrCreateUser(db, 'figures@example.com', new Date());
    await setPlan(db, ownWorkspaceId(user), 'pro');
    key = await createApiKey(db, ownWorkspaceId(user), 'test', new Date());
    api = apiClient(web.url, key);
    code = await createCode(api);
  });
  after(async () => {
    await web?.stop();
    await worker?.stop();
    await db?.destroy();
    await database?.drop();
  });

  const ofWeb = () => scrape(webPortUrl, token);
  const ofWorker = () => scrape(workerPortUrl, token);
  const answers = (figures: Figures, outcome: string) =>
    figures.get('qrelay_share_answers_total', { outcome }) ?? Number.NaN;
  const share = (options: Parameters<typeof openShare>[2] = {}) =>
    openShare(web.url, code.shareToken, {
      ...options,
      headers: { 'X-Forwarded-For': address, ...options.headers },
    });

  it('need the token: without it, 404 on the web port and 401 on the metrics ports', async () => {
    const nothing = await fetch(`${web.url}/no-such-page`);
    for (const authorization of [
      undefined,
      'Bearer wrong-token-wrong-token',
      `Basic ${token}`,
      `Bearer ${token}x`,
    ]) {
      const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
      const answer = await fetch(`${web.url}/metrics`, { headers });
      expect(answer.status).to.equal(404);
      const { error, message } = (await answer.json()) as Record<string, string>;
      expect({ error, message }).to.deep.equal({
        error: 'not_found',
        message: 'There is nothing at this address.',
      });
      expect(answer.headers.get('content-type')).to.equal(nothing.headers.get('content-type'));
      for (const url of [webPortUrl, workerPortUrl]) {
        expect((await fetch(url, { headers })).status).to.equal(401);
      }
    }
    for (const url of [`${web.url}/metrics`, webPortUrl, workerPortUrl]) {
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    }
    expect((await fetch(webPortUrl.replace('/metrics', '/'))).status).to.equal(404);
  });

  it('tell that PostgreSQL answers, that both processes are ready, and how long the queue takes', async () => {
    // Each is asked once a second.
    await eventually(async () => {
      const [webFigures, workerFigures] = [await ofWeb(), await ofWorker()];
      for (const figures of [webFigures, workerFigures])
        expect(figures.get('qrelay_database_up')).to.equal(1);
      expect(webFigures.get('qrelay_web_processes_ready')).to.equal(2);
      expect(webFigures.get('qrelay_queue_round_trip_seconds_count')).to.be.above(0);
    });
  });

  it('add up: every response has its outcome, and every counted scan reaches the worker', async () => {
    const counted = 60;
    const sent: Response[] = await Promise.all(Array.from({ length: counted }, () => share()));
    for (let index = 0; index < 3; index += 1) sent.push(await share({ method: 'HEAD' }));
    for (let index = 0; index < 4; index += 1)
      sent.push(await share({ headers: { 'Sec-Purpose': 'prefetch' } }));
    for (let index = 0; index < 5; index += 1)
      sent.push(await share({ headers: { 'User-Agent': 'Twitterbot/1.0' } }));
    expect(sent.filter(({ status }) => status === 302)).to.have.length(sent.length);
    await openShare(web.url, 'aaaaaaaaaa');
    await openShare(web.url, `${code.shareToken}.svg`);
    await share({ method: 'POST' });

    // On the shared port the sum is the same, whichever process responds.
    for (const figures of [await ofWeb(), await scrape(`${web.url}/metrics`, token), await ofWeb()]) {
      expect(answers(figures, 'counted')).to.equal(counted);
      expect(answers(figures, 'head')).to.equal(3);
      expect(answers(figures, 'prefetch')).to.equal(4);
      expect(answers(figures, 'crawler')).to.equal(5);
      expect(answers(figures, 'not_found')).to.equal(1);
      expect(answers(figures, 'image')).to.equal(1);
      expect(answers(figures, 'bad_method')).to.equal(1);
      expect(figures.get('qrelay_share_answers_total')).to.equal(sent.length + 3);
      expect(figures.get('qrelay_share_answer_seconds_count')).to.equal(sent.length);
      const way = (name: string) => figures.get(`qrelay_scans_${name}_total`) ?? Number.NaN;
      expect(way('queued') + way('spooled') + way('dropped')).to.equal(counted);
      expect(figures.get('qrelay_batch_scans_sum')).to.equal(counted);
      // Ten for each of the two processes.
      expect(figures.get('qrelay_database_connections', { state: 'max' })).to.equal(20);
    }
    await eventually(async () => {
      const [told, taken] = [await ofWeb(), await ofWorker()];
      expect(taken.get('qrelay_scans_recorded_total', { outcome: 'recorded' })).to.equal(counted);
      expect(told.get('qrelay_scans_spooled_total')).to.equal(told.get('qrelay_scans_replayed_total'));
      expect(taken.get('qrelay_scans_recorded_total', { outcome: 'dead' })).to.equal(0);
      expect(taken.get('qrelay_worker_job_scans_sum')).to.equal(taken.get('qrelay_scans_recorded_total'));
      expect(taken.get('qrelay_worker_job_seconds_count')).to.equal(
        taken.get('qrelay_worker_jobs_total', { queue: 'scans', outcome: 'done' }),
      );
      expect(taken.get('qrelay_webhook_calls_total', { outcome: 'delivered' })).to.equal(0);
      expect(taken.get('qrelay_webhook_events_waiting')).to.equal(0);
      expect(taken.get('qrelay_webhook_late_seconds')).to.equal(0);
      expect(taken.get('qrelay_webhook_endpoints', { state: 'working' })).to.equal(0);
      // The job of a schedule runs when the first worker starts.
      expect(taken.get('qrelay_worker_jobs_total', { queue: 'housekeeping', outcome: 'done' })).to.equal(1);
      const labels = allQueues.flatMap(({ name, schedules }) =>
        schedules ? Object.keys(schedules) : [name],
      );
      for (const queue of labels)
        for (const outcome of ['put_back', 'failed'])
          expect(taken.get('qrelay_worker_jobs_total', { queue, outcome }), queue).to.equal(0);
    });
  });

  it('have cumulative latency buckets, up to the number of responses', async () => {
    const figures = await ofWeb();
    const buckets = [...figures.text.matchAll(/^qrelay_share_answer_seconds_bucket\{le="(.+)"\} (\d+)$/gm)];
    const [bounds, counts] = [buckets.map(([, le]) => le), buckets.map(([, , count]) => Number(count))];
    expect(bounds.at(-1)).to.equal('+Inf');
    expect(counts).to.deep.equal(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).to.equal(figures.get('qrelay_share_answer_seconds_count'));
    // Slower than half a millisecond, and faster than a second, at least once.
    expect(counts.at(-2)).to.be.above(0);
    expect(figures.get('qrelay_share_answer_seconds_sum')).to.be.within(0.001, 60);
  });

  it('count requests by route pattern, and never by client-controlled values', async () => {
    const before = await ofWeb();
    const read = { method: 'GET', route: '/api/v1/qrcodes/:id', status: '200' };
    await api(`/qrcodes/${code.id}`);
    await fetch(`${web.url}/made-up-path-1234?a=b`, { method: 'PROPFIND' });
    await fetch(`${web.url}/codes/new`, { redirect: 'manual' });
    await fetch(`${web.url}/signin`, { method: 'POST', body: new URLSearchParams({ email: 'made-up' }) });
    const after = await ofWeb();
    expect(after.get('qrelay_http_requests_total', read)).to.equal(
      (before.get('qrelay_http_requests_total', read) ?? 0) + 1,
    );
    expect(
      after.get('qrelay_http_requests_total', { method: 'other', route: 'none', status: '404' }),
    ).to.equal(1);
    const routes = [...after.text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route);
    expect(routes.filter((route) => !/^(?:none|\/[\w/:.*-]*)$/.test(route ?? ''))).to.deep.equal([]);
    expect(routes).to.include('/codes/new');
    expect(after.text)
      .to.not.match(/made-up|PROPFIND/)
      .and.not.include(code.id);
  });

  it('name the version and commit that run, and the log does at startup', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const release = { version, commit: '1a2b3c4' };
    for (const figures of [await ofWeb(), await ofWorker()])
      expect(figures.get('qrelay_build_info', release)).to.equal(1);
    for (const program of [web, worker])
      expect(logLines(program)[0]).to.include({ msg: 'starting', ...release });
  });

  it('report the age of the geolocation data by its creation date, not its installation date', async () => {
    // geoip-lite 1.4.10 contains GeoLite2-City-CSV_20231115. Update the date with the version.
    const age = (Date.now() - Date.UTC(2023, 10, 15)) / 1000;
    expect((await ofWorker()).get('qrelay_geo_data_age_seconds', { source: 'bundled' })).to.be.closeTo(
      age,
      60,
    );
  });

  it('show that a process hangs, and keep its counters', async () => {
    const before = answers(await ofWeb(), 'counted');
    const processes = async () => (await ofWeb()).get('qrelay_web_processes');
    expect(await processes()).to.equal(2);
    expect((await ofWeb()).get('qrelay_web_processes_wanted')).to.equal(2);
    const pid = Number(logLines(web).find(({ msg }) => msg === 'listening')?.pid);
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await processes()).to.equal(1);
      expect(answers(await ofWeb(), 'counted')).to.equal(before);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually(async () => expect(await processes()).to.equal(2));
    // Still shown at the second read.
    for (let time = 0; time < 2; time += 1)
      expect((await ofWeb()).get('qrelay_event_loop_delay_seconds', { quantile: '1' })).to.be.above(1);
  });

  it('do not fall when one of the processes is killed, and keep growing', async () => {
    const before = answers(await ofWeb(), 'counted');
    const listening = () => logLines(web).filter(({ msg }) => msg === 'listening');
    const [first] = listening();
    process.kill(Number(first?.pid), 'SIGKILL');
    await eventually(() => expect(listening()).to.have.length(3));
    expect(answers(await ofWeb(), 'counted')).to.equal(before);
    await Promise.all(Array.from({ length: 20 }, () => share()));
    expect(answers(await ofWeb(), 'counted')).to.equal(before + 20);
  });

  it('are all documented, and include everything that the dashboard and the alerts use', async () => {
    const [ofBoth, guide, dashboard, alerts] = await Promise.all([
      Promise.all([ofWeb(), ofWorker()]),
      ...['README.md', 'grafana-dashboard.json', 'alerts.yml'].map((name) =>
        readFile(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8'),
      ),
    ]);
    const series = new Set(ofBoth.flatMap((figures) => [...figures.series]));
    const names = new Set(
      ofBoth.flatMap((figures) => figures.names).filter((name) => name.startsWith('qrelay_')),
    );
    const documented = [...(guide ?? '').matchAll(/^\| `(qrelay_\w+)`/gm)].map(([, name]) => name);
    expect(documented).to.have.members([...names]);

    const { panels } = JSON.parse(dashboard ?? '') as { panels: { targets?: { expr: string }[] }[] };
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = [...(alerts ?? '').matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);
    expect(asked).to.have.length.above(20);
    expect(rules).to.have.length((alerts ?? '').match(/^ +- (?:alert|record): /gm)?.length ?? 0);
    for (const expr of [...asked, ...rules]) {
      const used = expr.match(/\b(?:qrelay|nodejs|process)_\w+/g) ?? [];
      // Added by Prometheus itself.
      if (!expr.startsWith('up{')) expect(used, expr).to.not.deep.equal([]);
      for (const name of used) expect(series.has(name), `${name} in ${expr}`).to.equal(true);
      for (const [, outcomes = ''] of expr.matchAll(/(?:outcome|state|quantile)=~?"([^"]+)"/g))
        for (const outcome of outcomes.split('|'))
          expect(
            ofBoth.some(({ text }) => text.includes(`="${outcome}"`)),
            `${outcome} in ${expr}`,
          ).to.equal(true);
    }
  });

  it('are served without a key, cookie, password, address or query string in the log, and probes are logged at debug', async () => {
    const page = await fetch(`${web.url}/signup?from=query-in-the-log`);
    const cookie = page.headers
      .getSetCookie()
      .map((line) => line.split(';')[0] ?? '')
      .join('; ');
    const csrfToken = /name="csrfToken"[^>]*value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const signUp = await fetch(`${web.url}/signup`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie, 'X-Forwarded-For': address, 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams({ csrfToken, email: 'logged@example.com', password }),
    });
    expect(signUp.status).to.equal(303);
    const session = signUp.headers.getSetCookie().map((line) => /=([^;]+)/.exec(line)?.[1] ?? '');
    const read = await api(`/qrcodes/${code.id}/analytics?days=7`, {
      headers: { 'X-Forwarded-For': address },
    });
    await api('/qrcodes?cursor=query-in-the-log');
    await fetch(`${web.url}/readyz`);
    const id = read.headers.get('x-request-id');
    const line = await eventually(() => {
      const found = logLines(web).find(({ requestId }) => requestId === id);
      expect(found).to.not.equal(undefined);
      return found;
    });
    expect(line).to.include({
      level: 30,
      method: 'GET',
      route: '/api/v1/qrcodes/:id/analytics',
      status: 200,
      msg: 'request',
    });
    await eventually(() =>
      expect(logLines(web).filter(({ route }) => route === '/readyz')[0]?.level).to.equal(20),
    );
    expect(logLines(web).filter(({ route }) => route === '/metrics')[0]?.level).to.equal(20);
    const everything = web.output() + worker.output();
    const secrets = [
      key,
      key.split('_')[2],
      token,
      password,
      address,
      'query-in-the-log',
      'days=7',
      csrfToken,
    ];
    for (const secret of [...secrets, ...session, ...cookie.split('; ').map((pair) => pair.split('=')[1])]) {
      expect(secret).to.be.a('string').with.length.above(5);
      expect(everything).to.not.include(secret);
    }
  });
});

interface LogLine {
  level: number;
  pid: number;
  msg: string;
  requestId?: string;
  route?: string;
}

function logLines({ output }: Process): LogLine[] {
  const lines = output().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogLine);
}
