import { expect } from 'chai';
import { changeLimits } from '../../src/accounts/account-limits.ts';
import { listActions } from '../../src/accounts/operator-actions.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { defaultLimits, limitNames, parseLimits } from '../../src/limits.ts';
import { pdf } from '../codes/files/pdf-file.ts';
import { apiClient } from '../support/api-client.ts';
import { signedIn } from '../support/form-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

describe('The limits of an account', () => {
  let service: TestService;
  before(async () => {
    // As FREE_LIMITS=requestsPerHour=30,webhooks=1 does it.
    const { limits } = parseLimits('requestsPerHour=30,webhooks=1');
    service = await startService({
      config: { limits: { ...defaultLimits, free: { ...defaultLimits.free, ...limits } } },
    });
  });
  after(() => service.stop());

  async function account(email: string) {
    const api = apiClient(service.url, await service.makeKey({ email, plan: 'free' }));
    const { id: userId } = await findUserByEmail(service.db, email);
    const change = (changes: Parameters<typeof changeLimits>[2]) =>
      changeLimits(
        service.db,
        { workspaceId: ownWorkspaceId({ id: userId }), operatorId: undefined },
        changes,
        new Date(),
      );
    return { api, userId, change };
  }
  const endpoint = { name: 'Mine', url: 'https://example.com/hook', events: ['code.created'] };

  it('have the defaults of the contract, 20 and 100 requests per hour', () => {
    expect([defaultLimits.free.requestsPerHour, defaultLimits.pro.requestsPerHour]).to.deep.equal([20, 100]);
  });

  it('are those of the plan, changed by the configuration, changed by an operator for the account', async () => {
    const { api, change } = await account('ann@example.com');
    const limitOf = async () => Number((await api('/qrcodes')).headers.get('X-RateLimit-Limit'));
    expect(await limitOf()).to.equal(30);
    await change({ requestsPerHour: 7 });
    expect(await limitOf()).to.equal(7);
    await change({ requestsPerHour: null });
    expect(await limitOf()).to.equal(30);
  });

  it('refuse the request after the last one of the hour, also where they were lowered below what is used', async () => {
    const { api, change } = await account('bob@example.com');
    for (let number = 0; number < 5; number += 1) expect((await api('/account')).status).to.equal(200);
    await change({ requestsPerHour: 3 });
    const refused = await api('/account');
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('X-RateLimit-Remaining')).to.equal('0');
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(3_500, 3_600);
  });

  it('hold for webhook endpoints, files and keys in the same way', async () => {
    const email = 'cleo@example.com';
    const { api, change } = await account(email);
    const addWebhook = () => api('/webhooks', { method: 'POST', body: endpoint });
    expect((await addWebhook()).status).to.equal(201);
    expect((await addWebhook()).body).to.include({ error: 'validation_error', code: 'quota_exceeded' });
    const { id } = await createCode(api);
    const upload = () =>
      api(`/qrcodes/${id}/file`, {
        method: 'PUT',
        raw: new Uint8Array(pdf()),
        headers: { 'Content-Type': 'application/pdf' },
      });
    await change({ fileMb: 0, webhooks: 2, keys: 1 });
    expect((await addWebhook()).status).to.equal(201);
    expect((await upload()).body).to.include({ error: 'validation_error', code: 'quota_exceeded' });
    const pages = await signedIn(service, email);
    await pages.get('/keys');
    const refused = await pages.post('/keys', { name: 'Second' });
    expect(await refused.text()).to.contain('A workspace can have 1 active keys. Revoke one first.');
    await change({ fileMb: null, keys: null });
    expect((await upload()).status).to.equal(200);
    expect((await pages.post('/keys', { name: 'Second' })).status).to.equal(303);
  });

  it('are read with their use at /api/v1/account and on the page Account', async () => {
    const email = 'dan@example.com';
    const { api, change } = await account(email);
    await createCode(api);
    await api('/webhooks', { method: 'POST', body: endpoint });
    await change({ codes: 5 });
    const { status, body } = await api('/account');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      plan: 'free',
      limits: {
        requestsPerHour: 30,
        formsPerHour: 100,
        codes: 5,
        fileBytes: 20 * 1024 * 1024,
        webhooks: 1,
        keys: 25,
      },
      use: { requests: 3, forms: 0, codes: 1, fileBytes: 0, webhooks: 1, keys: 1 },
    });
    const pages = await signedIn(service, email);
    const page = (await (await pages.get('/workspace')).text())
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
    expect(page).to.contain('Codes 1 of 5 1 set for it 50,000').and.to.contain('3 of 30 3');
  });

  it('are recorded in the audit log when they change, and only then', async () => {
    const { userId, change } = await account('eve@example.com');
    expect(await change({ codes: 5, webhooks: 9 })).to.equal(true);
    expect(await change({ codes: 5, keys: null })).to.equal(false);
    expect(await change({ codes: null })).to.equal(true);
    const notes = (await listActions(service.db, { target: userId, limit: 5 })).map(({ note }) => note);
    expect(notes).to.deep.equal(['codes: 5 → plan', 'codes: plan → 5, webhooks: plan → 9']);
  });

  it('are written as name=number, each at most once, within bounds', () => {
    expect(parseLimits(' codes=5 , keys=0 ')).to.deep.equal({ limits: { codes: 5, keys: 0 }, errors: [] });
    for (const wrong of [
      '',
      'code=5',
      'codes',
      'codes=',
      'codes=-1',
      'codes=1e3',
      'codes=5,codes=6',
      'requestsPerHour=0',
      'codes=5,',
    ])
      expect(parseLimits(wrong).errors, wrong).to.have.length(1);
    for (const name of limitNames) expect(parseLimits(`${name}=99999999`).errors).to.have.length(1);
  });
});
