import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const menu = { name: 'Menu', content: 'https://example.com/menu' };
const now = new Date('2027-01-01T00:00:00.000Z');

describe('POST /api/v1/qrcodes with isPublic and expiresAt (decisions: Life of a QR code)', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await startService();
    api = ownerClient(service);
    service.setNow(now);
  });
  after(() => service.stop());

  const create = (body: object) => api('/qrcodes', { method: 'POST', body: { ...menu, ...body } });

  it('accepts isPublic false: the share link is a 404 from the start', async () => {
    const { status, body } = await create({ isPublic: false });
    expect(status).to.equal(201);
    expect(body).to.not.have.property('isPublic');
    expect((await api(`/qrcodes/${body.id}`)).body.isPublic).to.equal(false);
    expect((await fetch(`${service.url}/r/${body.shareToken}`, { redirect: 'manual' })).status).to.equal(404);
  });

  it('accepts isPublic true, which is the default', async () => {
    const { body } = await create({ isPublic: true });
    expect((await api(`/qrcodes/${body.id}`)).body.isPublic).to.equal(true);
  });

  for (const [given, stored] of Object.entries({
    '2027-01-01T00:00:00.001Z': '2027-01-01T00:00:00.001Z',
    '2027-01-01T02:00:00+01:00': '2027-01-01T01:00:00.000Z',
    '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
  })) {
    it(`accepts ${given} for expiresAt, and responds in the create shape`, async () => {
      const { status, body } = await create({ expiresAt: given });
      expect(status).to.equal(201);
      expect(body.expiresAt).to.equal(stored);
      expect((await api(`/qrcodes/${body.id}`)).body.expiresAt).to.equal(stored);
    });
  }

  for (const past of ['2027-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z', '2027-01-01T00:30:00+01:00']) {
    it(`rejects ${past}, which is not in the future`, async () => {
      const answer = await create({ expiresAt: past });
      expectInvalid(answer, ['expiresAt']);
      expect(answer.body.message).to.equal('expiresAt must be in the future.');
    });
  }

  for (const value of [null, '', 'soon', 5, '2028-01-01', '2027-02-30T00:00:00Z', '2028-01-01T00:00:00Z\n']) {
    it(`rejects ${JSON.stringify(value)} for expiresAt`, async () => {
      expectInvalid(await create({ expiresAt: value }), ['expiresAt']);
    });
  }

  for (const value of [null, 'true', 0, 1]) {
    it(`rejects ${JSON.stringify(value)} for isPublic`, async () => {
      expectInvalid(await create({ isPublic: value }), ['isPublic']);
    });
  }

  it('lists a past expiresAt and every other invalid field in one error', async () => {
    expectInvalid(await create({ expiresAt: '2020-01-01T00:00:00Z', content: '/menu', size: 1 }), [
      'expiresAt',
      'content',
      'size',
    ]);
  });
});
