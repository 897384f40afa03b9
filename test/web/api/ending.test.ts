import { expect } from 'chai';
import { addBlock } from '../../../src/codes/blocks.ts';
import { dayMs } from '../../../src/runtime/units.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid, expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';

const start = new Date('2027-01-01T00:00:00.000Z');
const later = new Date('2027-02-01T12:00:00.000Z');
const inAYear = (from: Date) => new Date(from.getTime() + 365 * dayMs).toISOString();

describe('GET and PATCH /api/v1/qrcodes/:id/ending', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  beforeEach(() => service.setNow(start));
  after(() => service.stop());

  const read = async (id: string) => (await api(`/qrcodes/${id}/ending`)).body;
  const patch = (id: string, body: object) => api(`/qrcodes/${id}/ending`, { method: 'PATCH', body });
  const patchCode = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });

  it('describe a code with the default lifetime', async () => {
    const { id } = await createCode(api);
    const { status, headers, body } = await api(`/qrcodes/${id}/ending`);
    expect(status).to.equal(200);
    expectWindow(headers);
    expect(body).to.deep.equal({ expiresAt: inAYear(start), isRenewedByScans: true, afterExpiryUrl: null });
  });

  it('tell an end that was chosen with POST or PATCH, also the default end after another one, until null is sent', async () => {
    const chosen = '2027-06-30T00:00:00.000Z';
    const { id } = await createCode(api, { expiresAt: chosen });
    expect(await read(id)).to.include({ expiresAt: chosen, isRenewedByScans: false });
    service.setNow(later);
    const back = await patch(id, { expiresAt: null });
    expect(back.status).to.equal(200);
    expect(back.body).to.include({ expiresAt: inAYear(later), isRenewedByScans: true });
    const { body: code } = await api(`/qrcodes/${id}`);
    expect(code).to.include({ expiresAt: inAYear(later), updatedAt: later.toISOString() });
    await patchCode(id, { expiresAt: chosen });
    expect(await read(id)).to.include({ isRenewedByScans: false });
    await patchCode(id, { expiresAt: inAYear(later) });
    expect(await read(id)).to.include({ expiresAt: inAYear(later), isRenewedByScans: false });
  });

  it('take the end that a code already has for no choice', async () => {
    const { id } = await createCode(api);
    for (const change of [patch, patchCode])
      expect((await change(id, { expiresAt: inAYear(start) })).status).to.equal(200);
    expect(await read(id)).to.include({ expiresAt: inAYear(start), isRenewedByScans: true });
  });

  it('take the start of Unix time for a chosen end, too', async () => {
    const { id } = await createCode(api);
    const { body } = await patch(id, { expiresAt: '1970-01-01T00:00:00.000Z' });
    expect(body).to.include({ expiresAt: '1970-01-01T00:00:00.000Z', isRenewedByScans: false });
  });

  it('say how long afterExpiryUrl may be, without the error correction of a picture', async () => {
    const { id } = await createCode(api);
    const refused = await patch(id, { afterExpiryUrl: `https://example.com/${'a'.repeat(2934)}` });
    expectInvalid(refused, ['afterExpiryUrl']);
    expect(refused.body.details[0].message).to.equal('must be at most 2953 bytes of UTF-8; it has 2954');
  });

  it('renew a code that has expired', async () => {
    const { id } = await createCode(api);
    await patch(id, { expiresAt: '2026-12-31T00:00:00.000Z' });
    expect(await read(id)).to.include({ isRenewedByScans: false });
    await patch(id, { expiresAt: null });
    expect(await read(id)).to.include({ expiresAt: inAYear(start), isRenewedByScans: true });
  });

  it('set and remove the address for the time after the end, and change nothing else', async () => {
    const { id } = await createCode(api);
    const { body: before } = await api(`/qrcodes/${id}`);
    const afterExpiryUrl = 'https://example.com/closed?from=poster';
    expect((await patch(id, { afterExpiryUrl })).body).to.deep.equal({
      expiresAt: inAYear(start),
      isRenewedByScans: true,
      afterExpiryUrl,
    });
    expect((await api(`/qrcodes/${id}`)).body).to.deep.equal(before);
    expect((await patch(id, {})).body).to.include({ afterExpiryUrl });
    expect((await patch(id, { afterExpiryUrl: null })).body).to.include({ afterExpiryUrl: null });
  });

  it('reject what content of type url rejects, and name the field', async () => {
    await addBlock(service.db, { kind: 'host', value: 'evil.example', reason: null, createdAt: start });
    const { id } = await createCode(api);
    for (const afterExpiryUrl of [
      '',
      5,
      'a\0',
      'javascript:alert(1)',
      '/menu',
      'https://u:p@example.com/',
      ' https://example.com/',
      'https://qr.test/r/abcdefghij',
      'https://www.evil.example/',
      `https://example.com/${'x'.repeat(3_000)}`,
    ])
      expectInvalid(await patch(id, { afterExpiryUrl }), ['afterExpiryUrl']);
    expectInvalid(await patch(id, { expiresAt: 'soon', isRenewedByScans: true }), [
      'expiresAt',
      'isRenewedByScans',
    ]);
    expectInvalid(await patchCode(id, { afterExpiryUrl: 'https://example.com/' }), ['afterExpiryUrl']);
    expect((await read(id)).afterExpiryUrl).to.equal(null);
  });

  it('answer 404 for the code of another owner', async () => {
    const { id } = await createCode(api);
    const other = ownerClient(service);
    expect((await other(`/qrcodes/${id}/ending`)).status).to.equal(404);
    expect((await other(`/qrcodes/${id}/ending`, { method: 'PATCH', body: {} })).status).to.equal(404);
  });

  it('let a list be limited to codes that end soon', async () => {
    const mine = ownerClient(service);
    const ending = (days: number) =>
      createCode(mine, {
        name: String(days),
        expiresAt: new Date(start.getTime() + days * dayMs).toISOString(),
      });
    for (const [second, days] of [1, 7, 8, 30].entries()) {
      service.setNow(new Date(start.getTime() + second));
      await ending(days);
    }
    service.setNow(start);
    const { id } = await ending(3);
    await mine(`/qrcodes/${id}`, { method: 'PATCH', body: { expiresAt: '2026-12-31T00:00:00.000Z' } });
    const namesWithin = async (days: number | string) => {
      const { body } = await mine(`/qrcodes?expiringWithinDays=${days}`);
      return body.data?.map(({ name }: { name: string }) => name);
    };
    expect(await namesWithin(7)).to.deep.equal(['7', '1']);
    expect(await namesWithin(365)).to.deep.equal(['30', '8', '7', '1']);
    const page = await mine('/qrcodes?expiringWithinDays=8&limit=2');
    expect(page.body.data).to.have.length(2);
    const rest = await mine(`/qrcodes?expiringWithinDays=8&limit=2&cursor=${page.body.nextCursor}`);
    expect(rest.body).to.deep.include({ nextCursor: null });
    expect(rest.body.data.map(({ name }: { name: string }) => name)).to.deep.equal(['1']);
    for (const days of ['0', '3651', '1.5', 'soon'])
      expectInvalid(await mine(`/qrcodes?expiringWithinDays=${days}`), ['expiringWithinDays']);
  });
});
