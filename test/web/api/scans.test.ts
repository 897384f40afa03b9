import { expect } from 'chai';
import { Scan, type ScanRow } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { iPhoneValues, scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

const firstMs = Date.parse('2023-03-10T00:00:00.000Z');

describe('GET /api/v1/qrcodes/:id/scans (4.4, 2.2; decisions: Scans and analytics)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  async function create(): Promise<string> {
    const body = { name: 'Menu', content: 'https://example.com/' };
    return (await api('/qrcodes', { method: 'POST', body })).body.id;
  }

  /** A code with that many scans, one second apart; returns their ids, newest first. */
  async function scannedTimes(times: number): Promise<{ id: string; newestFirst: string[] }> {
    const id = await create();
    const rows = Array.from({ length: times }, (_, index) =>
      scanRow(id, new Date(firstMs + index * 1000).toISOString()),
    );
    await Scan.record(service.db, rows);
    return { id, newestFirst: rows.map((row) => row.id).toReversed() };
  }

  const idsOf = (page: { data: { id: string }[] }) => page.data.map((scan) => scan.id);
  const scansOf = async (id: string, query = '') => (await api(`/qrcodes/${id}/scans${query}`)).body;

  async function pageThrough(id: string, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor = ''; ; ) {
      const page = await scansOf(id, `?limit=${limit}${cursor}`);
      pages.push(idsOf(page));
      if (page.nextCursor === null) return pages;
      expect(page.nextCursor).to.equal(pages.at(-1)?.at(-1));
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  it('responds with 200 and {data: [], nextCursor: null} for a code that was never scanned', async () => {
    const { status, headers, body } = await api(`/qrcodes/${await create()}/scans`);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ data: [], nextCursor: null });
    expectWindow(headers);
  });

  it('shows the ten fields of 2.2, those of later dimensions, and no other', async () => {
    const id = await create();
    const row = scanRow(id, '2023-03-10T11:22:33.044Z');
    await Scan.record(service.db, [row]);
    expect(await scansOf(id)).to.deep.equal({
      data: [
        {
          ...iPhoneValues,
          id: row.id,
          qrCodeId: id,
          country: 'GB',
          city: 'St Albans',
          device: 'mobile',
          browser: 'Mobile Safari',
          os: 'iOS',
          latitude: 51.753,
          longitude: -0.3256,
          scannedAt: '2023-03-10T11:22:33.044Z',
        },
      ],
      nextCursor: null,
    });
  });

  it('has ZZ for an unknown country, and null for an unknown city, latitude and longitude', async () => {
    const id = await create();
    const unknown: Partial<ScanRow> = {
      country: 'ZZ',
      region: null,
      city: null,
      latitude: null,
      longitude: null,
      device: 'unknown',
      browser: 'Unknown',
      os: 'Unknown',
    };
    await Scan.record(service.db, [scanRow(id, '2023-03-10T00:00:00.000Z', unknown)]);
    const { region: _, ...shown } = unknown;
    expect((await scansOf(id)).data[0]).to.include(shown);
  });

  for (const device of [
    'mobile',
    'tablet',
    'desktop',
    'smarttv',
    'wearable',
    'console',
    'embedded',
    'unknown',
  ] as const) {
    it(`shows the device class ${device}`, async () => {
      const id = await create();
      await Scan.record(service.db, [scanRow(id, '2023-03-10T00:00:00.000Z', { device })]);
      expect((await scansOf(id)).data[0].device).to.equal(device);
    });
  }

  it('keeps coordinates at the ends of their range', async () => {
    const id = await create();
    await Scan.record(service.db, [
      scanRow(id, '2023-03-10T00:00:00.000Z', { latitude: -90, longitude: 180 }),
      scanRow(id, '2023-03-10T00:00:01.000Z', { latitude: 0, longitude: 0 }),
    ]);
    const { data } = await scansOf(id);
    expect(data[0]).to.include({ latitude: 0, longitude: 0 });
    expect(data[1]).to.include({ latitude: -90, longitude: 180 });
  });

  it('is newest first, in any order of recording', async () => {
    const id = await create();
    const [early, late, middle] = ['01', '03', '02'].map((day) =>
      scanRow(id, `2023-03-${day}T00:00:00.000Z`),
    );
    for (const row of [early, late, middle]) await Scan.record(service.db, [row as ScanRow]);
    expect(idsOf(await scansOf(id))).to.deep.equal([late?.id, middle?.id, early?.id]);
  });

  it('lists scans of the code only', async () => {
    const [one, other] = [await scannedTimes(2), await scannedTimes(3)];
    expect(idsOf(await scansOf(one.id))).to.deep.equal(one.newestFirst);
    expect(idsOf(await scansOf(other.id))).to.deep.equal(other.newestFirst);
  });

  describe('paging', () => {
    let id: string;
    let newestFirst: string[];
    before(async () => {
      ({ id, newestFirst } = await scannedTimes(1001));
    });

    it('returns 100 per page when limit is omitted (4.4)', async () => {
      const page = await scansOf(id);
      expect(idsOf(page)).to.deep.equal(newestFirst.slice(0, 100));
      expect(page.nextCursor).to.equal(newestFirst[99]);
      const next = await scansOf(id, `?cursor=${page.nextCursor}`);
      expect(idsOf(next)).to.deep.equal(newestFirst.slice(100, 200));
    });

    it('reaches all 1,001 scans once, in order, 500 per page (8)', async () => {
      const pages = await pageThrough(id, 500);
      expect(pages.map((page) => page.length)).to.deep.equal([500, 500, 1]);
      expect(pages.flat()).to.deep.equal(newestFirst);
    });

    for (const [limit, sizes] of [
      [1, [1, 1, 1, 1]],
      [2, [2, 2]],
      [3, [3, 1]],
      [4, [4]],
      [5, [4]],
      [500, [4]],
    ] as const) {
      it(`returns 4 scans in pages of ${sizes.join(', ')} with limit ${limit}, the last with a null nextCursor`, async () => {
        const four = await scannedTimes(4);
        const pages = await pageThrough(four.id, limit);
        expect(pages.map((page) => page.length)).to.deep.equal(sizes);
        expect(pages.flat()).to.deep.equal(four.newestFirst);
      });
    }

    it('has a null nextCursor when the last page is exactly full with the default limit', async () => {
      const full = await scannedTimes(100);
      const page = await scansOf(full.id);
      expect(page.data).to.have.length(100);
      expect(page.nextCursor).to.equal(null);
    });

    it('reaches every scan once when all are in the same millisecond', async () => {
      const burst = await create();
      const rows = Array.from({ length: 7 }, () => scanRow(burst, '2023-03-10T00:00:00.000Z'));
      await Scan.record(service.db, rows);
      const seen = (await pageThrough(burst, 2)).flat();
      expect(seen).to.have.length(7);
      expect(seen).to.have.members(rows.map((row) => row.id));
    });

    it('is stable when a scan arrives between two pages', async () => {
      const busy = await scannedTimes(4);
      const page = await scansOf(busy.id, '?limit=2');
      await Scan.record(service.db, [scanRow(busy.id, '2024-01-01T00:00:00.000Z')]);
      const next = await scansOf(busy.id, `?limit=2&cursor=${page.nextCursor}`);
      expect(idsOf(next)).to.deep.equal(busy.newestFirst.slice(2));
      expect(next.nextCursor).to.equal(null);
    });

    it('responds with an empty last page after the oldest scan', async () => {
      expect(await scansOf(id, `?cursor=${newestFirst.at(-1)}`)).to.deep.equal({
        data: [],
        nextCursor: null,
      });
    });

    it('accepts any scan id as the cursor, also in upper case', async () => {
      const cursor = newestFirst[500]?.toUpperCase();
      expect(idsOf(await scansOf(id, `?limit=2&cursor=${cursor}`))).to.deep.equal(
        newestFirst.slice(501, 503),
      );
    });
  });
});
