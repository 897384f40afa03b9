import { expect } from 'chai';
import { addBlock } from '../../../src/codes/blocks.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { lockWaiters } from '../../support/row-lock.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode, openShare, type SharedCode } from '../../support/share.ts';

const missing = '00000000-0000-7000-8000-000000000000';

describe('Bulk changes of QR codes', () => {
  let service: TestService;
  let api: ApiClient;
  let codes: SharedCode[];

  before(async () => {
    service = await startService(quickImages);
  });
  after(() => service.stop());
  beforeEach(async () => {
    api = ownerClient(service);
    const rows = [1, 2, 3].map((n) => ({ name: `Table ${n}`, content: `https://example.com/${n}` }));
    const { body } = await api('/qrcodes/bulk', { method: 'POST', body: { qrCodes: rows } });
    codes = body.data.map(({ qrCode }: { qrCode: SharedCode }) => qrCode);
  });

  const idOf = (index: number) => codes[index]?.id ?? '';
  const tokenOf = (index: number) => codes[index]?.shareToken ?? '';
  const bulk = (method: 'PATCH' | 'DELETE', body: unknown, headers: Record<string, string> = {}) =>
    api('/qrcodes/bulk', { method, body, headers });
  const patch = (qrCodes: unknown, headers: Record<string, string> = {}) =>
    bulk('PATCH', { qrCodes }, headers);
  const remove = (qrCodeIds: unknown, headers: Record<string, string> = {}) =>
    bulk('DELETE', { qrCodeIds }, headers);
  const read = async (index: number) => (await api(`/qrcodes/${idOf(index)}`)).body;
  const locationOf = async (index: number) =>
    (await openShare(service.url, tokenOf(index))).headers.get('Location');

  describe('PATCH /api/v1/qrcodes/bulk', () => {
    it('changes each code by its own fields, as one request, and at the share link at once', async () => {
      expect(await locationOf(1)).to.equal('https://example.com/2');
      const { status, body, headers } = await patch([
        { id: idOf(1), content: 'https://example.com/new', category: ' Menus ' },
        { id: idOf(0).toUpperCase(), name: 'First', isFavorite: true },
        { id: idOf(2) },
      ]);
      expect(status).to.equal(200);
      expect(body.updated).to.equal(3);
      expect(headers.get('X-RateLimit-Remaining')).to.equal('98');
      const found = body.data.map(({ qrCode }: { qrCode: object }) => qrCode);
      expect(found).to.deep.equal([await read(1), await read(0), await read(2)]);
      expect(await read(1)).to.include({ name: 'Table 2', category: 'Menus' });
      expect(await read(0)).to.include({ name: 'First', isFavorite: true });
      expect(await locationOf(1)).to.equal('https://example.com/new');
    });

    it('changes none if one is invalid, and names every invalid field with its row', async () => {
      await addBlock(service.db, { kind: 'host', value: 'bad.test', reason: null, createdAt: new Date() });
      const others = await createCode(ownerClient(service));
      const refused = await patch([
        { id: idOf(0), name: 'Changed' },
        { id: idOf(1), size: 1, shareToken: 'x' },
        { id: missing, name: 'Nobody' },
        { id: others.id, name: 'Theirs' },
        { name: 'No id' },
        { id: idOf(0), name: 'Twice' },
        { id: idOf(2), content: 'https://bad.test/' },
        'text',
        { id: 'x' },
      ]);
      expectInvalid(refused, [
        'qrCodes[1].size',
        'qrCodes[1].shareToken',
        'qrCodes[2].id',
        'qrCodes[3].id',
        'qrCodes[4].id',
        'qrCodes[5].id',
        'qrCodes[6].content',
        'qrCodes[7]',
        'qrCodes[8].id',
      ]);
      const details = refused.body.details as { field: string; message: string }[];
      for (const index of [2, 3])
        expect(details).to.deep.include({
          field: `qrCodes[${index}].id`,
          message: 'is not one of your QR codes',
        });
      expect((await read(0)).name).to.equal('Table 1');
      expectInvalid(await patch([{ id: idOf(0), type: 'text' }]), ['qrCodes[0].type']);
    });

    it('refuses a change of the look of a code with a design, which has to be proven alone', async () => {
      await api(`/qrcodes/${idOf(0)}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
      const refused = await patch([
        { id: idOf(0), foregroundColor: '#000000' },
        { id: idOf(1), foregroundColor: '#000000' },
      ]);
      expectInvalid(refused, ['qrCodes[0].foregroundColor']);
      expect(refused.body.details[0].message).to.include('use PATCH /api/v1/qrcodes/{id}');
      expect((await patch([{ id: idOf(0), name: 'Designed' }])).status).to.equal(200);
    });

    it('reports warnings and sets an end, each in its row', async () => {
      const expiresAt = '2099-01-01T00:00:00.000Z';
      const { body } = await patch([
        { id: idOf(0), foregroundColor: '#eeeeee' },
        { id: idOf(1), expiresAt },
      ]);
      expect(body.data[0].warnings[0]).to.include('contrast');
      expect(body.data[1].warnings).to.deep.equal([]);
      expect((await api(`/qrcodes/${idOf(1)}/ending`)).body).to.include({
        expiresAt,
        isRenewedByScans: false,
      });
    });

    it('checks each row against what another request has stored meanwhile', async () => {
      const holder = await service.db.transaction();
      const content = 'x'.repeat(2_000);
      const changes = { type: 'text', content, updated_at: new Date() };
      await holder('qr_codes')
        .where({ id: idOf(0) })
        .update(changes);
      const waiting = patch([
        { id: idOf(1), name: 'Changed' },
        { id: idOf(0), errorCorrection: 'H' },
      ]);
      await lockWaiters(service.db, 1);
      await holder.commit();
      expectInvalid(await waiting, ['qrCodes[1].errorCorrection']);
      expect((await read(1)).name).to.equal('Table 2');
    });

    it('is processed once with an Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'rename' };
      const first = await patch([{ id: idOf(0), name: 'Once' }], headers);
      await api(`/qrcodes/${idOf(0)}`, { method: 'PATCH', body: { name: 'Later' } });
      const second = await patch([{ id: idOf(0), name: 'Once' }], headers);
      expect(second.body).to.deep.equal(first.body);
      expect((await read(0)).name).to.equal('Later');
    });
  });

  describe('DELETE /api/v1/qrcodes/bulk', () => {
    it('deletes all of them, as one request, and at the share link at once', async () => {
      expect(await locationOf(0)).to.equal('https://example.com/1');
      const { status } = await remove([idOf(0), idOf(1), idOf(0).toUpperCase()]);
      expect(status).to.equal(204);
      expect((await api('/qrcodes')).body.data.map(({ id }: { id: string }) => id)).to.deep.equal([idOf(2)]);
      expect((await openShare(service.url, tokenOf(0))).status).to.equal(404);
    });

    it('deletes none if one is not a code of yours, and names each', async () => {
      const others = await createCode(ownerClient(service));
      const refused = await remove([idOf(0), missing, others.id, 'x']);
      expectInvalid(refused, ['qrCodeIds[3]']);
      expectInvalid(await remove([idOf(0), missing, others.id]), ['qrCodeIds[1]', 'qrCodeIds[2]']);
      expect((await api('/qrcodes')).body.data).to.have.length(3);
    });

    it('is processed once with an Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'clear' };
      const [first, second] = [await remove([idOf(0)], headers), await remove([idOf(0)], headers)];
      expect([first.status, second.status]).to.deep.equal([204, 204]);
      expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    });
  });

  it('are bounded like bulk creation', async () => {
    const many = Array.from({ length: 501 }, () => ({ id: missing }));
    expectInvalid(await patch(many), ['qrCodes']);
    expectInvalid(await patch([]), ['qrCodes']);
    expectInvalid(await remove(Array(501).fill(missing)), ['qrCodeIds']);
    expectInvalid(await remove([]), ['qrCodeIds']);
    expectInvalid(await bulk('DELETE', {}), ['qrCodeIds']);
    const text = JSON.stringify({ qrCodeIds: [idOf(0)] });
    const raw = text + ' '.repeat(1024 * 1024 + 1 - text.length);
    expectError(await api('/qrcodes/bulk', { method: 'DELETE', raw }), 413, 'validation_error');
  });

  it('change 500 codes, and let other requests through meanwhile', async () => {
    const rows = [...Array(500).keys()].map((n) => ({ name: `${n}`, content: 'https://example.com/' }));
    const created = await api('/qrcodes/bulk', { method: 'POST', body: { qrCodes: rows } });
    const ids = created.body.data.map(({ qrCode }: { qrCode: SharedCode }) => qrCode.id) as string[];
    let isDone = false;
    const changed = patch(ids.map((id, n) => ({ id, content: `https://h${n}.example/` }))).finally(() => {
      isDone = true;
    });
    let answered = 0;
    while (!isDone) {
      await fetch(`${service.url}/healthz`);
      answered += 1;
    }
    expect((await changed).body.updated).to.equal(500);
    expect(answered).to.be.above(10);
    expect((await remove(ids)).status).to.equal(204);
    expect((await api('/qrcodes')).body.data).to.have.length(3);
  });
});
