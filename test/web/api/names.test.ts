import { expect } from 'chai';
import { findScans } from '../../../src/scans/scan.ts';
import { renderBody } from '../../../src/webhooks/payload.ts';
import { Delivery } from '../../../src/webhooks/deliveries.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';

const missing = '00000000-0000-7000-8000-000000000000';
const menu = { name: 'Menu', content: 'https://example.com/menu' };
const hook = { url: 'https://example.com/hook', name: 'CRM', events: ['code.created'] };

describe('Names of the API', () => {
  let service: TestService;
  let api: ApiClient;
  let id: string;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    api = ownerClient(service);
    ({ id } = await createCode(api));
  });

  const post = (path: string, body: object) => api(path, { method: 'POST', body });
  const download = async (path: string, body: object) => {
    const refused = await post(path, { ...body, isUnknown: true });
    expect(refused.status).to.equal(400);
    return refused.body.details.map(({ field }: { field: string }) => field) as string[];
  };
  const warningOf = (answer: { headers: Headers }) => answer.headers.get('Qrelay-Warning');

  it('are qrCodeIds in every request that lists codes', async () => {
    for (const [path, rest] of [
      ['/qrcodes/labels', { sheet: 'L7160' }],
      ['/qrcodes/files', { format: 'svg' }],
    ] as const)
      expect(await download(path, { qrCodeIds: [id], ...rest })).to.deep.equal(['isUnknown']);
    const style = (await post('/styles', { name: 'Ours', qrCodeId: id })).body;
    expect((await post(`/styles/${style.id}/apply`, { qrCodeIds: [id] })).status).to.equal(202);
    const endpoint = await post('/webhooks', { ...hook, qrCodeIds: [id] });
    expect(endpoint.body.qrCodeIds).to.deep.equal([id]);
    const change = { method: 'PATCH', body: { qrCodeIds: null } };
    expect((await api(`/webhooks/${endpoint.body.id}`, change)).body.qrCodeIds).to.equal(null);
  });

  it('are qrCodes and qrCode in a bulk request', async () => {
    const { status, body } = await post('/qrcodes/bulk', { mode: 'each', qrCodes: [menu, {}] });
    expect(status).to.equal(200);
    expect(body.data[0].qrCode).to.include({ name: 'Menu' });
    expect(body.data[1].errors[0].field).to.match(/^qrCodes\[1\]\./);
  });

  it('are accepted as they were before, for one release, with a warning that names the new one', async () => {
    const style = await post('/styles', { name: 'Former', codeId: id });
    const answers = [
      style,
      await post('/qrcodes/bulk', { codes: [menu] }),
      await post('/webhooks', { ...hook, codeIds: [id] }),
    ];
    answers.push(await post(`/styles/${style.body.id}/apply`, { codeIds: [id] }));
    for (const answer of answers) expect(answer.status).to.be.within(200, 202);
    expect(answers.map(warningOf)).to.deep.equal(
      [
        ['codeId', 'qrCodeId'],
        ['codes', 'qrCodes'],
        ['codeIds', 'qrCodeIds'],
        ['codeIds', 'qrCodeIds'],
      ].map(
        ([former, name]) =>
          `${former} is now called ${name}. The former name is accepted until the next release.`,
      ),
    );
    for (const [path, rest] of [
      ['/qrcodes/labels', { sheet: 'L7160' }],
      ['/qrcodes/files', { format: 'svg' }],
    ] as const)
      expect(await download(path, { ids: [id], ...rest })).to.deep.equal(['isUnknown']);
  });

  it('are in errors what the client sent', async () => {
    expectInvalid(await post('/qrcodes/files', { ids: ['x'], format: 'svg' }), ['ids[0]']);
    expectInvalid(await post('/qrcodes/files', { ids: [], format: 'svg' }), ['ids']);
    expectInvalid(await post('/qrcodes/files', { qrCodeIds: ['x'], format: 'svg' }), ['qrCodeIds[0]']);
    expectInvalid(await post('/qrcodes/files', { format: 'svg' }), ['qrCodeIds']);
    const gone = await post('/qrcodes/files', { ids: [missing], format: 'svg' });
    expectError(gone, 404, 'not_found');
    expect(gone.body.message).to.include('ids[0]');
    expectInvalid(await post('/qrcodes/bulk', { codes: [{ ...menu, size: 1 }] }), ['codes[0].size']);
    expectInvalid(await post('/qrcodes/bulk', { qrCodes: [{ ...menu, size: 1 }] }), ['qrCodes[0].size']);
  });

  it('must not be sent twice', async () => {
    expectInvalid(await post('/qrcodes/files', { ids: [id], qrCodeIds: [id], format: 'svg' }), ['ids']);
  });

  it('are in responses beside the former ones, for one release', async () => {
    const { body: bulk } = await post('/qrcodes/bulk', { qrCodes: [menu] });
    expect(bulk.data[0].code).to.deep.equal(bulk.data[0].qrCode);
    const { body: endpoint } = await post('/webhooks', { ...hook, qrCodeIds: [id] });
    expect(endpoint.codeIds).to.deep.equal(endpoint.qrCodeIds);
    const { body: ping } = await post(`/webhooks/${endpoint.id}/test`, {});
    expect(ping).to.include({ type: 'ping', event: 'ping' });
  });

  it('are in the payload of an event what they are in the API', async () => {
    const { body: endpoint } = await post('/webhooks', hook);
    const created = await createCode(api);
    const [listed] = (await api(`/webhooks/${endpoint.id}/deliveries`)).body.data;
    const delivery = await Delivery.query(service.db).findById(listed.id).throwIfNotFound();
    const sent = JSON.parse(
      (await renderBody(service.db, delivery, { baseUrl: 'https://qr.test', findScans })) ?? '',
    );
    expect(sent.type).to.equal(listed.type);
    expect(sent.data.qrCode.id).to.equal(created.id);
    expect(sent.data.code).to.deep.equal(sent.data.qrCode);
  });
});
