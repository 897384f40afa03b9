import { expect } from 'chai';
import { Scan, type ScanRow } from '../../../src/scans/scan.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { createCode, type SharedCode } from '../../support/share.ts';
import { daysAgo } from './code-page.ts';

const missingId = '01890000-0000-7000-8000-000000000000';
const email = 'owner-of-pages@example.com';

/** What needs no browser: what the page of a code and its export contain, and to whom they answer. */
describe('The pages of a code', () => {
  let service: TestService;
  let owner: FormClient;
  let code: SharedCode;

  before(async () => {
    service = await sharedService();
    owner = await signedIn(service, email);
  });
  beforeEach(async () => {
    const api = apiClient(service.url, await service.makeKey({ email }));
    code = await createCode(api, { name: 'Poster «Café»' });
  });

  const record = (rows: [days: number, changes?: Partial<ScanRow>][]) =>
    Scan.record(
      service.db,
      rows.map(([days, changes]) => scanRow(code.id, daysAgo(days), changes)),
    );
  const textOf = async (answer: Response) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer());

  it('open with 30 days, and ignore unknown periods', async () => {
    await record([[0]]);
    for (const query of ['', '?days=8', '?days=30.0', '?before=no-id']) {
      const html = await (await owner.get(`/codes/${code.id}${query}`)).text();
      const periods = /<nav[^>]* aria-label="Period".*?<\/nav>/s.exec(html)?.[0] ?? '';
      expect(periods.match(/aria-current="page"[^>]*>[^<]*/g), query).to.deep.equal([
        'aria-current="page">30 days',
      ]);
    }
  });

  it('list every scan once, 20 per page', async () => {
    await record(Array.from({ length: 45 }, (_, index) => [index / 100, { city: `City ${index}` }]));
    const read = async (path: string) => {
      const html = await (await owner.get(path)).text();
      const table = /<caption[^>]*>Scans, newest first<.*?<\/table>/s.exec(html)?.[0] ?? '';
      const linkTo = (name: string) =>
        new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${name}</a>`).exec(html)?.[1]?.replaceAll('&amp;', '&');
      return {
        places: table.match(/City \d+, United Kingdom/g) ?? [],
        earlier: linkTo('Earlier scans'),
        newest: linkTo('Newest scans'),
      };
    };
    let shown = await read(`/codes/${code.id}?days=7`);
    const seen = [shown.places];
    while (shown.earlier) {
      shown = await read(
        new URL(shown.earlier, `${service.url}/codes/${code.id}`).href.slice(service.url.length),
      );
      seen.push(shown.places);
    }
    expect(seen.map((places) => places.length)).to.deep.equal([20, 20, 5]);
    expect(seen.flat()).to.deep.equal(
      Array.from({ length: 45 }, (_, index) => `City ${index}, United Kingdom`),
    );
    expect(shown.newest).to.contain('days=7');
    const newest = new URL(shown.newest ?? '', `${service.url}/codes/${code.id}`).href;
    expect((await read(newest.slice(service.url.length))).places).to.deep.equal(seen[0]);
  });

  it('export the scans as CSV without formulas', async () => {
    const at = new Date(Date.now() - 60_000);
    const rows = [
      scanRow(code.id, at.toISOString()),
      scanRow(code.id, new Date(at.getTime() - 1_000).toISOString(), {
        region: '-1',
        city: '=HYPERLINK("http://x","y")',
        browser: '@SUM(A1), "quoted"',
        os: '+line\r\nbreak',
      }),
      scanRow(code.id, new Date(at.getTime() - 2_000).toISOString(), {
        country: 'ZZ',
        region: null,
        city: null,
        latitude: null,
        longitude: null,
        browser: '\tTab',
        os: 'Café 中文',
      }),
    ];
    await Scan.record(service.db, rows);
    const file = await owner.get(`/codes/${code.id}/scans.csv`);
    expect(file.status).to.equal(200);
    expect(file.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).to.equal(
      `attachment; filename="Poster _Caf__ scans.csv"; filename*=UTF-8''Poster%20%C2%ABCaf%C3%A9%C2%BB%20scans.csv`,
    );
    const [first, second, third] = rows.map(({ id, scannedAt }) => `${id},${scannedAt.toISOString()}`);
    expect(await textOf(file)).to.equal(
      [
        '\uFEFFid,scannedAt,country,region,city,latitude,longitude,device,browser,os',
        `${first},GB,ENG,St Albans,51.753,-0.3256,mobile,Mobile Safari,iOS`,
        `${second},GB,'-1,"'=HYPERLINK(""http://x"",""y"")",51.753,-0.3256,mobile,"'@SUM(A1), ""quoted""","'+line\r\nbreak"`,
        `${third},ZZ,,,,,mobile,'\tTab,Café 中文`,
        '',
      ].join('\r\n'),
    );
  });

  it('export all scans, also in several reads', async () => {
    await record(Array.from({ length: 2_001 }, (_, index) => [index / 100]));
    const text = await textOf(await owner.get(`/codes/${code.id}/scans.csv`));
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 36));
    expect(ids.length).to.equal(2_001);
    expect(ids).to.deep.equal([...new Set(ids)].toSorted().toReversed());
  });

  it('do not exist for other accounts', async () => {
    await record([[0]]);
    const stranger = await signedIn(service, `stranger-of-${email}`);
    for (const path of ['', '/events', '/scans.csv']) {
      const answers = [];
      for (const id of [code.id, missingId]) {
        const answer = await stranger.get(`/codes/${id}${path}`);
        const main = /<main.*<\/main>/s.exec(await answer.text())?.[0] ?? '';
        expect(main).not.to.equal('');
        answers.push({ status: answer.status, main: main.replace(/[0-9a-f-]{36}/g, '') });
      }
      expect(answers[0]?.status).to.equal(404);
      expect(answers[1]).to.deep.equal(answers[0]);
    }
    const anyone = await fetch(`${service.url}/codes/${code.id}`, { redirect: 'manual' });
    expect(anyone.headers.get('location')).to.equal(
      `/signin?next=${encodeURIComponent(`/codes/${code.id}`)}`,
    );
    // As a browser requests a stream, which cannot show the sign-in page.
    const headers = { Accept: 'text/event-stream' };
    expect((await fetch(`${service.url}/codes/${code.id}/events`, { headers })).status).to.equal(404);
  });
});
