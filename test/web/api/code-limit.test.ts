import { expect } from 'chai';
import { changeLimits } from '../../../src/accounts/account-limits.ts';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { ownWorkspaceId } from '../../../src/workspaces/workspace.ts';

const row = { name: 'Menu', content: 'https://example.com/' };
const rows = (count: number) => Array.from({ length: count }, () => row);
const look = { foregroundColor: '#000000', backgroundColor: '#ffffff', size: '512', errorCorrection: 'M' };
const fields = { ...look, type: 'text', name: 'A note', content: 'typed with care' };

describe('The number of codes of an account', () => {
  let service: TestService;
  let accounts = 0;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function setLimit(email: string, codes: number): Promise<void> {
    const workspaceId = ownWorkspaceId(await findUserByEmail(service.db, email));
    await changeLimits(service.db, { workspaceId, operatorId: undefined }, { codes }, new Date());
  }

  /** An account that may have so many codes. */
  async function accountWith(codes: number): Promise<{ email: string; api: ApiClient; pages: FormClient }> {
    const email = `limited-${(accounts += 1)}@example.com`;
    const api = apiClient(service.url, await service.makeKey({ email }));
    await setLimit(email, codes);
    const pages = await signedIn(service, email);
    await pages.get('/codes/new');
    return { email, api, pages };
  }
  const post = (api: ApiClient, path: string, body: object, headers = {}) =>
    api(path, { method: 'POST', body, headers });
  const countCodes = async (api: ApiClient) => (await api('/qrcodes?limit=100')).body.data.length as number;

  it('is at most 1,000 on the Free plan, and a request that exceeds it creates nothing', async () => {
    const api = apiClient(service.url, await service.makeKey({ plan: 'free' }));
    for (let part = 0; part < 2; part += 1)
      expect((await post(api, '/qrcodes/bulk', { codes: rows(499) })).status).to.equal(200);
    for (const mode of ['all', 'each']) {
      const refused = await post(api, '/qrcodes/bulk', { mode, codes: rows(3) });
      expect(refused.status).to.equal(400);
      expect(refused.body).to.include({ error: 'validation_error', code: 'quota_exceeded' });
      expect(refused.body.message).to.equal(
        'This workspace has 998 QR codes and may have 1000: 3 more do not fit. Delete codes that you no longer need, or ask the operator of this service for a higher limit.',
      );
    }
    expect((await post(api, '/qrcodes/bulk', { codes: rows(2) })).status).to.equal(200);
    expect((await post(api, '/qrcodes', row)).body.code).to.equal('quota_exceeded');
    expect((await api('/account')).body.use.codes).to.equal(1_000);
  });

  it('is exact when single, bulk, idempotent and duplicating requests come at once', async () => {
    const { api, pages } = await accountWith(10);
    const first = await createCode(api);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => post(api, '/qrcodes', row)),
      ...Array.from({ length: 4 }, () => post(api, '/qrcodes/bulk', { codes: rows(2) })),
      ...Array.from({ length: 4 }, (_, key) =>
        post(api, '/qrcodes', row, { 'Idempotency-Key': `key-${key}` }),
      ),
      ...Array.from({ length: 4 }, () => pages.post('/codes/new', fields)),
      ...Array.from({ length: 4 }, () => pages.post(`/codes/${first.id}/duplicate`, {})),
    ]);
    expect(new Set(answers.map(({ status }) => status)))
      .to.be.a('set')
      .and.not.include(500);
    expect(await countCodes(api)).to.equal(10);
  });

  it('has room again when a code is deleted', async () => {
    const { api } = await accountWith(1);
    const { id } = await createCode(api);
    expect((await post(api, '/qrcodes', row)).status).to.equal(400);
    expect((await api(`/qrcodes/${id}`, { method: 'DELETE' })).status).to.equal(204);
    expect((await post(api, '/qrcodes', row)).status).to.equal(201);
  });

  it('may exceed a limit that was lowered: the codes stay and can be changed', async () => {
    const { email, api } = await accountWith(3);
    const { id } = await createCode(api);
    await createCode(api);
    await setLimit(email, 1);
    expect((await post(api, '/qrcodes', row)).body.message).to.match(
      /^This workspace has 2 QR codes and may have 1: /,
    );
    expect((await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } })).status).to.equal(
      200,
    );
    expect(await countCodes(api)).to.equal(2);
  });

  it('is the same for the pages, whose forms keep the input', async () => {
    const { api, pages } = await accountWith(1);
    const { id } = await createCode(api);
    const refused = await pages.post('/codes/new', fields);
    expect(refused.status).to.equal(400);
    const page = await refused.text();
    expect(page).to.contain('typed with care').and.to.contain('This workspace has 1 QR code and may have 1');
    for (const path of ['/codes/new', '/codes/new/file']) {
      const opened = await pages.get(path);
      expect(opened.status).to.equal(200);
      expect(await mainText(opened)).to.contain('This workspace has 1 QR code and may have 1');
    }
    const copied = await pages.post(`/codes/${id}/duplicate`, {});
    expect(copied.status).to.equal(400);
    expect(await mainText(copied)).to.contain('may have 1');

    const form = new FormData();
    form.set('csrfToken', /name="csrfToken" value="([^"]+)"/.exec(page)?.[1] ?? '');
    form.set('name', 'The menu');
    form.set('file', new Blob([new Uint8Array(pdf())]), 'menu.pdf');
    const Cookie = [...pages.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const uploaded = await fetch(`${service.url}/codes/new/file`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { Cookie, Accept: 'text/html' },
    });
    expect(uploaded.status).to.equal(400);
    expect(await uploaded.text())
      .to.contain('may have 1')
      .and.to.contain('The menu');
    expect(await countCodes(api)).to.equal(1);
  });
});
