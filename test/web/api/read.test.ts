import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

const notIds = [
  'abc',
  '1',
  '-1',
  'null',
  'undefined',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b1',
  '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11x',
  '01936f3e7c1a7d448f0b2a5c7f0e9b11',
  '%7B01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11%7D',
  'urn:uuid:01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11',
  "1';DROP%20TABLE%20qr_codes;--",
  '%00',
  '%ff',
  '%zz',
  '%F0%9F%8E%89',
  '%2F',
  'x'.repeat(5000),
];

describe('GET /api/v1/qrcodes/:id (4.2)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  const create = async (body: object = {}) =>
    (
      await api('/qrcodes', {
        method: 'POST',
        body: { name: 'Menu', content: 'https://example.com/', ...body },
      })
    ).body;

  it('responds with 200 and all fields of 2.1 and no other', async () => {
    const created = await create();
    const { status, headers, body } = await api(`/qrcodes/${created.id}`);
    expect(status).to.equal(200);
    expect(body).to.have.all.keys([
      ...Object.keys(created),
      'isPublic',
      'isFavorite',
      'scanCount',
      'updatedAt',
    ]);
    expectWindow(headers);
    expect(headers.get('X-Request-Id')).to.be.a('string');
  });

  it('has the values of the create response (2.1)', async () => {
    const created = await create({ category: 'spring', size: 300 });
    expect((await api(`/qrcodes/${created.id}`)).body).to.include(created);
  });

  it('has isPublic true, isFavorite false, scanCount 0 and updatedAt = createdAt at creation (decisions: Life of a QR code)', async () => {
    service.setNow(new Date('2023-05-01T10:20:30.456Z'));
    const { id } = await create();
    expect((await api(`/qrcodes/${id}`)).body).to.include({
      isPublic: true,
      isFavorite: false,
      scanCount: 0,
      createdAt: '2023-05-01T10:20:30.456Z',
      updatedAt: '2023-05-01T10:20:30.456Z',
      expiresAt: '2024-04-30T10:20:30.456Z',
    });
  });

  it('counts all scans in scanCount, of any age, and none of other codes (2.1)', async () => {
    const [code, other] = [await create(), await create()];
    await Scan.record(service.db, [
      scanRow(code.id, '2020-01-01T00:00:00.000Z'),
      scanRow(code.id, '2023-04-30T23:59:59.999Z'),
      scanRow(code.id, '2023-05-01T00:00:00.000Z', { country: 'ZZ', city: null }),
      scanRow(other.id, '2023-05-01T00:00:00.000Z'),
    ]);
    expect((await api(`/qrcodes/${code.id}`)).body.scanCount).to.equal(3);
    expect((await api(`/qrcodes/${other.id}`)).body.scanCount).to.equal(1);
  });

  it('does not change updatedAt when it is scanned', async () => {
    const { id, createdAt } = await create();
    service.setNow(new Date('2023-05-02T00:00:00.000Z'));
    await Scan.record(service.db, [scanRow(id, '2023-05-02T00:00:00.000Z')]);
    expect((await api(`/qrcodes/${id}`)).body.updatedAt).to.equal(createdAt);
  });

  it('still responds with 200 after expiresAt: nothing is deleted by expiry (decisions: Life of a QR code)', async () => {
    service.setNow(new Date('2023-05-01T00:00:00.000Z'));
    const { id } = await create();
    await Scan.record(service.db, [scanRow(id, '2023-05-01T00:00:00.000Z')]);
    service.setNow(new Date('2030-05-01T00:00:00.000Z'));
    expect((await api(`/qrcodes/${id}`)).body).to.include({ scanCount: 1, isPublic: true });
    expect((await api(`/qrcodes/${id}/scans`)).body.data).to.have.length(1);
    expect((await api(`/qrcodes/${id}/analytics`)).status).to.equal(200);
  });

  it('accepts the id in upper case, which is the same UUID', async () => {
    const { id } = await create();
    expect((await api(`/qrcodes/${id.toUpperCase()}`)).body.id).to.equal(id);
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const { id } = await create();
    const { status, headers } = await api(`/qrcodes/${id}`, { method: 'HEAD' });
    expect(status).to.equal(200);
    expectWindow(headers);
  });

  describe('404 not_found for an id that does not exist or is malformed', () => {
    for (const id of ['01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11', ...notIds]) {
      it(id.slice(0, 60), async () => {
        expectError(await api(`/qrcodes/${id}`), 404, 'not_found');
      });
    }

    it('on every route with an id', async () => {
      for (const id of notIds) {
        expectError(await api(`/qrcodes/${id}/analytics`), 404, 'not_found');
        expectError(await api(`/qrcodes/${id}/scans`), 404, 'not_found');
        expectError(await api(`/qrcodes/${id}`, { method: 'DELETE' }), 404, 'not_found');
        expectError(await api(`/qrcodes/${id}`, { method: 'PATCH', body: {} }), 404, 'not_found');
      }
    });
  });
});
