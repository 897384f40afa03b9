import { expect } from 'chai';
import { scopes } from '../../../src/accounts/key-scopes.ts';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { storeCode } from '../codes/code-owner.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';

const dayMs = 86_400_000;
const keyPattern = /qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}/;

interface StoredKey {
  id: string;
  name: string;
  scopes: string[] | null;
  expires_at: Date | null;
}

describe('API keys with scopes and an expiry, without scripts', () => {
  let service: TestService;
  let owner: FormClient;
  let users = 0;
  let email: string;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    email = `grants-${(users += 1)}@example.com`;
    owner = await signedIn(service, email);
    await owner.get('/keys');
  });
  afterEach(() => service.setNow(undefined));

  const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  const textOf = async (path: string) => mainText(await owner.get(path));

  async function stored(): Promise<StoredKey[]> {
    const { id } = await findUserByEmail(service.db, email);
    return service.db('api_keys').where({ user_id: id }).orderBy('id');
  }

  /** Returns the key and the page that shows it. */
  async function create(fields: Record<string, string>): Promise<{ key: string; page: string }> {
    expect((await owner.post('/keys', { name: 'Shop', ...fields })).status).to.equal(303);
    const page = await (await owner.get('/keys/created')).text();
    return { key: keyPattern.exec(page)?.[0] ?? expect.fail('no key'), page };
  }

  it('can do everything and do not expire unless their owner says so', async () => {
    const form = await (await owner.get('/keys')).text();
    expect(form).to.match(/<input[^>]*value="everything"[^>]* checked/);
    expect(form.match(/type="checkbox"/g)).to.have.length(scopes.length);
    const made = [await create({}), await create({ access: 'everything', lastDay: '' })];
    for (const { page } of made) expect(page).to.contain('everything').and.to.contain('does not expire');
    const rows = await stored();
    expect(rows).to.have.length(2);
    for (const row of rows) expect(row).to.include({ scopes: null, expires_at: null });
  });

  it('get the scopes that are checked, in the order of the list, and the end of the day in UTC', async () => {
    const lastDay = dayIn(40);
    const fields = { access: 'some', 'scope-webhooks': 'on', 'scope-read': 'on', lastDay };
    const { key, page } = await create(fields);
    expect(page).to.contain('only this: read, webhooks');
    const [row] = await stored();
    expect(row?.scopes).to.deep.equal(['read', 'webhooks']);
    expect(row?.expires_at?.getTime()).to.equal(Date.parse(lastDay) + dayMs);
    const api = apiClient(service.url, key);
    expect((await api('/qrcodes')).status).to.equal(200);
    expect((await api('/qrcodes', { method: 'POST', body: {} })).status).to.equal(403);
    const list = await textOf('/keys');
    expect(list).to.contain('read, webhooks').and.to.contain('active').and.not.to.contain('expires in');
  });

  it('are shown with a request that they allow', async () => {
    const code = await storeCode(service.db, email);
    for (const fields of [{}, ...scopes.map((scope) => ({ access: 'some', [`scope-${scope}`]: 'on' }))]) {
      const { key, page } = await create(fields);
      const [, path = 'no command'] = /curl https:\/\/qr\.test\/api\/v1(\S+) /.exec(page) ?? [];
      const [, body] = /-d (?:&#39;|')(\{.*?\})(?:&#39;|')/.exec(page) ?? [];
      const call = body && { method: 'POST', raw: body.replaceAll('&quot;', '"') };
      const { status } = await apiClient(service.url, key)(path.replace('$ID', code.id), call || {});
      expect(status, JSON.stringify(fields)).to.equal(call ? 201 : 200);
    }
  });

  it('are not created without a scope, and the form keeps what was entered', async () => {
    const lastDay = dayIn(3);
    const refused = await owner.post('/keys', { name: 'Shop', access: 'some', lastDay });
    expect(refused.status).to.equal(400);
    const html = await refused.text();
    expect(html)
      .to.contain('Choose what the key can do.')
      .and.to.match(/<input[^>]*value="some"[^>]* checked/)
      .and.to.contain(`value="${lastDay}"`)
      .and.to.contain('value="Shop"');
    const past = await owner.post('/keys', {
      name: '',
      access: 'some',
      'scope-codes': 'on',
      lastDay: '2020-01-01',
    });
    expect(await past.text())
      .to.contain('Enter a name')
      .and.to.contain('This day is over.')
      .and.to.match(/<input[^>]*name="scope-codes"[^>]* checked/);
    expect(await stored()).to.deep.equal([]);
  });

  it('say on the list how soon they expire, and are below with the revoked ones afterwards', async () => {
    const { key } = await create({ lastDay: dayIn(5) });
    expect(await textOf('/keys')).to.contain('expires in 5 days');
    const at = (days: number) => service.setNow(new Date(Date.parse(dayIn(days)) + dayMs / 2));
    at(4);
    expect(await textOf('/keys')).to.contain('expires tomorrow');
    at(5);
    expect(await textOf('/keys'))
      .to.contain('expires today')
      .and.not.to.contain('revoked or expired');
    at(6);
    expect(await textOf('/keys'))
      .to.contain('1 revoked or expired key')
      .and.to.contain('No active keys');
    service.setNow(undefined);
    // The API goes by the clock of the database.
    const api = apiClient(service.url, key);
    expect((await api('/qrcodes')).status).to.equal(200);
    await service.db('api_keys').update({ expires_at: service.db.raw('now()') });
    expect((await api('/qrcodes')).body.error).to.equal('invalid_api_key');
    const other = apiClient(service.url, await service.makeKey({ email }));
    expect((await other('/account')).body.use.keys, 'an expired key is not one of 25').to.equal(1);
  });

  it('keep working under another name, which only their owner can give', async () => {
    const { key } = await create({});
    const [row] = await stored();
    const path = `/keys/${row?.id}/rename`;
    expect(await (await owner.get(path)).text()).to.contain('value="Shop"');
    for (const name of ['', ' ', 'x'.repeat(101), 'Till\0', 'Till\u202e']) {
      const refused = await owner.post(path, { name });
      expect(refused.status, JSON.stringify(name)).to.equal(400);
    }
    const renamed = await owner.post(path, { name: ' Till 3 ' });
    expect([renamed.status, renamed.headers.get('location')]).to.deep.equal([303, '/keys']);
    expect(await textOf('/keys'))
      .to.contain('Till 3')
      .and.to.contain('The key was renamed.');
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(200);

    const stranger = await signedIn(service, `stranger-of-${email}`);
    await stranger.get('/keys');
    expect((await stranger.get(path)).status).to.equal(404);
    expect((await stranger.post(path, { name: 'Mine' })).status).to.equal(404);
    expect((await stored()).map(({ name }) => name)).to.deep.equal(['Till 3']);
  });
});
