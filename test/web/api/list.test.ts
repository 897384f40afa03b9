import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid, expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('GET /api/v1/qrcodes (decisions: Life of a QR code)', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  let clockMs = Date.parse('2023-01-01T00:00:00.000Z');
  async function create(api: ApiClient, body: object = {}) {
    clockMs += 1000;
    service.setNow(new Date(clockMs));
    const answer = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Code', content: 'https://example.com/', ...body },
    });
    expect(answer.status).to.equal(201);
    return answer.body;
  }
  const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

  async function pageThrough(api: ApiClient, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api(`/qrcodes?limit=${limit}${cursor}`);
      pages.push(idsOf(body));
      if (body.nextCursor === null) return pages;
      cursor = `&cursor=${body.nextCursor}`;
    }
  }

  it('responds with {data: [], nextCursor: null} for an owner without codes', async () => {
    const { status, headers, body } = await ownerClient(service)('/qrcodes');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ data: [], nextCursor: null });
    expectWindow(headers);
  });

  it('shows each code in the read shape, with its scanCount', async () => {
    const api = ownerClient(service);
    const [old, young] = [await create(api), await create(api, { category: 'spring' })];
    await Scan.record(service.db, [
      scanRow(old.id, '2023-01-01T00:00:00.000Z'),
      scanRow(old.id, '2026-01-01T00:00:00.000Z'),
    ]);
    const { body } = await api('/qrcodes');
    expect(body.data).to.deep.equal([
      (await api(`/qrcodes/${young.id}`)).body,
      (await api(`/qrcodes/${old.id}`)).body,
    ]);
    expect(body.data.map(({ scanCount }: { scanCount: number }) => scanCount)).to.deep.equal([0, 2]);
  });

  it('lists codes of its owner only', async () => {
    const [mine, theirs] = [ownerClient(service), ownerClient(service)];
    const { id } = await create(mine);
    await create(theirs);
    expect(idsOf((await mine('/qrcodes')).body)).to.deep.equal([id]);
  });

  describe('paging', () => {
    let api: ApiClient;
    let newestFirst: string[];
    before(async () => {
      api = ownerClient(service);
      newestFirst = [];
      for (let made = 0; made < 101; made += 1) newestFirst.unshift((await create(api)).id);
    });

    it('is newest first, 20 per page by default', async () => {
      const { body } = await api('/qrcodes');
      expect(idsOf(body)).to.deep.equal(newestFirst.slice(0, 20));
      expect(body.nextCursor).to.equal(newestFirst[19]);
    });

    it('returns as many as limit says, from 1 to 100', async () => {
      expect(idsOf((await api('/qrcodes?limit=1')).body)).to.deep.equal(newestFirst.slice(0, 1));
      expect(idsOf((await api('/qrcodes?limit=100')).body)).to.deep.equal(newestFirst.slice(0, 100));
    });

    for (const limit of [7, 50, 100]) {
      it(`reaches every code once, in order, ${limit} per page`, async () => {
        const pages = await pageThrough(api, limit);
        expect(pages.flat()).to.deep.equal(newestFirst);
        expect(pages).to.have.length(Math.ceil(101 / limit));
      });
    }

    it('has a null nextCursor on a last page that is exactly full', async () => {
      const cursor = newestFirst[98];
      const { body } = await api(`/qrcodes?limit=2&cursor=${cursor}`);
      expect(idsOf(body)).to.deep.equal(newestFirst.slice(99));
      expect(body.nextCursor).to.equal(null);
    });

    it('responds with an empty last page after the oldest code', async () => {
      const { body } = await api(`/qrcodes?cursor=${newestFirst.at(-1)}`);
      expect(body).to.deep.equal({ data: [], nextCursor: null });
    });

    it('is stable when codes are created or deleted between two pages', async () => {
      const busy = ownerClient(service);
      const [first, second, third] = [await create(busy), await create(busy), await create(busy)];
      const { body } = await busy('/qrcodes?limit=2');
      expect(idsOf(body)).to.deep.equal([third.id, second.id]);
      await create(busy);
      await busy(`/qrcodes/${second.id}`, { method: 'DELETE' });
      const next = await busy(`/qrcodes?limit=2&cursor=${body.nextCursor}`);
      expect(idsOf(next.body)).to.deep.equal([first.id]);
    });
  });

  describe('filters', () => {
    let api: ApiClient;
    const ids: Record<string, string> = {};
    before(async () => {
      api = ownerClient(service);
      ids['menu'] = (await create(api, { category: 'menu' })).id;
      ids['café'] = (await create(api, { category: 'Café 🎉', type: 'text', content: 'Hi' })).id;
      ids['none'] = (await create(api, { type: 'text', content: 'Hi' })).id;
      await api(`/qrcodes/${ids['menu']}`, { method: 'PATCH', body: { isFavorite: true } });
    });

    const found: [string, string[]][] = [
      ['category=menu', ['menu']],
      ['category=Menu', []],
      ['category=men', []],
      [`category=${encodeURIComponent('Café 🎉')}`, ['café']],
      ['category=%25', []],
      ['type=text', ['none', 'café']],
      ['type=url', ['menu']],
      ['type=wifi', []],
      ['favorite=true', ['menu']],
      ['favorite=false', ['none', 'café']],
      ['type=text&favorite=false&category=Caf%C3%A9%20%F0%9F%8E%89', ['café']],
      ['type=text&favorite=true', []],
    ];
    for (const [query, names] of found) {
      it(`${query} finds ${names.join(' and ') || 'none'}`, async () => {
        const { status, body } = await api(`/qrcodes?${query}`);
        expect(status).to.equal(200);
        expect(idsOf(body)).to.deep.equal(names.map((name) => ids[name]));
      });
    }

    it('apply to every page', async () => {
      const { body } = await api('/qrcodes?type=text&limit=1');
      expect(idsOf(body)).to.deep.equal([ids['none']]);
      const next = await api(`/qrcodes?type=text&limit=1&cursor=${body.nextCursor}`);
      expect(idsOf(next.body)).to.deep.equal([ids['café']]);
      expect(next.body.nextCursor).to.equal(null);
    });

    const refused: Record<string, string[]> = {
      category: ['', 'x'.repeat(101), '%00', 'a&category=b'],
      type: ['', 'URL', 'pdf', 'url,text', 'url&type=text'],
      favorite: ['', '1', '0', 'yes', 'TRUE', 'True', 'null', ' true', 'true&favorite=true'],
    };
    for (const [name, values] of Object.entries(refused)) {
      for (const value of values) {
        it(`is a 400 that names ${name}: ${name}=${value.slice(0, 30)}`, async () => {
          expectInvalid(await api(`/qrcodes?${name}=${value}`), [name]);
        });
      }
    }
  });
});
