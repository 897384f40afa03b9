import { expect } from 'chai';
import { purgeOneTimeSecrets } from '../../../src/accounts/sessions.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const password = 'correct horse battery';
const keyPattern = /qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}/;

describe('New API keys (contract 5.5, 8)', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  afterEach(async () => {
    service.setNow(undefined);
    await service.db('one_time_secrets').delete();
  });

  async function signUp(email: string): Promise<FormClient> {
    const client = formClient(service.url);
    await client.get('/signup');
    expect((await client.post('/signup', { email, password })).status).to.equal(303);
    await client.get('/keys');
    return client;
  }
  const create = (client: FormClient, name = 'Shop') => client.post('/keys', { name });
  const userId = async (email: string) =>
    ((await service.db('users').where({ email }).first('id')) as { id: string }).id;
  const activeKeys = async (email: string) =>
    service.db('api_keys').where({ user_id: await userId(email), revoked_at: null });

  it('are limited to 10 per hour, so that revoking keys does not add quota', async () => {
    const email = 'ann@example.com';
    const client = await signUp(email);
    let served = 0;
    for (let round = 0; round < 12; round += 1) {
      const answer = await create(client);
      if (answer.status !== 303) break;
      const key = keyPattern.exec(await (await client.get('/keys/created')).text())?.[0] ?? '';
      if ((await apiClient(service.url, key)('/qrcodes')).status === 200) served += 1;
      const [row] = (await activeKeys(email)) as { id: string }[];
      await client.get(`/keys/${row?.id}/revoke`);
      await client.post(`/keys/${row?.id}/revoke`, {});
    }
    expect(served).to.equal(10);
    const refused = await create(client);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_500, 3_600);
    expect(await refused.text())
      .to.match(/can create 10 keys per hour\. Try again in \d+ minutes/)
      // The name is valid and stays for the next attempt.
      .and.to.match(/<input[^>]* name="name"[^>]* value="[^"]/)
      .and.not.to.contain('aria-invalid');
    service.setNow(new Date(Date.now() + 3_600_000));
    expect((await create(client)).status).to.equal(303);
  });

  it('are limited to 10 also when 30 are requested at once', async () => {
    const email = 'bob@example.com';
    const client = await signUp(email);
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await create(client)).status));
    expect(statuses.filter((status) => status === 303)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(20);
    expect(await activeKeys(email)).to.have.length(10);
  });

  it('are limited to 25 active ones, also when they are requested at once', async () => {
    const email = 'cleo@example.com';
    const client = await signUp(email);
    for (let number = 0; number < 22; number += 1) await service.makeKey({ email });
    await service
      .db('api_keys')
      .where({ user_id: await userId(email) })
      .update({ created_at: new Date(Date.now() - 3_700_000) });
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(client)));
    expect(answers.filter(({ status }) => status === 303)).to.have.length(3);
    const refused = answers.find(({ status }) => status === 400);
    expect(await refused?.text())
      .to.contain('A workspace can have 25 active keys. Revoke one first')
      .and.not.to.contain('aria-invalid');
    expect(await activeKeys(email)).to.have.length(25);
  });

  it('are never in a cookie, and not readable in any table', async () => {
    const client = await signUp('dan@example.com');
    const answer = await create(client);
    const rows = (await service.db('one_time_secrets')) as { sealed: Buffer }[];
    const key =
      keyPattern.exec(await (await client.get('/keys/created')).text())?.[0] ?? expect.fail('no key');
    const cookies = answer.headers.getSetCookie().join('\n');
    const decoded = cookies.replace(/[\w-]{20,}/g, (text) => Buffer.from(text, 'base64url').toString());
    for (const secret of [key, key.split('_')[2] ?? '']) {
      expect(cookies + decoded).not.to.contain(secret);
      for (const { sealed } of rows) expect(sealed.toString('latin1')).not.to.contain(secret);
    }
  });

  it('are shown once, only to their session, however many requests come at once', async () => {
    const email = 'eve@example.com';
    const client = await signUp(email);
    const other = formClient(service.url);
    await other.get('/signin');
    expect((await other.post('/signin', { email, password })).status).to.equal(303);
    await create(client);
    expect((await other.get('/keys/created')).headers.get('location')).to.equal('/keys');
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.get('/keys/created')));
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    expect(pages.filter((page) => keyPattern.test(page))).to.have.length(1);
    expect(await service.db('one_time_secrets')).to.deep.equal([]);
  });

  it('are shown where a process of the previous release has put them into a cookie', async () => {
    const email = 'gus@example.com';
    const client = await signUp(email);
    const apiKey = await service.makeKey({ email });
    const handed = (text: string) =>
      client.cookies.set('__Host-qrelay-flash', Buffer.from(`/keys/created ${text}`).toString('base64url'));
    handed(`${apiKey} Till 2`);
    const page = await (await client.get('/keys/created')).text();
    expect(page).to.contain(apiKey).and.to.contain('Till 2');
    expect((await client.get('/keys/created')).headers.get('location')).to.equal('/keys');
    handed('no key');
    expect((await client.get('/keys/created')).headers.get('location')).to.equal('/keys');
  });

  it('are purged after two minutes', async () => {
    const client = await signUp('finn@example.com');
    await create(client);
    const later = new Date(Date.now() + 121_000);
    service.setNow(later);
    expect((await client.get('/keys/created')).headers.get('location')).to.equal('/keys');
    service.setNow(undefined);
    await create(client);
    expect(await purgeOneTimeSecrets(service.db, new Date())).to.equal(0);
    expect(await purgeOneTimeSecrets(service.db, later)).to.equal(1);
  });
});
