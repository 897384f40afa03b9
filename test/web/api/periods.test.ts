import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode } from '../../support/share.ts';

const at = (minute: number) => `2026-06-01T10:0${minute}:00.000Z`;
const hook = { url: 'https://example.com/hook', name: 'CRM', events: ['code.created'] };

describe('from and to of lists', () => {
  let service: TestService;
  let api: ApiClient;
  let codes: string[];
  let lists: { path: string; time: string }[];

  before(async () => {
    service = await startService();
    api = ownerClient(service);
    const { body: endpoint } = await api('/webhooks', { method: 'POST', body: hook });
    codes = [];
    for (const minute of [1, 2, 3]) {
      service.setNow(new Date(at(minute)));
      codes.push((await createCode(api)).id);
    }
    service.setNow(undefined);
    const [first = ''] = codes;
    await Scan.record(
      service.db,
      [1, 2, 3].map((minute) => scanRow(first, at(minute))),
    );
    const deliveries = (await api(`/webhooks/${endpoint.id}/deliveries`)).body.data as { id: string }[];
    for (const [index, { id }] of deliveries.toReversed().entries())
      await service
        .db('webhook_deliveries')
        .where({ id })
        .update({ happened_at: at(index + 1) });
    lists = [
      { path: '/qrcodes', time: 'createdAt' },
      { path: `/qrcodes/${first}/scans`, time: 'scannedAt' },
      { path: `/webhooks/${endpoint.id}/deliveries`, time: 'happenedAt' },
    ];
  });
  after(() => service.stop());

  /** The minutes of what is listed. */
  async function list(query: string): Promise<string[]> {
    const found = [];
    for (const { path, time } of lists) {
      const { status, body } = await api(`${path}?${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      found.push(body.data.map((item: Record<string, string>) => item[time]?.slice(14, 16)).join());
    }
    return found;
  }

  it('are the first instant that is listed and the first that is not', async () => {
    expect(await list('limit=10')).to.deep.equal(Array(3).fill('03,02,01'));
    expect(await list(`from=${at(2)}`)).to.deep.equal(Array(3).fill('03,02'));
    expect(await list(`to=${at(2)}`)).to.deep.equal(Array(3).fill('01'));
    expect(await list(`from=${at(1)}&to=${at(3)}`)).to.deep.equal(Array(3).fill('02,01'));
    expect(await list('from=2026-06-01T12:02:00%2B02:00')).to.deep.equal(Array(3).fill('03,02'));
    expect(await list('from=9999-01-01T00:00:00Z')).to.deep.equal(Array(3).fill(''));
    expect(await list('to=0001-01-01T00:00:00Z')).to.deep.equal(Array(3).fill(''));
  });

  it('bound every page', async () => {
    for (const { path, time } of lists) {
      const first = (await api(`${path}?limit=1&to=${at(3)}`)).body;
      const second = (await api(`${path}?limit=1&to=${at(3)}&cursor=${first.nextCursor}`)).body;
      expect([first.data[0][time], second.data[0][time]]).to.deep.equal([at(2), at(1)]);
      expect(second.nextCursor).to.equal(null);
    }
  });

  it('must be timestamps, the second after the first', async () => {
    for (const { path } of lists) {
      expectInvalid(await api(`${path}?from=yesterday&to=2026-06-01`), ['from', 'to']);
      expectInvalid(await api(`${path}?from=${at(2)}&to=${at(2)}`), ['to']);
    }
  });
});

describe('limit of lists', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await startService(quickImages);
    api = ownerClient(service);
  });
  after(() => service.stop());

  for (const [path, make] of [
    ['/styles', (n: number) => ({ name: `Style ${n}` })],
    ['/webhooks', () => hook],
  ] as const)
    it(`pages ${path}, newest first, and returns up to 100 without one`, async () => {
      const ids: string[] = [];
      for (const n of [1, 2, 3]) ids.unshift((await api(path, { method: 'POST', body: make(n) })).body.id);
      const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
      const first = (await api(`${path}?limit=2`)).body;
      expect(idsOf(first)).to.deep.equal(ids.slice(0, 2));
      expect(first.nextCursor).to.equal(ids[1]);
      const second = (await api(`${path}?limit=2&cursor=${first.nextCursor}`)).body;
      expect([idsOf(second), second.nextCursor]).to.deep.equal([ids.slice(2), null]);
      const all = (await api(path)).body;
      expect([idsOf(all), all.nextCursor]).to.deep.equal([ids, null]);
      for (const query of ['limit=0', 'limit=101', 'cursor=x'])
        expectInvalid(await api(`${path}?${query}`), [query.split('=')[0] ?? '']);
    });
});
