import { expect } from 'chai';
import { purgeDeletedCodes } from '../../../src/scans/purge-deleted-codes.ts';
import { Scan } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('DELETE /api/v1/qrcodes/:id (decisions: Life of a QR code)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  async function createScanned(): Promise<string> {
    const body = { name: 'Menu', content: 'https://example.com/' };
    const { id } = (await api('/qrcodes', { method: 'POST', body })).body as { id: string };
    await Scan.record(service.db, [
      scanRow(id, '2027-01-01T00:00:00.000Z'),
      scanRow(id, '2027-01-02T00:00:00.000Z'),
    ]);
    return id;
  }

  async function rowsOf(id: string): Promise<Record<string, number>> {
    const count = async (table: string, column: string) => (await service.db(table).where(column, id)).length;
    return {
      codes: await count('qr_codes', 'id'),
      scans: await count('scans', 'qr_code_id'),
      counters: await count('scan_counters', 'qr_code_id'),
    };
  }

  it('responds with 204 without a body, with the headers of every response (8)', async () => {
    const { status, headers, body } = await api(`/qrcodes/${await createScanned()}`, { method: 'DELETE' });
    expect(status).to.equal(204);
    expect(body).to.equal(undefined);
    expectWindow(headers);
    expect(headers.get('X-Request-Id')).to.be.a('string');
  });

  it('deletes the code at once with permanently=true, and has its scans and counters purged, and those of no other code', async () => {
    const [gone, stays] = [await createScanned(), await createScanned()];
    const { counters } = await rowsOf(gone);
    expect(counters).to.be.above(0);
    expect((await api(`/qrcodes/${gone}?permanently=true`, { method: 'DELETE' })).status).to.equal(204);
    expect((await rowsOf(gone))['codes']).to.equal(0);
    await purgeDeletedCodes(service.db, () => false);
    expect(await rowsOf(gone)).to.deep.equal({ codes: 0, scans: 0, counters: 0 });
    expect(await rowsOf(stays)).to.deep.equal({ codes: 1, scans: 2, counters });
  });

  it('is a 404 the second time', async () => {
    const id = await createScanned();
    expect((await api(`/qrcodes/${id}`, { method: 'DELETE' })).status).to.equal(204);
    expectError(await api(`/qrcodes/${id}`, { method: 'DELETE' }), 404, 'not_found');
  });

  it('succeeds once of two parallel requests', async () => {
    const id = await createScanned();
    const answers = await Promise.all([1, 2].map(() => api(`/qrcodes/${id}`, { method: 'DELETE' })));
    expect(answers.map(({ status }) => status)).to.have.members([204, 404]);
  });

  it('makes every route of the code a 404, and removes it from the list', async () => {
    const id = await createScanned();
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    expectError(await api(`/qrcodes/${id}`), 404, 'not_found');
    expectError(await api(`/qrcodes/${id}/analytics`), 404, 'not_found');
    expectError(await api(`/qrcodes/${id}/scans`), 404, 'not_found');
    expectError(await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'x' } }), 404, 'not_found');
    const { data } = (await api('/qrcodes?limit=100')).body as { data: { id: string }[] };
    expect(data.map((code) => code.id)).to.not.include(id);
  });

  it('stores no late scan of a code that was deleted for good', async () => {
    const id = await createScanned();
    const before = await rowsOf(id);
    await api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
    await Scan.record(service.db, [scanRow(id, '2027-01-03T00:00:00.000Z')]);
    expect(await rowsOf(id)).to.deep.equal({ ...before, codes: 0 });
  });
});
