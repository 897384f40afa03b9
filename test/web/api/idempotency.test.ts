import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { sealText, unsealText } from '../../../src/accounts/secrets.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { lockCode } from '../../support/row-lock.ts';
import { startService, type TestService } from '../../support/service.ts';

const menu = { name: 'Menu', content: 'https://example.com/menu' };
const hourMs = 3_600_000;
const hashOf = (key: string) => createHash('sha256').update(key).digest();

describe('Idempotency-Key', () => {
  let service: TestService;
  let other: TestService;
  const emails = { count: 0 };

  before(async () => {
    service = await startService();
    other = await startService({ databaseUrl: service.databaseUrl });
  });
  after(async () => {
    await other.stop();
    await service.stop();
  });
  afterEach(() => service.setNow(undefined));

  async function newAccount(): Promise<{ api: ApiClient; email: string; codes(): Promise<QrCode[]> }> {
    const email = `retries-${(emails.count += 1)}@example.com`;
    const api = apiClient(service.url, await service.makeKey({ email }));
    const { id } = await findOrCreateUser(service.db, email, new Date());
    return { api, email, codes: async () => QrCode.query(service.db).where({ user_id: id }) };
  }
  const post = (api: ApiClient, key: string, body: object = menu) =>
    api('/qrcodes', { method: 'POST', body, headers: { 'Idempotency-Key': key } });

  it('repeats the response of POST, creates one code, and says so in a header', async () => {
    const { api, codes } = await newAccount();
    const first = await post(api, 'order 1');
    const second = await post(api, 'order 1');
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.body).to.deep.equal(first.body);
    expect(first.headers.get('Idempotency-Replayed')).to.equal(null);
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    expect(second.headers.get('X-Request-Id')).to.not.equal(first.headers.get('X-Request-Id'));
    expect(await codes()).to.have.length(1);
  });

  it('counts a repeated request against the rate limit, like every request', async () => {
    const { api } = await newAccount();
    const [first, second] = [await post(api, 'counted'), await post(api, 'counted')];
    expect(first.headers.get('X-RateLimit-Remaining')).to.equal('99');
    expect(second.headers.get('X-RateLimit-Remaining')).to.equal('98');
  });

  it('repeats the warnings of the first response', async () => {
    const { api } = await newAccount();
    const pale = { ...menu, foregroundColor: '#eeeeee' };
    const [first, second] = [await post(api, 'pale', pale), await post(api, 'pale', pale)];
    expect(first.headers.get('Qrelay-Warning')).to.include('contrast');
    expect(second.headers.get('Qrelay-Warning')).to.equal(first.headers.get('Qrelay-Warning'));
  });

  it('repeats the response of PATCH and does not apply it over a later change', async () => {
    const { api } = await newAccount();
    const { id } = (await post(api, 'create')).body;
    const rename = () =>
      api(`/qrcodes/${id}`, {
        method: 'PATCH',
        body: { name: 'First' },
        headers: { 'Idempotency-Key': 'a' },
      });
    const first = await rename();
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Later' } });
    expect((await rename()).body).to.deep.equal(first.body);
    expect((await api(`/qrcodes/${id}`)).body.name).to.equal('Later');
  });

  it('is bound to If-Match: another version is another request', async () => {
    const { api } = await newAccount();
    const created = await post(api, 'create');
    const at = `/qrcodes/${created.body.id}`;
    const rename = (ifMatch: string | undefined) =>
      api(at, {
        method: 'PATCH',
        body: { name: 'Renamed' },
        headers: { 'Idempotency-Key': 'rename', ...(ifMatch !== undefined && { 'If-Match': ifMatch }) },
      });
    const etag = created.headers.get('ETag') ?? '';
    expect((await rename(etag)).status).to.equal(200);
    expect((await rename(etag)).headers.get('Idempotency-Replayed')).to.equal('true');
    for (const ifMatch of ['"another"', '*', undefined])
      expectInvalid(await rename(ifMatch), ['Idempotency-Key']);
  });

  it('shows a change at the share address at once, also with a key', async () => {
    const { api } = await newAccount();
    const { id, shareToken } = (await post(api, 'shared')).body;
    const destination = async () =>
      (await fetch(`${service.url}/r/${shareToken}`, { redirect: 'manual' })).headers.get('Location');
    expect(await destination()).to.equal(menu.content);
    const body = { content: 'https://example.com/winter' };
    await api(`/qrcodes/${id}`, { method: 'PATCH', body, headers: { 'Idempotency-Key': 'winter' } });
    expect(await destination()).to.equal(body.content);
  });

  it('with another body, another path or another method is a 400 that changes nothing', async () => {
    const { api, codes } = await newAccount();
    const { id } = (await post(api, 'one')).body;
    expectInvalid(await post(api, 'one', { ...menu, name: 'Other' }), ['Idempotency-Key']);
    const patched = await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: menu,
      headers: { 'Idempotency-Key': 'one' },
    });
    expectInvalid(patched, ['Idempotency-Key']);
    expect((await codes()).map(({ name }) => name)).to.deep.equal(['Menu']);
  });

  it('with the same body for another code is a 400 that changes nothing', async () => {
    const { api, codes } = await newAccount();
    const ids = [(await post(api, 'first')).body.id, (await post(api, 'second')).body.id] as [string, string];
    const rename = (id: string) =>
      api(`/qrcodes/${id}`, {
        method: 'PATCH',
        body: { name: 'Renamed' },
        headers: { 'Idempotency-Key': 'rename one' },
      });
    expect((await rename(ids[0])).body).to.include({ id: ids[0], name: 'Renamed' });
    expectInvalid(await rename(ids[1]), ['Idempotency-Key']);
    expect((await codes()).find(({ id }) => id === ids[1])?.name).to.equal('Menu');
  });

  it('compares a body of many levels, too', async () => {
    const { api } = await newAccount();
    const raw = '['.repeat(19_000) + ']'.repeat(19_000);
    const headers = { 'Idempotency-Key': 'deep' };
    expectInvalid(await api('/qrcodes', { method: 'POST', raw, headers }), ['body']);
  });

  it('belongs to an account: all its keys share it, other accounts do not', async () => {
    const [mine, theirs] = [await newAccount(), await newAccount()];
    const sameAccount = apiClient(service.url, await service.makeKey({ email: mine.email }));
    const first = await post(mine.api, 'shared key');
    expect((await post(sameAccount, 'shared key')).body.id).to.equal(first.body.id);
    expect((await post(theirs.api, 'shared key')).body.id).to.not.equal(first.body.id);
  });

  it('may be used again after an error, with a corrected request', async () => {
    const { api, codes } = await newAccount();
    expectInvalid(await post(api, 'typo', { name: 'Menu', content: 'nonsense' }), ['content']);
    const corrected = await post(api, 'typo');
    expect(corrected.status).to.equal(201);
    expect(corrected.headers.get('Idempotency-Replayed')).to.equal(null);
    expect(await codes()).to.have.length(1);
  });

  it('is valid for 24 hours, then creates another code', async () => {
    const { api, codes } = await newAccount();
    const start = Date.now();
    service.setNow(new Date(start));
    await post(api, 'daily');
    service.setNow(new Date(start + 24 * hourMs - 1));
    expect((await post(api, 'daily')).headers.get('Idempotency-Replayed')).to.equal('true');
    service.setNow(new Date(start + 24 * hourMs));
    const next = await post(api, 'daily', { ...menu, name: 'Tomorrow' });
    expect(next.body.name).to.equal('Tomorrow');
    expect(await codes()).to.have.length(2);
  });

  it('of more than 255 characters, or with characters other than visible ASCII, is a 400', async () => {
    const { api } = await newAccount();
    expect((await post(api, 'k'.repeat(255))).status).to.equal(201);
    for (const bad of ['k'.repeat(256), 'schlüssel', ''])
      expectInvalid(await post(api, bad), ['Idempotency-Key']);
  });

  it('is ignored by methods that are safe to repeat', async () => {
    const { api } = await newAccount();
    const { id } = (await post(api, 'code')).body;
    const headers = { 'Idempotency-Key': 'code' };
    expect((await api(`/qrcodes/${id}`, { headers })).status).to.equal(200);
    expect((await api(`/qrcodes/${id}`, { method: 'DELETE', headers })).status).to.equal(204);
  });

  it('creates no code if its response cannot be stored, and can be used again', async () => {
    const { api, codes } = await newAccount();
    await service.db.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON idempotent_responses FOR EACH ROW EXECUTE FUNCTION refuse()`);
    expectError(await post(api, 'torn'), 500, 'internal_error');
    await service.db.raw('DROP TRIGGER refuse ON idempotent_responses; DROP FUNCTION refuse()');
    expect(await codes()).to.have.length(0);
    expect((await post(api, 'torn')).status).to.equal(201);
    expect(await codes()).to.have.length(1);
  });

  it('stores neither the key nor the response in plain text', async () => {
    const { api } = await newAccount();
    await post(api, 'a key that nobody may see', { name: 'Confidential', content: 'https://example.com/c' });
    const rows = await service.db.raw("SELECT encode(sealed, 'escape') AS text FROM idempotent_responses");
    expect(JSON.stringify(rows.rows)).to.not.include('Confidential').and.not.include('nobody may see');
  });

  it('keeps responses that nobody can read who only guesses the key, and reads those of the previous release', async () => {
    const { api, codes } = await newAccount();
    const { body, headers } = await post(api, 'order 7');
    const stored = service.db('idempotent_responses').where({ key_hash: hashOf('order 7') });
    const [row] = (await stored.clone()) as { sealed: Buffer }[];
    expect(() => unsealText(row!.sealed, 'order 7', 'idempotent-response')).to.throw();
    const kept = { ETag: headers.get('ETag'), Location: headers.get('Location') };
    const response = JSON.stringify({ status: 201, headers: kept, body });
    await stored.clone().update({ sealed: sealText(response, 'order 7', 'idempotent-response') });
    expect((await post(api, 'order 7')).body).to.deep.equal(body);
    expect(await codes()).to.have.length(1);
    await stored.clone().update({ sealed: sealText(response, 'another secret', 'idempotent-response') });
    expect((await post(api, 'order 7')).status).to.equal(500);
    expect(await codes()).to.have.length(1);
  });

  it('waits for a request in another process, and answers 409 when that takes too long', async () => {
    const { api, email, codes } = await newAccount();
    const { id } = await findOrCreateUser(service.db, email, new Date());
    const holder = await service.db.transaction();
    await holder('idempotent_responses').insert({
      user_id: id,
      key_hash: createHash('sha256').update('slow').digest(),
      request_hash: Buffer.alloc(32),
      created_at: new Date(),
    });
    const late = await post(api, 'slow');
    await holder.rollback();
    expectError(late, 409, 'validation_error');
    expect(late.headers.get('Retry-After')).to.equal('1');
    expect(await codes()).to.have.length(0);
    expect((await post(api, 'slow')).status).to.equal(201);
  });

  it('checks the codes of a bulk request before the transaction, which must not be idle for long', async () => {
    const { api, email, codes } = await newAccount();
    const { id } = await findOrCreateUser(service.db, email, new Date());
    const bulk = (content: string) =>
      api('/qrcodes/bulk', {
        method: 'POST',
        body: { qrCodes: [{ ...menu, content }] },
        headers: { 'Idempotency-Key': 'bulk' },
      });
    const holder = await service.db.transaction();
    await holder('idempotent_responses').insert({
      user_id: id,
      key_hash: createHash('sha256').update('bulk').digest(),
      request_hash: Buffer.alloc(32),
      created_at: new Date(),
    });
    const checked = await bulk('nonsense');
    await holder.rollback();
    expectInvalid(checked, ['qrCodes[0].content']);
    const [first, second] = [await bulk(menu.content), await bulk(menu.content)];
    expect(second.body).to.deep.equal(first.body);
    expect((await codes()).map((code) => code.id)).to.deep.equal([first.body.data[0].code.id]);
  });

  it('lets parallel PATCHes with one key wait on one connection per process', async () => {
    const { api, email } = await newAccount();
    const elsewhere = apiClient(other.url, await other.makeKey({ email }));
    const { id } = (await post(api, 'patched')).body;
    const rename = (client: ApiClient) =>
      client(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'N' }, headers: { 'Idempotency-Key': 'p' } });
    const lock = await lockCode(service.db, id);
    const answers = Promise.all([...Array(30)].map((_, n) => rename(n % 2 === 0 ? api : elsewhere)));
    await lock.waiters(2);
    // All connections of the pool would be taken if each request waited on one.
    expect((await api('/qrcodes')).status).to.equal(200);
    await lock.release();
    const replayed = (await answers).map(({ headers }) => headers.get('Idempotency-Replayed'));
    expect((await answers).map(({ status }) => status)).to.deep.equal(Array(30).fill(200));
    expect(replayed.filter((value) => value === null)).to.have.length(1);
  });
});
