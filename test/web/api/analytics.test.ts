import { expect } from 'chai';
import {
  type ColumnName,
  columnNames,
  rankingName,
  type RankingName,
} from '../../../src/scans/dimensions.ts';
import { Scan, type ScanRow } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { iPhoneRankings, scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

const noon = new Date('2023-03-10T12:00:00.000Z');

interface Day {
  date: string;
  scans: number;
}

describe('GET /api/v1/qrcodes/:id/analytics (4.3, 2.3; decisions: Scans and analytics)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  beforeEach(() => service.setNow(noon));
  after(() => service.stop());

  /** A new code, scanned at these times, with these values. */
  async function scanned(...scans: [string, Partial<ScanRow>?][]): Promise<string> {
    const body = { name: 'Menu', content: 'https://example.com/' };
    const { id } = (await api('/qrcodes', { method: 'POST', body })).body as { id: string };
    if (scans.length > 0) {
      await Scan.record(
        service.db,
        scans.map(([at, how]) => scanRow(id, at, how)),
      );
    }
    return id;
  }
  const analytics = async (id: string, query = '') => (await api(`/qrcodes/${id}/analytics${query}`)).body;
  const today = (how: Partial<ScanRow>): [string, Partial<ScanRow>] => ['2023-03-10T08:00:00.000Z', how];

  it('responds with 200 and the eight fields of 2.3 and rankings of later dimensions, all zero and empty for a code that was never scanned', async () => {
    const { status, headers, body } = await api(`/qrcodes/${await scanned()}/analytics?days=2`);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      ...Object.fromEntries(columnNames.map((name) => [rankingName(name), []])),
      totalScans: 0,
      uniqueCountries: 0,
      uniqueCities: 0,
      byDevice: [],
      byBrowser: [],
      byOs: [],
      byCountry: [],
      timeline: [
        { date: '2023-03-09', scans: 0 },
        { date: '2023-03-10', scans: 0 },
      ],
    });
    expectWindow(headers);
  });

  describe('timeline', () => {
    it('has 30 days when days is omitted, the same as days=30 (4.3)', async () => {
      const id = await scanned(['2023-02-09T00:00:00.000Z'], ['2023-02-08T23:59:59.999Z']);
      const body = await analytics(id);
      expect(body.timeline).to.have.length(30);
      expect(body.timeline[0]).to.deep.equal({ date: '2023-02-09', scans: 1 });
      expect(body.timeline.at(-1).date).to.equal('2023-03-10');
      expect(body.totalScans).to.equal(1);
      expect(body).to.deep.equal(await analytics(id, '?days=30'));
    });

    for (const [days, first] of [
      [1, '2023-03-10'],
      [2, '2023-03-09'],
      [10, '2023-03-01'],
      [11, '2023-02-28'],
      [365, '2022-03-11'],
    ] as const) {
      it(`has one entry for each of ${days} days, today included, oldest first from ${first}`, async () => {
        const { timeline } = await analytics(await scanned(), `?days=${days}`);
        const dates = (timeline as Day[]).map(({ date }) => date);
        const expected = Array.from({ length: days }, (_, index) =>
          new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10),
        );
        expect(dates).to.deep.equal(expected);
        expect(dates.at(-1)).to.equal('2023-03-10');
      });
    }

    it('includes days without scans, and adds up to totalScans', async () => {
      const id = await scanned(
        ['2023-03-07T00:00:00.000Z'],
        ['2023-03-09T10:00:00.000Z'],
        ['2023-03-09T11:00:00.000Z'],
        ['2023-03-10T11:59:59.999Z'],
        ['2023-03-01T00:00:00.000Z'],
      );
      const body = await analytics(id, '?days=5');
      expect(body.timeline).to.deep.equal([
        { date: '2023-03-06', scans: 0 },
        { date: '2023-03-07', scans: 1 },
        { date: '2023-03-08', scans: 0 },
        { date: '2023-03-09', scans: 2 },
        { date: '2023-03-10', scans: 1 },
      ]);
      expect(body.totalScans).to.equal(4);
    });

    it('splits days at midnight UTC, to the millisecond', async () => {
      const id = await scanned(
        ['2023-03-08T23:59:59.999Z'],
        ['2023-03-09T00:00:00.000Z'],
        ['2023-03-09T23:59:59.999Z'],
        ['2023-03-10T00:00:00.000Z'],
      );
      expect((await analytics(id, '?days=2')).timeline).to.deep.equal([
        { date: '2023-03-09', scans: 2 },
        { date: '2023-03-10', scans: 1 },
      ]);
    });

    it('moves on at midnight UTC, not before', async () => {
      const id = await scanned(['2023-03-10T00:00:00.000Z']);
      service.setNow(new Date('2023-03-10T23:59:59.999Z'));
      expect((await analytics(id, '?days=1')).timeline).to.deep.equal([{ date: '2023-03-10', scans: 1 }]);
      service.setNow(new Date('2023-03-11T00:00:00.000Z'));
      expect((await analytics(id, '?days=1')).timeline).to.deep.equal([{ date: '2023-03-11', scans: 0 }]);
    });

    it('spans a leap day and a change of year', async () => {
      service.setNow(new Date('2024-03-01T00:00:00.000Z'));
      const id = await scanned(['2024-02-29T12:00:00.000Z']);
      expect((await analytics(id, '?days=3')).timeline).to.deep.equal([
        { date: '2024-02-28', scans: 0 },
        { date: '2024-02-29', scans: 1 },
        { date: '2024-03-01', scans: 0 },
      ]);
      service.setNow(new Date('2024-01-01T00:00:00.000Z'));
      const dates = ((await analytics(id, '?days=2')).timeline as Day[]).map(({ date }) => date);
      expect(dates).to.deep.equal(['2023-12-31', '2024-01-01']);
    });
  });

  it('excludes scans before and after the period, and those of other codes, from every figure', async () => {
    await scanned(today({ country: 'JP' }));
    const id = await scanned(
      today({}),
      ['2023-03-08T23:59:59.999Z', { country: 'US', city: 'Reno', device: 'tablet', browser: 'B', os: 'O' }],
      ['2023-03-11T00:00:00.000Z', { country: 'FR', city: 'Lyon', device: 'console', browser: 'C', os: 'P' }],
    );
    expect(await analytics(id, '?days=2')).to.deep.equal({
      ...iPhoneRankings(1),
      totalScans: 1,
      uniqueCountries: 1,
      uniqueCities: 1,
      timeline: [
        { date: '2023-03-09', scans: 0 },
        { date: '2023-03-10', scans: 1 },
      ],
    });
  });

  describe('rankings are by count descending, then by name, with occurring values only', () => {
    const named: Record<RankingName, [name: ColumnName, values: [string, string, string]]> = {
      byDevice: ['device', ['tablet', 'desktop', 'mobile']],
      byBrowser: ['browser', ['Safari', 'Chrome', 'Firefox']],
      byOs: ['os', ['iOS', 'Android', 'Linux']],
      byCountry: ['country', ['US', 'DE', 'GB']],
    };
    for (const [list, [field, [most, second, third]]] of Object.entries(named)) {
      it(list, async () => {
        const id = await scanned(
          today({ [field]: third }),
          today({ [field]: most }),
          ['2023-03-09T08:00:00.000Z', { [field]: most }],
          today({ [field]: second }),
        );
        expect((await analytics(id))[list]).to.deep.equal([
          { [field]: most, count: 2 },
          { [field]: second, count: 1 },
          { [field]: third, count: 1 },
        ]);
      });
    }

    it('each add up to totalScans', async () => {
      const id = await scanned(today({}), today({ country: 'ZZ', city: null, device: 'unknown' }));
      const body = await analytics(id);
      for (const list of Object.keys(named)) {
        const sum = (body[list] as { count: number }[]).reduce((total, { count }) => total + count, 0);
        expect(sum, list).to.equal(body.totalScans);
      }
    });
  });

  describe('unique countries and cities', () => {
    it('do not count ZZ, though byCountry shows it', async () => {
      const id = await scanned(
        today({ country: 'ZZ', city: null }),
        today({ country: 'ZZ', city: null }),
        today({ country: 'DE' }),
      );
      const body = await analytics(id);
      expect(body.uniqueCountries).to.equal(1);
      expect(body.byCountry).to.deep.equal([
        { country: 'ZZ', count: 2 },
        { country: 'DE', count: 1 },
      ]);
    });

    it('do not count a null city', async () => {
      const id = await scanned(today({ city: null }), today({ city: null, region: null }));
      expect(await analytics(id)).to.include({ totalScans: 2, uniqueCountries: 1, uniqueCities: 0 });
    });

    it('count a city once, however many days it has scans on', async () => {
      const id = await scanned(today({}), today({}), ['2023-03-09T08:00:00.000Z', {}]);
      expect(await analytics(id)).to.include({ totalScans: 3, uniqueCountries: 1, uniqueCities: 1 });
    });

    it('distinguish cities by country, region and name', async () => {
      const id = await scanned(
        today({ country: 'US', region: 'IL', city: 'Springfield' }),
        today({ country: 'US', region: 'MO', city: 'Springfield' }),
        today({ country: 'US', region: null, city: 'Springfield' }),
        today({ country: 'CA', region: 'MO', city: 'Springfield' }),
        today({ country: 'US', region: 'IL', city: 'Chicago' }),
        today({ country: 'US', region: 'IL', city: 'Springfield' }),
      );
      expect(await analytics(id)).to.include({ uniqueCountries: 2, uniqueCities: 5 });
    });
  });

  it('reads daily counters, never raw scans', async () => {
    const id = await scanned(today({}), today({}));
    const counted = await analytics(id);
    await service.db('scans').where({ qr_code_id: id }).delete();
    expect(await analytics(id)).to.deep.equal(counted);
    expect((await api(`/qrcodes/${id}`)).body.scanCount).to.equal(2);
  });
});
