import { expect } from 'chai';
import { Scan, type ScanRow } from '../../../src/scans/scan.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { parseHtml, selectAll, textOf } from '../../support/html.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { createCode, type SharedCode } from '../../support/share.ts';
import { type PlainBrowser, plainBrowser } from '../../support/plain-browser.ts';
import { scan } from '../../codes/image/zxing.ts';
import { daysAgo, inWords, variety } from './code-page.ts';

const missingId = '01890000-0000-7000-8000-000000000000';
const email = 'owner-of-pages@example.com';

/** What needs no browser: what the page of a code and its export contain, and to whom they answer. */
describe('The pages of a code', () => {
  let service: TestService;
  let owner: FormClient;
  let browser: PlainBrowser;
  let api: ApiClient;
  let code: SharedCode;

  before(async () => {
    service = await sharedService();
    owner = await signedIn(service, email);
    browser = await plainBrowser(service, email);
    api = apiClient(service.url, await service.makeKey({ email }));
  });
  beforeEach(async () => {
    code = await createCode(api, { name: 'Poster «Café»' });
  });

  const record = (rows: [days: number, changes?: Partial<ScanRow>][]) =>
    Scan.record(
      service.db,
      rows.map(([days, changes]) => scanRow(code.id, daysAgo(days), changes)),
    );
  const readText = async (answer: Response) =>
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
    expect(await readText(file)).to.equal(
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
    const text = await readText(await owner.get(`/codes/${code.id}/scans.csv`));
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 36));
    expect(ids.length).to.equal(2_001);
    expect(ids).to.deep.equal([...new Set(ids)].toSorted().toReversed());
  });

  const open = () => browser.open(`/codes/${code.id}`);
  const change = (body: object) => api(`/qrcodes/${code.id}`, { method: 'PATCH', body });
  const rowsOf = (caption: string) => {
    const table = selectAll(parseHtml(browser.html), 'table').find(
      (each) => selectAll(each, 'caption').map(textOf).join('') === caption,
    );
    return (table ? selectAll(table, 'tbody tr') : []).map((row) =>
      selectAll(row, 'th, td').map((cell) => textOf(cell).trim()),
    );
  };

  it('show the content, and when the code was created and expires', async () => {
    const links = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://example.com/${name}`);
    const socialLinks = links.join('\n');
    const contents: [Record<string, unknown>, Record<string, string>][] = [
      [{ content: 'https://example.com/a?b=c' }, { 'Leads to': 'https://example.com/a?b=c' }],
      [{ type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:let me in;;' }, { Network: 'Guests' }],
      [{ type: 'text', content: 'Two\nlines' }, { Text: 'Two\nlines' }],
      [
        { type: 'sms', content: 'sms:+44207946?&body=Hi' },
        { Number: '+44207946', Message: 'Hi' },
      ],
      [{ type: 'geo', content: 'geo:51.5,-0.1' }, { Coordinates: '51.5, -0.1' }],
      [{ type: 'social', content: socialLinks }, { Links: `${links.slice(0, 4).join('')}1 more${links[4]}` }],
    ];
    for (const [changes, facts] of contents) {
      const { id } = await createCode(api, changes);
      await browser.open(`/codes/${id}`);
      const names = browser.texts('.facts > div > dt');
      const shown = Object.fromEntries(
        browser.texts('.facts > div > dd').map((value, index) => [names[index], value]),
      );
      expect(shown).to.include(facts);
      expect(names).to.have.members([...Object.keys(facts), 'Created', 'Expires']);
      expect(JSON.stringify(shown)).not.to.contain('let me in');
      const { body } = await api(`/qrcodes/${id}`);
      // Half of a year before the end, scans begin to renew it.
      const renewedFrom = new Date(Date.parse(body.expiresAt) - 182.5 * 86_400_000).toISOString();
      expect(browser.attributes('.facts time', 'datetime')).to.deep.equal([
        body.createdAt,
        body.expiresAt,
        renewedFrom,
      ]);
      // Each link is one.
      if (changes['type'] !== 'social') continue;
      expect(browser.attributes('.facts a', 'href')).to.deep.equal([...links, `/codes/${id}/expire`]);
      expect(new Set(browser.attributes('.facts .gist a', 'rel'))).to.deep.equal(new Set(['noreferrer']));
    }
  });

  it('show every time in one zone: that of the account, or that of the browser, which is UTC without scripts', async () => {
    const traveler = 'traveler-of-pages@example.com';
    const their = await plainBrowser(service, traveler);
    const { id } = await createCode(apiClient(service.url, await service.makeKey({ email: traveler })), {
      expiresAt: '2031-01-01T00:00:00.000Z',
    });
    await Scan.record(service.db, [scanRow(id, '2026-11-01T23:30:00.000Z')]);
    const shown = async () => {
      await their.open(`/codes/${id}`);
      const times = their.texts('.facts time, #scans time');
      return { expires: times[1], scan: times.at(-1), zone: their.text('[data-zone]') };
    };
    const zone = () => their.attributes('html', 'data-time-zone')[0];
    const utc = {
      expires: 'Dec 31, 2030, 11:59 PM UTC',
      scan: 'Nov 1, 2026, 11:30 PM',
      zone: 'Times in UTC',
    };
    expect(await shown()).to.deep.equal(utc);
    expect(zone()).to.equal(undefined);
    await their.open('/account');
    their.fillIn({ 'Time zone': 'Asia/Tokyo' });
    await their.press('Save time zone');
    expect(await shown()).to.deep.equal({
      expires: 'Jan 1, 2031, 8:59 AM GMT+9',
      scan: 'Nov 2, 2026, 8:30 AM',
      zone: 'Times in your time zone, Asia/Tokyo',
    });
    expect(zone()).to.equal('Asia/Tokyo');
    // Statistics count days in UTC, and say so.
    expect(their.texts('.totals dt')).to.include('Today (UTC)');
    await their.open('/account');
    their.fillIn({ 'Time zone': 'browser' });
    await their.press('Save time zone');
    expect(await shown()).to.deep.equal(utc);
  });

  it('make a code a favorite, private and public, and link back to the list', async () => {
    await open();
    await browser.press('Favorite: Poster «Café»');
    expect(browser.text('main .notice')).to.equal('Added to your favorites.');
    expect(browser.attributes('.star', 'aria-pressed')).to.deep.equal(['true']);
    await browser.press('Make private');
    expect(browser.text('.notice')).to.contain('The code is private now');
    expect(browser.count('.notice')).to.equal(1);
    const stored = async () => (await api(`/qrcodes/${code.id}`)).body;
    expect(await stored()).to.include({ isPublic: false, isFavorite: true });
    await browser.press('Make public');
    expect(await stored()).to.include({ isPublic: true });
    expect(browser.path).to.match(new RegExp(`^/codes/${code.id}\\b`));
    await browser.follow('All QR codes');
    expect(browser.path).to.equal('/codes');
  });

  /** The bytes of a file that the page links to, and its name. */
  async function download(path: string | undefined) {
    const answer = await owner.get(path ?? '');
    expect(answer.status).to.equal(200);
    const [, name] =
      /^attachment; filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
    return { name, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  it('have a file of each kind for each of the two texts, also while the code is private', async () => {
    for (const isPublic of [true, false]) {
      await change({ isPublic });
      await open();
      const files = await Promise.all(browser.attributes('.downloads a', 'href').map(download));
      expect(files.map(({ name }) => name)).to.deep.equal([
        'Poster _Caf__.svg',
        'Poster _Caf__.png',
        'Poster _Caf__.pdf',
        'Poster _Caf__.static.svg',
        'Poster _Caf__.static.png',
        'Poster _Caf__.static.pdf',
      ]);
      // Reading them once is enough.
      if (!isPublic) continue;
      const pictures = files.filter(({ name }) => name?.endsWith('.png'));
      const texts = await Promise.all(pictures.map(async ({ bytes }) => (await scan(bytes))?.toString()));
      expect(texts).to.deep.equal([code.shareUrl, code.content]);
    }
  });

  it('have the name, the share link, badges, and warnings without API names', async () => {
    await change({ foregroundColor: '#cccccc', backgroundColor: '#ffffff', category: 'Spring' });
    await open();
    expect(browser.text('title')).to.equal('Poster «Café» · Qrelay');
    expect(browser.value('Share link')).to.equal(code.shareUrl);
    expect(browser.text('.notice'))
      .to.contain('Choose a darker foreground color')
      .and.not.to.contain('foregroundColor');
    expect(browser.texts('.badge')).to.deep.equal(['Web address', 'Public', 'Spring']);
  });

  it('have the static code of a network first, and say which scans are counted', async () => {
    const content = 'WIFI:T:WPA;S:Guests;P:let me in;;';
    const { id, shareUrl } = await createCode(api, { name: 'Guests', type: 'wifi', content });
    await browser.open(`/codes/${id}`);
    const read = [];
    for (const name of ['Download static code as PNG', 'Download dynamic code as PNG']) {
      const index = browser.attributes('.downloads a', 'aria-label').indexOf(name);
      const { bytes } = await download(browser.attributes('.downloads a', 'href')[index]);
      read.push((await scan(bytes))?.toString());
    }
    expect(read).to.deep.equal([content, shareUrl]);
    expect(browser.text('.downloads > .hint')).to.equal(
      'Joins at once and works offline. Scans are not counted. Print it again when the network changes.',
    );
    expect(browser.text('.downloads details .hint')).to.equal(
      'Opens a page with the network and its password. Needs mobile data. Scans are counted.',
    );
    expect(browser.text('#no-scans')).to.contain('its scans are not counted');
  });

  it('say why the share link does not work, and have the button that fixes it', async () => {
    const solidButtons = () => [
      ...browser.texts('main button:not(.quiet):not(.star):not(.link)'),
      ...browser.texts('main a.button:not(.quiet)'),
    ];
    await change({ isPublic: false });
    await open();
    expect(browser.texts('.badge')).to.deep.equal(['Web address', 'Private']);
    expect(solidButtons()).to.deep.equal(['Make public']);
    await change({ isPublic: true, expiresAt: daysAgo(1) });
    await open();
    expect(browser.texts('.badge')).to.deep.equal(['Web address', 'Expired']);
    expect(solidButtons()).to.deep.equal(['Renew']);
    expect(browser.count('.live-mark')).to.equal(0);
    await browser.follow('Change when it expires');
    browser.fillIn({ 'Expires (optional)': '2030-12-31' });
    await browser.press('Save changes');
    expect(browser.texts('.badge')).to.deep.equal(['Web address', 'Public']);
    expect(solidButtons()).to.deep.equal(['Edit']);
    expect(browser.text('.facts')).to.contain('ExpiresDec 31, 2030, 11:59 PM UTC');
    expect((await api(`/qrcodes/${code.id}`)).body.expiresAt).to.equal('2031-01-01T00:00:00.000Z');
  });

  it('show the numbers of the API for each period', async () => {
    await record(variety);
    for (const days of [7, 30, 90, 365]) {
      await browser.open(`/codes/${code.id}?days=${days}`);
      const { body: figures } = await api(`/qrcodes/${code.id}/analytics?days=${days}`);
      expect(browser.texts('#totals dd')).to.deep.equal(
        [figures.totalScans, 2, figures.uniqueCountries, figures.uniqueCities].map(String),
      );
      expect(rowsOf('Scans per day, newest first')).to.deep.equal(
        figures.timeline
          .toReversed()
          .map(({ date, scans }: { date: string; scans: number }) => [inWords(date), String(scans)]),
      );
      const bars = browser.attributes('#timeline rect', 'data-value').map(Number);
      expect(bars.length).to.equal(days === 365 ? 52 : days);
      expect(bars.reduce((sum, scans) => sum + scans, 0)).to.equal(figures.totalScans);
      const share = (count: number) => `${((count / figures.totalScans) * 100).toFixed(1)}%`;
      const rows = (list: Record<string, string | number>[], key: string) =>
        list.map((entry) => [entry[key], String(entry['count']), share(entry['count'] as number)]);
      expect(rowsOf('Browsers')).to.deep.equal(rows(figures.byBrowser, 'browser'));
      expect(rowsOf('Systems')).to.deep.equal(rows(figures.byOs, 'os'));
      const lower = rowsOf('Devices').map(([name = '', ...rest]) => [name.toLowerCase(), ...rest]);
      expect(lower).to.deep.equal(rows(figures.byDevice, 'device'));
      expect(rowsOf('Countries').map(([, count]) => Number(count))).to.deep.equal(
        figures.byCountry.map(({ count }: { count: number }) => count),
      );
      expect(rowsOf('Cities').length).to.equal(figures.uniqueCities);
      const map = /<svg class="world".*?<\/svg>/s.exec(browser.html)?.[0] ?? '';
      expect(map.length).to.be.within(10_000, 60_000);
      expect(browser.html.length - map.length).to.be.below(100_000);
      if (days !== 365) continue;
      expect(browser.texts('.world title')).to.have.members([
        'Germany: 2',
        'United Kingdom: 1',
        'United States: 2',
      ]);
      expect(rowsOf('Cities').map(([name]) => name)).to.deep.equal([
        'Berlin, Germany',
        'St Albans, United Kingdom',
        'Singapore, Singapore',
        'Springfield, IL, United States',
        'Springfield, MA, United States',
      ]);
      expect(rowsOf('Countries').map(([name]) => name)).to.include('Unknown');
    }
  });

  it('have a text instead of empty charts until the first scan', async () => {
    await open();
    expect(browser.texts('h2')).to.include('No scans yet');
    expect(browser.attributes('#no-scans a', 'href')).to.include(code.shareUrl);
    expect(browser.count('#timeline, .ranking, #scans')).to.equal(0);
    // With only old scans there is a chart, without a highest bar.
    await record([[100]]);
    await open();
    expect(browser.text('.timeline figcaption')).to.equal('No scans in these 30 days');
    expect(browser.count('.ranking')).to.equal(0);
    expect(rowsOf('Scans, newest first')).to.have.length(1);
  });

  it('compare a period with the one before, if the code existed then', async () => {
    await record([[1], [2], [3], [8], [9]]);
    const changeShown = async () => {
      await browser.open(`/codes/${code.id}?days=7`);
      return browser.texts('#total-change');
    };
    expect(await changeShown()).to.deep.equal([]);
    await service
      .db('qr_codes')
      .where({ id: code.id })
      .update({ created_at: daysAgo(20) });
    expect(await changeShown()).to.deep.equal(['▲ 50% more vs. previous 7 days']);
    await record([[10], [11], [12], [13]]);
    expect(await changeShown()).to.deep.equal(['▼ 50% less vs. previous 7 days']);
  });

  it('call a missing template by the name that pages have for it', async () => {
    const answer = await owner.get(`/codes/styles/${missingId}`);
    expect(answer.status).to.equal(404);
    expect(await answer.text()).to.contain('There is no such template.');
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
