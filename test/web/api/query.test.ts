import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

/** Each as in the URL, after the equals sign. */
const notWholeNumbers = [
  '',
  'abc',
  '1.5',
  '10.0',
  '1e1',
  '%2010',
  '10%20',
  '+10',
  '%2B10',
  '010',
  '0x10',
  '1_0',
  '10,20',
  '10;',
  '%D9%A1%D9%A0',
  '%EF%BC%91%EF%BC%90',
  '10%00',
  '%ff',
  'NaN',
  'Infinity',
  'null',
  'true',
  '99999999999999999999',
];

const notCursors = [
  '',
  'abc',
  '1',
  'null',
  '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b1',
  '01936f3e7c1a7d448f0b2a5c7f0e9b11',
  '%7B01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11%7D',
  'urn:uuid:01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11',
  '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11%20',
  '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11%0A',
  '%00',
  "'%20OR%201=1",
];

describe('query strings are parsed strictly (decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;
  let id: string;
  const at = (path: string) => path.replace(':id', id);

  before(async () => {
    service = await startService();
    api = ownerClient(service);
    const body = { name: 'Menu', content: 'https://example.com/' };
    id = (await api('/qrcodes', { method: 'POST', body })).body.id;
  });
  after(() => service.stop());

  for (const { path, name, least, most, clause } of [
    {
      path: '/qrcodes/:id/analytics',
      name: 'days',
      least: 1,
      most: 365,
      clause: '(4.3, 8; decisions: Scans and analytics)',
    },
    {
      path: '/qrcodes/:id/scans',
      name: 'limit',
      least: 1,
      most: 500,
      clause: '(4.4, 8; decisions: Scans and analytics)',
    },
    {
      path: '/qrcodes',
      name: 'limit',
      least: 1,
      most: 100,
      clause: '(decisions: Life of a QR code)',
    },
  ]) {
    describe(`${name} of GET ${path} ${clause}`, () => {
      for (const value of [least, 10, most]) {
        it(`accepts ${value}`, async () => {
          expect((await api(`${at(path)}?${name}=${value}`)).status).to.equal(200);
        });
      }

      for (const value of [String(least - 1), '-1', '-0', String(most + 1), '1000000', ...notWholeNumbers]) {
        it(`is a 400 that names it: ${name}=${value}`, async () => {
          expectInvalid(await api(`${at(path)}?${name}=${value}`), [name]);
        });
      }

      it('is a 400 that names it when it is repeated, even with one value', async () => {
        expectInvalid(await api(`${at(path)}?${name}=10&${name}=10`), [name]);
      });

      it('is a 400 that names it when it has no value', async () => {
        expectInvalid(await api(`${at(path)}?${name}`), [name]);
      });

      it('is unknown in brackets or upper case', async () => {
        expectInvalid(await api(`${at(path)}?${name}[]=10`), [`${name}[]`]);
        expectInvalid(await api(`${at(path)}?${name.toUpperCase()}=10`), [name.toUpperCase()]);
      });
    });
  }

  for (const path of ['/qrcodes/:id/scans', '/qrcodes']) {
    describe(`cursor of GET ${path} (4.4; decisions: Scans and analytics)`, () => {
      for (const value of notCursors) {
        it(`is a 400 that names it: cursor=${value}`, async () => {
          expectInvalid(await api(`${at(path)}?cursor=${value}`), ['cursor']);
        });
      }

      it('is a 400 that names it when it is repeated', async () => {
        expectInvalid(await api(`${at(path)}?cursor=${id}&cursor=${id}`), ['cursor']);
      });
    });
  }

  describe('an unknown parameter is a 400 that names it', () => {
    const routes: [string, string, object | undefined][] = [
      ['POST', '/qrcodes', { name: 'Menu', content: 'https://example.com/' }],
      ['GET', '/qrcodes', undefined],
      ['GET', '/qrcodes/:id', undefined],
      ['PATCH', '/qrcodes/:id', { name: 'Other' }],
      ['DELETE', '/qrcodes/:id', undefined],
      ['GET', '/qrcodes/:id/analytics', undefined],
      ['GET', '/qrcodes/:id/scans', undefined],
    ];
    for (const [method, path, body] of routes) {
      for (const name of ['verbose', 'api_key', '__proto__', 'constructor']) {
        it(`${method} ${path}?${name}=1, without any effect`, async () => {
          const mine = ownerClient(service);
          const menu = { name: 'Menu', content: 'https://example.com/' };
          const created = (await mine('/qrcodes', { method: 'POST', body: menu })).body;
          const answer = await mine(`${path.replace(':id', created.id)}?${name}=1`, { method, body });
          expectInvalid(answer, [name]);
          const { data } = (await mine('/qrcodes')).body;
          expect(data).to.have.length(1);
          expect(data[0]).to.include(created);
        });
      }
    }
  });

  it('names every invalid parameter, not only the first', async () => {
    expectInvalid(await api(`/qrcodes/${id}/scans?limit=0&cursor=x&page=2`), ['limit', 'cursor', 'page']);
    expectInvalid(await api(`/qrcodes/${id}/analytics?days=0&from=x`), ['days', 'from']);
    expectInvalid(await api('/qrcodes?limit=x&cursor=x&category=&type=x&favorite=x&page=2'), [
      'limit',
      'cursor',
      'category',
      'type',
      'favorite',
      'page',
    ]);
  });

  it('names invalid parameters and fields together', async () => {
    const body = { name: 'Menu', content: 'https://example.com/', size: 1 };
    expectInvalid(await api('/qrcodes?verbose=1', { method: 'POST', body }), ['verbose', 'size']);
  });

  it('accepts an empty query', async () => {
    expect((await api(`/qrcodes/${id}?`)).status).to.equal(200);
  });
});
