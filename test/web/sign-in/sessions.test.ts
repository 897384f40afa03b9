import { expect } from 'chai';
import { changePassword, requestConfirmation } from '../../../src/accounts/account-links.ts';
import { changeEmail, findOrCreateUser } from '../../../src/accounts/users.ts';
import { startSession } from '../../../src/accounts/sessions.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { subjectOf } from '../../support/request-windows.ts';
import { lockWaiters } from '../../support/row-lock.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';

const password = 'correct horse battery';

describe('Sessions over HTTP', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function signedUp(email: string): Promise<FormClient> {
    const client = formClient(service.url);
    await client.get('/signup');
    expect((await client.post('/signup', { email, password })).headers.get('location')).to.equal('/codes');
    return client;
  }
  const formOf = async (client: FormClient, path: string) => {
    const page = await (await client.get(path)).text();
    return { csrfToken: /name="csrfToken" value="([^"]+)"/.exec(page)?.[1] ?? '' };
  };
  const signIn = async (client: FormClient, email: string, given = password) => {
    await client.get('/signin');
    return (await client.post('/signin', { email, password: given })).status;
  };

  it('can be started on a known device while the account is throttled for others', async () => {
    const owner = await signedUp('kim@example.com');
    await owner.post('/signout', {});
    const stranger = formClient(service.url);
    for (let number = 0; number < 10; number += 1)
      expect(await signIn(stranger, 'kim@example.com', 'wrong wrong')).to.equal(401);
    expect(await signIn(stranger, 'kim@example.com', password)).to.equal(429);
    expect(await signIn(owner, 'kim@example.com')).to.equal(303);
    // The device cookie is for that account only, and has its own limit of failed attempts.
    await owner.post('/signout', {});
    for (let number = 0; number < 10; number += 1)
      expect(await signIn(owner, 'kim@example.com', 'wrong wrong')).to.equal(401);
    expect(await signIn(owner, 'kim@example.com')).to.equal(429);
  });

  it('have device cookies that end with the password and do not work for a later owner of the email', async () => {
    const before = await signedUp('rob@example.com');
    await before.get('/account');
    await before.post('/account/email', { newEmail: 'rob-elsewhere@example.com', emailPassword: password });
    const owner = await signedUp('rob@example.com');
    await owner.post('/signout', {});
    const old = new Map(owner.cookies);
    await service.db('request_windows').delete();
    const stranger = formClient(service.url);
    for (let number = 0; number < 10; number += 1) await signIn(stranger, 'rob@example.com', 'wrong wrong');
    await before.post('/signout', {});
    expect(await signIn(before, 'rob@example.com', 'wrong wrong')).to.equal(429);
    expect(await signIn(owner, 'rob@example.com')).to.equal(303);
    await owner.get('/account');
    const newPassword = 'another horse battery';
    await owner.post('/account/password', { oldPassword: password, newPassword });
    await owner.post('/signout', {});
    for (const [name, value] of old) stranger.cookies.set(name, value);
    expect(await signIn(stranger, 'rob@example.com', 'wrong wrong')).to.equal(429);
    expect(await signIn(owner, 'rob@example.com', newPassword)).to.equal(303);
  });

  it('store no typed email in readable form', async () => {
    await signIn(formClient(service.url), 'typed-by-mistake@example.com', 'wrong wrong');
    const windows = JSON.stringify(await service.db('request_windows'));
    expect(windows).to.contain('signin-account:').and.not.to.contain('typed-by-mistake');
  });

  it('that end while a form is open redirect to sign-in, and accept the same form afterwards', async () => {
    const owner = await signedUp('lou@example.com');
    await owner.get('/codes/new');
    const session = owner.cookies.get('__Host-qrelay-session') ?? '';
    owner.cookies.delete('__Host-qrelay-session');
    const form = {
      type: 'url',
      content: 'example.com/menu',
      name: 'Menu',
      size: '512',
      errorCorrection: 'M',
    };
    const look = { foregroundColor: '#000000', backgroundColor: '#ffffff' };
    const refused = await owner.post('/codes/new', { ...form, ...look });
    expect(refused.status).to.equal(303);
    expect(refused.headers.get('location')).to.equal('/signin?ended');
    expect(await (await owner.get('/signin?ended')).text()).to.contain('Your input is still there');
    owner.cookies.set('__Host-qrelay-session', session);
    const made = await owner.post('/codes/new', { ...form, ...look });
    expect(made.headers.get('location')).to.match(/^\/codes\/[0-9a-f-]{36}$/);
    // The missing scheme is added.
    const [code] = (await service.db('qr_codes').where({ name: 'Menu' })) as { content: string }[];
    expect(code?.content).to.equal('https://example.com/menu');
  });

  it('can be ended twice, and started from a page that was opened before another sign-in', async () => {
    const owner = await signedUp('mia@example.com');
    await owner.get('/keys');
    for (let time = 0; time < 2; time += 1)
      expect((await owner.post('/signout', {})).headers.get('location')).to.equal('/');
    await owner.get('/signin');
    const fields = { email: 'mia@example.com', password };
    for (let time = 0; time < 2; time += 1)
      expect((await owner.post('/signin', fields)).status).to.equal(303);
  });

  it('end when the same browser signs in again, with the same account or another one, and with sign-out', async () => {
    const owner = await signedUp('eve@example.com');
    await signedUp('joe@example.com');
    const name = '__Host-qrelay-session';
    const statusWith = async (session: string) => {
      const thief = formClient(service.url);
      thief.cookies.set(name, session);
      return (await thief.get('/keys')).status;
    };
    for (const email of ['eve@example.com', 'joe@example.com']) {
      const old = owner.cookies.get(name) ?? '';
      expect(await statusWith(old)).to.equal(200);
      // Somebody has left the page of the sign-in open.
      await owner.get('/signin');
      expect((await owner.post('/signin', { email, password })).status).to.equal(303);
      expect(owner.cookies.get(name)).to.not.equal(old);
      expect(await statusWith(old)).to.equal(303);
    }
    const last = owner.cookies.get(name) ?? '';
    expect(await statusWith(last)).to.equal(200);
    await owner.get('/keys');
    await owner.post('/signout', {});
    expect(await statusWith(last)).to.equal(303);
  });

  it('reject a form of another account, and do not show its new key', async () => {
    const browser = await signedUp('una@example.com');
    const others = await formOf(browser, '/keys');
    await browser.post('/keys', { name: 'Una’s' });
    await browser.post('/signout', {});
    await browser.get('/signup');
    await browser.post('/signup', { email: 'vic@example.com', password });
    expect((await browser.get('/keys/created')).headers.get('location')).to.equal('/keys');
    const refused = await browser.post('/keys', { name: 'Mistaken', ...others });
    expect(refused.status).to.equal(403);
    expect(await refused.text()).to.contain('signed in with a different account');
    expect(await service.db('api_keys').where({ name: 'Mistaken' })).to.deep.equal([]);
  });

  it('accept a form that was opened before the upgrade from 0.1.0', async () => {
    const owner = await signedUp('old@example.com');
    const { csrfToken } = await formOf(owner, '/keys');
    const fields = { name: 'From an old page', csrfToken: '', formToken: csrfToken };
    expect((await owner.post('/keys', fields)).status).to.equal(303);
  });

  it('reject a form without a cookie', async () => {
    const owner = await signedUp('wes@example.com');
    owner.cookies.delete('__Host-qrelay-visitor');
    const page = await (await owner.post('/keys', { name: 'None' })).text();
    const csrfToken = /name="csrfToken" value="([^"]*)"/.exec(page)?.[1] ?? '';
    expect((await owner.post('/keys', { name: 'None', csrfToken })).status).to.equal(403);
  });

  it('merge an outdated form: changes of one side are kept, changes of both are a conflict', async () => {
    const email = 'xia@example.com';
    const owner = await signedUp(email);
    const api = apiClient(service.url, await service.makeKey({ email }));
    const code = await createCode(api, { name: 'Menu', content: 'https://example.com/old' });
    const stored = async () => (await api(`/qrcodes/${code.id}`)).body;
    const elsewhere = (body: object) => api(`/qrcodes/${code.id}`, { method: 'PATCH', body });
    const edit = `/codes/${code.id}/edit`;
    const opened = await (await owner.get(edit)).text();
    const form = {
      name: 'Menu',
      content: 'https://example.com/old',
      category: '',
      lastDay: lastDayIn(opened),
      foregroundColor: '#1a1410',
      backgroundColor: '#ffffff',
      errorCorrection: 'M',
    };
    const line = async () => (await api(`/qrcodes/${code.id}/page`)).body.text;
    // A favorite is not part of the form, and the address is changed on one side only.
    await elsewhere({ isFavorite: true, content: 'https://example.com/new' });
    const renamed = { ...form, name: 'Other name', version: versionIn(opened) };
    expect((await owner.post(edit, renamed)).status).to.equal(303);
    expect(await stored()).to.include({ name: 'Other name', content: 'https://example.com/new' });
    // The same change on both sides is not a conflict.
    expect((await owner.post(edit, renamed)).status).to.equal(303);

    await elsewhere({ name: 'spaced   out', category: 'Theirs' });
    const refused = await owner.post(edit, { ...renamed, pageText: 'Open daily' });
    expect(refused.status).to.equal(409);
    const page = await refused.text();
    expect(page).to.contain('was changed elsewhere').and.to.contain('value="Other name"');
    expect(page.match(/Saved elsewhere: .*?<\/p>/g)).to.deep.equal([
      'Saved elsewhere: <bdi>spaced   out</bdi></p>',
    ]);
    expect(page).to.contain('value="Theirs"').and.to.contain('value="https://example.com/new"');
    expect(page).to.contain(`<a href="/codes/${code.id}">See the newer version</a>`);
    expect(page).to.contain('>Replace the newer version</button>');
    expect(await stored()).to.include({ name: 'spaced   out' });
    expect(await line()).to.equal(null);
    const shown = {
      ...renamed,
      content: 'https://example.com/new',
      category: 'Theirs',
      pageText: 'Open daily',
    };
    expect((await owner.post(edit, { ...shown, version: versionIn(page) })).status).to.equal(303);
    expect(await stored()).to.include({ name: 'Other name', category: 'Theirs' });
    expect(await line()).to.equal('Open daily');

    for (const [lastDay, expiresAt] of [
      ['2031-02-28', '2031-03-01T00:00:00.000Z'],
      ['9999-12-31', '9999-12-31T23:59:59.999Z'],
    ] as const) {
      expect((await owner.post(edit, { ...form, lastDay })).status).to.equal(303);
      expect((await api(`/qrcodes/${code.id}`)).body.expiresAt).to.equal(expiresAt);
    }
    expect((await owner.post(edit, { ...form, lastDay: '2031-02-31' })).status).to.equal(400);

    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { name: 'spaced   out' } });
    const gone = await owner.post(`/codes/${code.id}/delete`, { confirmation: 'spaced out' });
    expect(gone.headers.get('location')).to.equal(`/codes?deleted=${code.id}`);
  });

  it('show what differs in an outdated form of a network, but not the password', async () => {
    const email = 'yan@example.com';
    const owner = await signedUp(email);
    const api = apiClient(service.url, await service.makeKey({ email }));
    const code = await createCode(api, { type: 'wifi', content: 'WIFI:T:WPA;S:Old;P:old secret;;' });
    const look = { foregroundColor: '#1a1410', backgroundColor: '#ffffff', errorCorrection: 'M' };
    const fields = { networkName: 'Old', security: 'WPA', password: 'old secret' };
    const edit = `/codes/${code.id}/edit`;
    const opened = await (await owner.get(edit)).text();
    const version = versionIn(opened);
    const lastDay = lastDayIn(opened);
    const form = { ...look, ...fields, name: 'Test', size: '512', lastDay, version };
    const elsewhere = (content: string) => api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { content } });
    const stored = async () => (await api(`/qrcodes/${code.id}`)).body.content;
    const refusal = async (mine: Partial<typeof form>) => {
      const answer = await owner.post(edit, { ...form, ...mine });
      expect(answer.status).to.equal(409);
      return answer.text();
    };
    const theirs = `WIFI:T:WEP;S:${'N'.repeat(300)};P:new secret;H:true;;`;
    await elsewhere(theirs);
    const page = await refusal({ networkName: 'Mine', security: 'nopass', password: 'my secret' });
    expect(page).to.contain(`Saved elsewhere: <bdi>${'N'.repeat(200)} …</bdi>`);
    expect(page).to.contain('Saved elsewhere: <bdi>WEP</bdi>');
    expect(page).to.contain('Saved elsewhere: a different value</p>').and.not.to.contain('new secret');
    // A form without changes leaves the stored value.
    expect((await owner.post(edit, { ...form, size: '256' })).status).to.equal(303);
    expect(await stored()).to.equal(theirs);
    // Content that no longer fits the fields holds a password too.
    const unfit = 'WIFI:T:WPA;S:Old;P:new secret;X:more;;';
    await elsewhere(unfit);
    const raw = await refusal({ networkName: 'Mine' });
    expect(raw).to.contain('Saved elsewhere: a different value</p>').and.not.to.contain('new secret');
    expect((await owner.post(edit, { ...form, size: '256' })).status).to.equal(303);
    expect(await stored()).to.equal(unfit);
    const mine = { ...form, networkName: 'Mine', size: '256', version: versionIn(raw) };
    expect((await owner.post(edit, mine)).status).to.equal(303);
    expect(await stored()).to.contain('S:Mine;');
  });

  it('return to the requested page with its query', async () => {
    const answer = await formClient(service.url).get('/codes?q=menu&type=url');
    expect(answer.headers.get('location')).to.equal('/signin?next=%2Fcodes%3Fq%3Dmenu%26type%3Durl');
    const page = await (await fetch(`${service.url}${answer.headers.get('location')}`)).text();
    expect(page).to.contain('name="next" value="/codes?q=menu&amp;type=url"');
    // Also through the sign-up.
    const signUpPath = '/signup?next=%2Fcodes%3Fq%3Dmenu%26type%3Durl';
    expect(page).to.contain(`href="${signUpPath}"`);
    const client = formClient(service.url);
    expect(await (await client.get(signUpPath)).text()).to.contain('value="/codes?q=menu&amp;type=url"');
    const asked = { email: 'quinn@example.com', password, next: '/codes?q=menu&type=url' };
    expect((await client.post('/signup', asked)).headers.get('location')).to.equal(asked.next);
    await client.post('/signout', {});
    const evil = { email: 'ray@example.com', password, next: '//evil.test' };
    expect((await client.post('/signup', evil)).headers.get('location')).to.equal('/codes');
  });

  it('of a deleted account end, and its codes stop working at once', async () => {
    const email = 'nan@example.com';
    const owner = await signedUp(email);
    const code = await createCode(apiClient(service.url, await service.makeKey({ email })));
    const status = async () => (await openShare(service.url, code.shareToken)).status;
    expect(await status()).to.equal(302);
    await owner.get('/account');
    await owner.post('/account/delete', { confirmation: email, deletePassword: password });
    expect(await status()).to.equal(404);
  });

  it('of a deleted account leave no rate-limit windows of its keys and passwords', async () => {
    const email = 'moe@example.com';
    const owner = await signedUp(email);
    const key = await service.makeKey({ email });
    await apiClient(service.url, key)('/qrcodes');
    const [{ id }] = (await service.db('users').where({ email })) as [{ id: string }];
    const subjects = [await subjectOf(service.db, key), `password-check:${id}`];
    await owner.get('/account');
    await owner.post('/account/delete', { confirmation: 'not yet', deletePassword: password });
    const windows = () => service.db('request_windows').whereIn('subject', subjects);
    expect(await windows()).to.have.length(2);
    await owner.post('/account/delete', { confirmation: email, deletePassword: password });
    expect(await windows()).to.deep.equal([]);
  });

  it('are not started with a password that is replaced while it is checked', async () => {
    const user = await findOrCreateUser(service.db, 'ray@example.com', new Date());
    const { passwordHash } = user;
    const start = () => startSession(service.db, user.id, new Date(), { passwordHash });
    await start();
    const change = await service.db.transaction();
    await changePassword(change, user, 'another hash', new Date());
    // Waits for the change, which does not see it.
    const started = start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    await lockWaiters(service.db, 1);
    await change.commit();
    expect(await started).to.equal('The account was changed in the meantime. Sign in again.');
    expect(await service.db('sessions').where({ user_id: user.id })).to.deep.equal([]);
  });

  it('do not change the password or the email of an account whose password was replaced meanwhile', async () => {
    const email = 'roy@example.com';
    const checked = await findOrCreateUser(service.db, email, new Date());
    await changePassword(
      service.db,
      await findOrCreateUser(service.db, email, new Date()),
      'reset',
      new Date(),
    );
    const message = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        ({ message: text }: Error) => text,
      );
    const refused = 'The account was changed in the meantime. Sign in again.';
    expect(await message(changePassword(service.db, checked, 'stolen', new Date()))).to.equal(refused);
    const confirmation = { userId: checked.id, email: 'thief@example.com', checked };
    expect(await message(requestConfirmation(service.db, confirmation, new Date()))).to.equal(refused);
    expect(await changeEmail(service.db, checked, 'thief@example.com', new Date())).to.equal(undefined);
    expect(await service.db('users').where({ id: checked.id }).first('email', 'password_hash')).to.deep.equal(
      {
        email,
        password_hash: 'reset',
      },
    );
    expect(await service.db('email_confirmations').where({ user_id: checked.id })).to.deep.equal([]);
  });

  it('are limited to 50 per user: the least recently used ends', async () => {
    const owner = await signedUp('zoe@example.com');
    const [{ id }] = (await service.db('users').where({ email: 'zoe@example.com' })) as [{ id: string }];
    const sessions = () => service.db('sessions').where({ user_id: id });
    await sessions().update({ seen_at: new Date(Date.now() - 60_000) });
    for (let number = 0; number < 49; number += 1) await startSession(service.db, id, new Date());
    expect((await owner.get('/keys')).status).to.equal(200);
    await startSession(service.db, id, new Date());
    expect(await sessions()).to.have.length(50);
    expect((await owner.get('/keys')).status).to.equal(303);
  });

  it('show a new key for GET and keep it for HEAD', async () => {
    const owner = await signedUp('ole@example.com');
    await owner.get('/keys');
    await owner.post('/keys', { name: 'Shop' });
    const Cookie = [...owner.cookies].map((pair) => pair.join('=')).join('; ');
    await fetch(`${service.url}/keys/created`, { method: 'HEAD', headers: { Cookie }, redirect: 'manual' });
    expect(await (await owner.get('/keys/created')).text()).to.match(/qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}/);
  });
});

const versionIn = (page: string) => /name="version" value="([^"]+)"/.exec(page)?.[1] ?? '';
const lastDayIn = (page: string) => /name="lastDay" value="([^"]+)"/.exec(page)?.[1] ?? '';
