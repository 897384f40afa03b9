import { expect } from 'chai';
import { maxWaitingCodes } from '../../../src/codes/styles/style-applications.ts';
import { openQueueClient } from '../../../src/queue/queue-client.ts';
import { periodicQueue } from '../../../src/queue/periodic-queue.ts';
import { waitUntilReady } from '../../../src/queue/queue-connection.ts';
import { png } from '../../codes/files/logo-files.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { type TestService, startService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { assumedProofs, quickImages, sharedProofs } from '../../support/shared-threads.ts';
import { testLog } from '../../support/test-log.ts';

const post = (api: ApiClient, path: string, body: object) => api(path, { method: 'POST', body });
const apply = (api: ApiClient, styleId: string, body: object) => post(api, `/styles/${styleId}/apply`, body);

describe('A style that is applied to codes', () => {
  let service: TestService;
  let proofs = assumedProofs;
  before(async () => {
    service = await startService({
      worker: true,
      ...quickImages,
      proofs: { ...assumedProofs, prove: (...call) => proofs.prove(...call) },
    });
  });
  afterEach(() => {
    proofs = assumedProofs;
  });
  after(() => service.stop());

  const done = (api: ApiClient, id: string) =>
    eventually(async () => {
      const { body } = await api(`/style-applications/${id}`);
      expect(body.status).to.equal('done');
      return body;
    });

  it('is proven on each, leaves those that phones could not read as they were, and says why', async () => {
    const api = ownerClient(service);
    const style = (await post(api, '/styles', { name: 'Ours', moduleShape: 'dots' })).body;
    const { logo } = (
      await api(`/styles/${style.id}/logo`, {
        method: 'PUT',
        raw: new Uint8Array(png()),
        headers: { 'Content-Type': 'image/png' },
      })
    ).body;
    const good = await createCode(api);
    const pale = await createCode(api, { foregroundColor: '#e0e0e0' });
    const long = await createCode(api, { type: 'text', content: 'x'.repeat(2_900), errorCorrection: 'L' });
    const blurred = await createCode(api);
    const gone = await createCode(api);
    const qrCodeIds = [good.id, pale.id, long.id, blurred.id, gone.id, good.id];
    proofs = {
      ...assumedProofs,
      prove: async (caller, picture) =>
        picture.text.endsWith(blurred.shareToken)
          ? { readsAtMm: null, remedy: { field: 'moduleShape', value: 'square' }, undrawable: null }
          : assumedProofs.prove(caller, picture),
    };
    const accepted = await apply(api, style.id, { qrCodeIds });
    expect(accepted.status).to.equal(202);
    expect(accepted.body).to.include({ styleId: style.id, total: 5 });
    await api(`/qrcodes/${gone.id}`, { method: 'DELETE' });
    const queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: undefined },
      log: testLog(),
    });
    await waitUntilReady(queue);
    await queue.add({ ...periodicQueue, jobName: 'styles' }, {});
    await queue.add({ ...periodicQueue, jobName: 'styles' }, {});
    const result = await done(api, accepted.body.id);
    await queue.close();
    expect(result).to.include({ total: 4, pending: 0, applied: 1 });
    const reasons = new Map(
      (result.refused as { qrCodeId: string; reason: string }[]).map(({ qrCodeId, reason }) => [
        qrCodeId,
        reason,
      ]),
    );
    expect([...reasons.keys()]).to.have.members([pale.id, long.id, blurred.id]);
    expect(reasons.get(pale.id)).to.include('foregroundColor of the code must be darker than the background');
    expect(reasons.get(long.id)).to.include('logoSize 20 needs more error correction');
    expect(reasons.get(blurred.id)).to.include('dots is not read by phones');
    const designOf = async (id: string) => (await api(`/qrcodes/${id}/design`)).body;
    expect(await designOf(good.id)).to.include({ moduleShape: 'dots', logo });
    expect((await designOf(good.id)).readsAtMm).to.be.oneOf([15, 20, 30]);
    for (const id of [pale.id, long.id, blurred.id]) expect((await designOf(id)).updatedAt).to.equal(null);
  });

  it('replaces other designs, and ends with the style', async () => {
    proofs = sharedProofs();
    const api = ownerClient(service);
    const style = (await post(api, '/styles', { name: 'Ours', moduleShape: 'rounded' })).body;
    const code = await createCode(api, { category: 'Menus' });
    await createCode(api, { category: 'Other' });
    await api(`/qrcodes/${code.id}/design`, { method: 'PUT', body: { moduleShape: 'bars' } });
    const { body } = await apply(api, style.id, { category: 'Menus' });
    expect(body.total).to.equal(1);
    await done(api, body.id);
    expect((await api(`/qrcodes/${code.id}/design`)).body.moduleShape).to.equal('rounded');
    await api(`/styles/${style.id}`, { method: 'DELETE' });
    expectError(await api(`/style-applications/${body.id}`), 404, 'not_found');
    expect((await api(`/qrcodes/${code.id}/design`)).body.moduleShape).to.equal('rounded');
  });

  it('is the default for new codes: at once for one, soon for many', async () => {
    const api = ownerClient(service);
    await post(api, '/styles', { name: 'Ours', moduleShape: 'dots', isDefault: true });
    const shape = async (id: string) => (await api(`/qrcodes/${id}/design`)).body.moduleShape;
    const code = await createCode(api);
    expect(await shape(code.id)).to.equal('dots');
    const codes = [1, 2, 3].map((n) => ({ name: `Table ${n}`, content: 'https://example.com/' }));
    const bulk = await post(api, '/qrcodes/bulk', { codes });
    expect(bulk.status).to.equal(200);
    const ids = (bulk.body.data as { code: { id: string } }[]).map((row) => row.code.id);
    await eventually(async () => {
      for (const id of ids) expect(await shape(id)).to.equal('dots');
    });
  });
});

describe('A request to apply a style, /api/v1/styles/:id/apply', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await startService(quickImages);
  });
  beforeEach(() => {
    api = ownerClient(service);
  });
  after(() => service.stop());

  const newStyle = async (fields: object = {}) =>
    (await post(api, '/styles', { name: 'Ours', ...fields })).body as { id: string };

  it('names what is wrong with it', async () => {
    const { id } = await newStyle();
    const code = await createCode(api);
    expectInvalid(await apply(api, id, {}), ['qrCodeIds']);
    expectInvalid(await apply(api, id, { qrCodeIds: [] }), ['qrCodeIds']);
    expectInvalid(await apply(api, id, { qrCodeIds: 'x' }), ['qrCodeIds']);
    expectInvalid(await apply(api, id, { qrCodeIds: [code.id, 'x', 5] }), ['qrCodeIds[1]', 'qrCodeIds[2]']);
    expectInvalid(await apply(api, id, { qrCodeIds: Array(501).fill(code.id) }), ['qrCodeIds']);
    expectInvalid(await apply(api, id, { qrCodeIds: [code.id], category: 'x' }), ['category']);
    expectInvalid(await apply(api, id, { category: '' }), ['category']);
    expectInvalid(await apply(api, id, { category: 'None of mine' }), ['category']);
    expectInvalid(await apply(api, id, { qrCodeIds: [code.id], all: true }), ['all']);
    const missing = await apply(api, id, { qrCodeIds: [code.id, '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11'] });
    expectError(missing, 404, 'not_found');
    expect(missing.body.message).to.include('qrCodeIds[1]');
    expect(await service.db('style_applications').where({ style_id: id })).to.have.length(0);
  });

  it(`is refused while ${maxWaitingCodes} codes of the account wait, also for parallel requests`, async () => {
    const { id } = await newStyle();
    const rows = Array.from({ length: 400 }, (_, n) => ({
      name: `Code ${n}`,
      content: 'https://example.com/',
    }));
    const bulk = await post(api, '/qrcodes/bulk', { qrCodes: rows });
    const qrCodeIds = (bulk.body.data as { qrCode: { id: string } }[]).map(({ qrCode }) => qrCode.id);
    const answers = await Promise.all([1, 2, 3].map(() => apply(api, id, { qrCodeIds })));
    expect(answers.map(({ status }) => status)).to.have.members([202, 202, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.message).to.include('Try again when the others are done');
    // New codes are created all the same.
    await api(`/styles/${id}`, { method: 'PATCH', body: { isDefault: true } });
    const more = await post(api, '/qrcodes/bulk', { qrCodes: rows });
    expect(more.status).to.equal(200);
    const [row] = more.body.data as { warnings: string[] }[];
    expect(row?.warnings.join()).to.include('created without the default style');
  });

  it('belongs to its owner', async () => {
    const { id } = await newStyle();
    const code = await createCode(api);
    const { body } = await apply(api, id, { qrCodeIds: [code.id] });
    expect((await api(`/style-applications/${body.id}`)).status).to.equal(200);
    expectError(await ownerClient(service)(`/style-applications/${body.id}`), 404, 'not_found');
    expectError(await api('/style-applications/x'), 404, 'not_found');
  });

  it('of the default style leaves a new code plain where phones could not read it, and says why', async () => {
    await newStyle({ moduleShape: 'dots', isDefault: true });
    const made = await post(api, '/qrcodes', {
      name: 'Pale',
      content: 'https://example.com/',
      foregroundColor: '#e0e0e0',
    });
    expect(made.status).to.equal(201);
    expect(made.headers.get('Qrelay-Warning')).to.include(
      'The code was created without the default style: foregroundColor of the code must be darker',
    );
    expect((await api(`/qrcodes/${made.body.id}/design`)).body.updatedAt).to.equal(null);
  });

  it('of the default style never raises the error correction in the response', async () => {
    const { id } = await newStyle({ logoSize: 24, isDefault: true });
    await api(`/styles/${id}/logo`, {
      method: 'PUT',
      raw: new Uint8Array(png()),
      headers: { 'Content-Type': 'image/png' },
    });
    const made = await post(api, '/qrcodes', { name: 'Menu', content: 'https://example.com/' });
    expect(made.body.errorCorrection).to.equal('M');
    expect((await api(`/qrcodes/${made.body.id}`)).body.errorCorrection).to.equal('M');
    // The worker raises it.
    expect(await service.db('style_application_codes').where({ code_id: made.body.id })).to.have.length(1);
  });

  it('of the default style leaves a new code plain where too many codes wait, and says so', async () => {
    const { id } = await newStyle({ logoSize: 24, isDefault: true });
    await api(`/styles/${id}/logo`, {
      method: 'PUT',
      raw: new Uint8Array(png()),
      headers: { 'Content-Type': 'image/png' },
    });
    const codes = Array.from({ length: maxWaitingCodes / 2 }, (_, n) => ({
      name: `Code ${n}`,
      content: 'https://example.com/',
    }));
    for (let requests = 0; requests < 2; requests += 1) await post(api, '/qrcodes/bulk', { codes });
    const made = await post(api, '/qrcodes', { name: 'Menu', content: 'https://example.com/' });
    expect(made.status).to.equal(201);
    expect(made.headers.get('Qrelay-Warning')).to.equal(
      'The code was created without the default style because too many codes wait for a style. Apply it later.',
    );
    expect(await service.db('style_application_codes').where({ code_id: made.body.id })).to.have.length(0);
  });
});
