import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runChecks } from '../../src/doctor/checks.ts';
import { goodConfig } from '../doctor/setup.ts';
import { apiClient } from '../support/api-client.ts';
import { jsonLines } from '../support/json-lines.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/figures.ts';
import { signedIn } from '../support/form-client.ts';
import { freePort } from '../support/free-port.ts';
import { stAlbans } from '../support/geo-records.ts';
import { mmdbFile } from '../support/mmdb.ts';
import { ensureBuilt, outcomeOf, startProgram, startWorkerProcess } from '../support/programs.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

/** Not in geoip-lite's data. */
const address = '192.0.2.7';

describe('A service with GEO_DATABASE', () => {
  let folder: string;
  let file: string;
  let service: TestService;
  let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
  let metricsPort: number;

  before(async () => {
    await ensureBuilt();
    folder = await mkdtemp(join(tmpdir(), 'qrelay-geo-service-'));
    file = join(folder, 'dbip-city-lite.mmdb');
    const madeAt = new Date(Date.now() - 3 * 86_400_000);
    await writeFile(
      file,
      mmdbFile([['192.0.2.0/24', stAlbans.dbip as never]], { type: 'DBIP-City-Lite', madeAt }),
    );
    service = await startService({ config: { geoDatabase: file, trustProxyHops: 1 } });
    metricsPort = await freePort();
    worker = await startWorkerProcess({
      DATABASE_URL: service.databaseUrl,
      GEO_DATABASE: file,
      WORKER_METRICS_PORT: String(metricsPort),
    });
  });
  after(async () => {
    await worker?.stop();
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  it('records places of the file, shows them, and names their source with a link', async () => {
    const email = 'geo@example.com';
    const api = apiClient(service.url, await service.makeKey({ email }));
    const { id, shareToken } = await createCode(api);
    const owner = await signedIn(service, email);
    const page = async () => (await owner.get(`/codes/${id}`)).text();
    expect(await page()).to.not.include('db-ip.com');
    await openShare(service.url, shareToken, { headers: { 'X-Forwarded-For': address } });
    const { body } = await eventually(async () => {
      const answer = await api(`/qrcodes/${id}/scans`);
      expect(answer.body.data).to.have.length(1);
      return answer;
    });
    expect(body.data[0]).to.include({ country: 'GB', city: 'St Albans', latitude: 51.75, longitude: -0.33 });
    expect(await page())
      .to.include('<a href="https://db-ip.com" rel="noreferrer">IP geolocation by DB-IP</a>')
      .and.include('St Albans');
  });

  it('reports its age as a metric of the worker', async () => {
    const figures = await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(figures.get('qrelay_geo_data_age_seconds', { source: 'file' })).to.be.closeTo(3 * 86_400, 120);
    expect(figures.get('qrelay_geo_data_age_seconds', { source: 'bundled' })).to.equal(undefined);
  });

  it('is told by the doctor which database it is and how old, or why it cannot be used', async () => {
    const check = async (geoDatabase: string) =>
      (
        await runChecks({
          config: goodConfig({ databaseUrl: service.databaseUrl, dataDir: folder, geoDatabase }),
        })
      ).filter(({ subject }) => subject === 'geo data');
    const [found, ...others] = await check(file);
    expect(others).to.deep.equal([]);
    expect(found?.state).to.equal('ok');
    expect(found?.finding).to.match(
      /^Places come from GEO_DATABASE \S+\.mmdb \(DBIP-City-Lite, \d kB\) of 20\d\d-\d\d-\d\d, 3 days old\.$/,
    );
    const missing = join(folder, 'missing.mmdb');
    expect(await check(missing)).to.deep.equal([
      {
        subject: 'geo data',
        state: 'failure',
        finding: `GEO_DATABASE is ${missing}, which does not exist: workers do not start with it, and those that run keep what they have loaded.`,
        remedy: 'Put the database there, or correct GEO_DATABASE.',
      },
    ]);
  });

  // What it says is shown by test/workers/places.test.ts, too.
  describe('in a process of its own [processes]', () => {
    it('does not start a worker without the file, and says why in one line', async () => {
      const missing = join(folder, 'missing.mmdb');
      const { code, stdout, stderr } = await outcomeOf(
        startProgram(join('workers', 'main.js'), {
          DATABASE_URL: service.databaseUrl,
          GEO_DATABASE: missing,
        }),
      );
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
      expect(jsonLines(stdout).at(-1)).to.include({
        level: 60,
        msg: `GEO_DATABASE is ${missing}, which does not exist: the worker does not start. Put the database there, or correct GEO_DATABASE. Without GEO_DATABASE, the data of geoip-lite is used.`,
      });
    });
  });
});
