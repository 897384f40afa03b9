import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { errorCodes } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';

const hook = { url: 'https://example.com/hook', name: 'CRM', events: ['scan.recorded'] };
const menu = { name: 'Menu', content: 'https://example.com/menu' };
const missing = '00000000-0000-7000-8000-000000000000';

describe('The code of an error', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(() => {
    api = ownerClient(service);
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    api(path, { method: 'POST', body, headers });
  const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  it('is quota_exceeded where the plan allows no more', async () => {
    const free = apiClient(service.url, await service.makeKey({ plan: 'free' }));
    const create = () => free('/webhooks', { method: 'POST', body: hook });
    for (let made = 0; made < 3; made += 1) expect((await create()).status).to.equal(201);
    expect(codeOf(await create())).to.deep.equal([400, 'quota_exceeded']);
  });

  it('is design_unreadable where phones could not read it, also in a change of colors', async () => {
    const { id } = await createCode(api);
    const put = (body: object) => api(`/qrcodes/${id}/design`, { method: 'PUT', body });
    const pale = { eyeBallColor: '#f5f5f5', eyeFrameColor: '#f5f5f5' };
    expect(codeOf(await put(pale))).to.deep.equal([400, 'design_unreadable']);
    expect((await put({ moduleShape: 'dots' })).status).to.equal(200);
    const change = { method: 'PATCH', body: { foregroundColor: '#f0f0f0' } };
    expect(codeOf(await api(`/qrcodes/${id}`, change))).to.deep.equal([400, 'design_unreadable']);
  });

  it('is idempotency_key_reused for another request with the same key', async () => {
    const key = { 'Idempotency-Key': 'one' };
    expect((await post('/qrcodes', menu, key)).status).to.equal(201);
    const reused = await post('/qrcodes', { ...menu, name: 'Other' }, key);
    expect(codeOf(reused)).to.deep.equal([400, 'idempotency_key_reused']);
  });

  it('is version_conflict where If-Match names another version', async () => {
    const { id } = await createCode(api);
    const headers = { 'If-Match': '"other"' };
    const stale = await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'New' }, headers });
    expect(codeOf(stale)).to.deep.equal([412, 'version_conflict']);
  });

  it('says what is wrong with the request as a whole', async () => {
    const raw = { method: 'POST', raw: '{' };
    expect(codeOf(await api('/qrcodes', raw))).to.deep.equal([400, 'malformed_body']);
    const large = { method: 'POST', raw: JSON.stringify({ ...menu, name: 'x'.repeat(70_000) }) };
    expect(codeOf(await api('/qrcodes', large))).to.deep.equal([413, 'payload_too_large']);
    const text = { method: 'POST', raw: 'x', headers: { 'Content-Type': 'text/plain' } };
    expect(codeOf(await api('/qrcodes', text))).to.deep.equal([415, 'unsupported_media_type']);
    expect(codeOf(await api('/qrcodes', { method: 'PUT' }))).to.deep.equal([405, 'method_not_allowed']);
  });

  it('is invalid_fields where details name them', async () => {
    expect(codeOf(await post('/qrcodes', { ...menu, size: 1 }))).to.deep.equal([400, 'invalid_fields']);
  });

  it('is qr_code_not_found where a code in the body is not one of yours', async () => {
    const gone = await post('/qrcodes/files', { qrCodeIds: [missing], format: 'svg' });
    expect(codeOf(gone)).to.deep.equal([404, 'qr_code_not_found']);
    const hooked = await post('/webhooks', { ...hook, qrCodeIds: [missing] });
    expect(codeOf(hooked)).to.deep.equal([400, 'qr_code_not_found']);
  });

  it('is endpoint_disabled where a disabled webhook endpoint should be called', async () => {
    const { body } = await post('/webhooks', hook);
    await api(`/webhooks/${body.id}`, { method: 'PATCH', body: { isEnabled: false } });
    const test = await api(`/webhooks/${body.id}/test`, { method: 'POST' });
    expect(codeOf(test)).to.deep.equal([400, 'endpoint_disabled']);
  });

  it('is name_taken where another style has the name', async () => {
    expect((await post('/styles', { name: 'Ours' })).status).to.equal(201);
    expect(codeOf(await post('/styles', { name: 'OURS' }))).to.deep.equal([400, 'name_taken']);
  });

  it('is file_rejected where an upload is not what it should be', async () => {
    const { id } = await createCode(api);
    for (const path of ['file', 'page/logo?alt=x', 'design/logo']) {
      const raw = new Uint8Array(Buffer.from('no picture'));
      const headers = { 'Content-Type': 'image/png' };
      const refused = await api(`/qrcodes/${id}/${path}`, { method: 'PUT', raw, headers });
      expect(codeOf(refused), path).to.deep.equal([400, 'file_rejected']);
    }
  });

  it('is not sent where error says it all', async () => {
    expect(codeOf(await api(`/qrcodes/${missing}`))).to.deep.equal([404, undefined]);
    const nobody = apiClient(service.url, 'nonsense');
    expect(codeOf(await nobody('/qrcodes'))).to.deep.equal([401, undefined]);
  });

  it('is one of a list that the OpenAPI document and docs/api.md have, which may grow', async () => {
    const document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as {
      components: {
        schemas: { Error: { properties: { code: Record<string, unknown> }; required: string[] } };
      };
    };
    const { properties, required } = document.components.schemas.Error;
    expect(required).to.not.include('code');
    const known = properties.code['x-extensible-enum'] as string[];
    expect(known).to.include.members([
      'quota_exceeded',
      'design_unreadable',
      'request_timeout',
      'overloaded',
    ]);
    expect(properties.code['enum']).to.equal(undefined);
    const docs = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const listed = [...docs.matchAll(/^\| `(\w+)` +\| \d{3}/gm)].map(([, code]) => code);
    // The values of `error` have a table of their own.
    expect(listed).to.have.members([...errorCodes, ...known]);
  });
});
