import { expect } from 'chai';
import { createSignInLink } from '../../../src/accounts/account-links.ts';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { loadSecrets } from '../../../src/accounts/secrets.ts';
import { startSession } from '../../../src/accounts/sessions.ts';
import { createUser, setAdmin, type User } from '../../../src/accounts/users.ts';
import type { OpenIdConfig } from '../../../src/net/openid-config.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { authorizationUrlOf, startOpenIdProvider, type TestProvider } from '../../support/openid-provider.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';

const password = 'a long and rare password';

describe('Sign-in with OpenID Connect for certain people', () => {
  let provider: TestProvider;
  const services: TestService[] = [];
  before(async () => {
    provider = await startOpenIdProvider(['https://qr.test/signin/oidc/callback']);
  });
  after(async () => {
    for (const service of services) await service.stop();
    await provider.stop();
  });

  async function open(
    changes: Partial<OpenIdConfig>,
    signUps: 'open' | 'closed' = 'open',
  ): Promise<TestService> {
    const service = await startService({ config: { signUps, openId: { ...provider.config, ...changes } } });
    services.push(service);
    return service;
  }

  async function signIn({ url }: TestService, email: string, client: FormClient = formClient(url)) {
    provider.people.set(email, { email, email_verified: true });
    await client.get('/signin');
    const started = await client.post('/signin/oidc', {});
    const { pathname, search } = await provider.signIn(authorizationUrlOf(started), email);
    return client.get(pathname + search);
  }

  const passwordHash = hashPassword(password);
  const newUser = async ({ db }: TestService, email: string) =>
    (await createUser(db, { email, passwordHash, isConfirmed: true }, new Date()))!;

  describe('with OIDC_ONLY', () => {
    let service: TestService;
    let user: User;
    before(async () => {
      service = await open({ isOnly: true });
      user = await newUser(service, 'owner@example.com');
    });

    async function clientOf(owner: User): Promise<FormClient> {
      const client = formClient(service.url);
      client.cookies.set('__Host-qrelay-session', await startSession(service.db, owner.id, new Date()));
      return client;
    }

    async function expectRefusal(answer: Response, path: string): Promise<void> {
      expect(answer.status, path).to.equal(403);
      expect(await mainText(answer), path).to.contain('Everybody signs in with Example ID');
    }

    it('offers nothing else on the sign-in page', async () => {
      const page = await (await fetch(`${service.url}/signin`)).text();
      expect(page).to.contain('action="/signin/oidc"').and.to.contain('Example ID');
      expect(page).to.not.match(/type="password"|passkey|forgot|\/signup/);
    });

    it('refuses every page and form of passwords, passkeys, sign-ups and links for strangers', async () => {
      const link = await createSignInLink(service.db, user, new Date(), { isMailed: true });
      const signUp = (await loadSecrets(service.db)).signUpToken({ email: 'new@example.com' }, new Date());
      const client = formClient(service.url);
      await client.get('/signin');
      const reads = ['/signup', '/signin/forgot', '/signin/second', `/signin/link/${link}`];
      for (const path of [...reads, `/signup/link/${signUp}`])
        await expectRefusal(await client.get(path), path);
      const forms: [string, Record<string, string>][] = [
        ['/signin', { email: user.email, password }],
        ['/signin/second', { code: '123456' }],
        ['/signin/passkey', { response: '{}' }],
        ['/signin/passkey/options', {}],
        ['/signup', { email: 'new@example.com', password }],
        [`/signup/link/${signUp}`, { newPassword: password }],
        ['/signin/forgot', { email: user.email }],
        [`/signin/link/${link}`, { newPassword: 'a quite unusual sentence' }],
      ];
      for (const [path, fields] of forms) await expectRefusal(await client.post(path, fields), path);
      expect(await service.db('users')).to.have.length(1);
      expect(await service.db('sign_in_links')).to.have.length(1);
      expect([...client.cookies.keys()].join()).to.not.contain('session');
    });

    it('refuses those of an account and of operators, and does not show them', async () => {
      const operator = await newUser(service, 'operator@example.com');
      await setAdmin(service.db, operator, true, new Date());
      const client = await clientOf(operator);
      const shown = await (await client.get('/account')).text();
      expect(shown + (await (await client.get('/account/security')).text())).to.not.match(
        /type="password"|<h2>(?:Password|Passkeys|Two-factor sign-in|Authenticator app)</,
      );
      const security = ['totp', 'totp/confirm', 'totp/cancel', 'totp/delete', 'recovery'];
      const passkeys = ['passkeys/options', 'passkeys', 'passkeys/delete'];
      for (const path of [
        '/account/password',
        ...[...security, ...passkeys].map((name) => `/account/security/${name}`),
        `/admin/users/${user.id}/link`,
      ])
        await expectRefusal(await client.post(path, { oldPassword: password }), path);
      expect(await (await client.get(`/admin/users/${user.id}`)).text()).to.not.contain(
        'Create sign-in link',
      );
    });

    it('does not accept a password to confirm changes, nor asks for a second factor', async () => {
      await service.db('passkeys').insert({
        credential_id: 'of-owner',
        user_id: user.id,
        public_key: Buffer.alloc(1),
        counter: 0,
        transports: '',
        name: 'mine',
        created_at: new Date(),
      });
      const client = await clientOf(user);
      await client.get('/account');
      const confirmation = { confirmation: user.email, deletePassword: password };
      expect((await client.post('/account/delete', confirmation)).status).to.equal(400);
      const answer = await signIn(service, user.email, client);
      expect(answer.headers.get('Location')).to.equal('/codes');
      await client.get('/account');
      expect((await client.post('/account/delete', confirmation)).status).to.equal(303);
      expect(await service.db('users').where({ id: user.id })).to.have.length(0);
    });
  });

  it('creates accounts for the domains of OIDC_DOMAINS only, also with closed sign-ups', async () => {
    const service = await open({ domains: ['example.com'] }, 'closed');
    expect((await signIn(service, 'a@EXAMPLE.com')).status).to.equal(303);
    for (const email of ['a@sub.example.com', 'a@example.com.evil.test', 'a@notexample.com']) {
      const answer = await signIn(service, email);
      expect(answer.status, email).to.equal(403);
      expect(await mainText(answer)).to.contain('is not one that may sign in here');
    }
    expect(await service.db('users').pluck('email')).to.deep.equal(['a@EXAMPLE.com']);
  });

  it('creates no account with closed sign-ups and no domains, but signs in to existing ones', async () => {
    const service = await open({}, 'closed');
    const answer = await signIn(service, 'stranger@example.com');
    expect(answer.status).to.equal(403);
    expect(await mainText(answer)).to.contain('sign-up is closed');
    await newUser(service, 'known@example.com');
    expect((await signIn(service, 'known@example.com')).status).to.equal(303);
    expect(await service.db('users')).to.have.length(1);
  });

  it('says when the provider cannot be reached, while the rest of the service works', async () => {
    const service = await open({ issuer: 'http://127.0.0.1:9' });
    const client = formClient(service.url);
    await client.get('/signin');
    const answer = await client.post('/signin/oidc', { next: '/keys' });
    expect(answer.status).to.equal(503);
    expect(await mainText(answer)).to.contain('Example ID cannot be reached at the moment');
    expect(await service.db('openid_requests')).to.have.length(0);
    const { email } = await newUser(service, 'local@example.com');
    expect((await client.post('/signin', { email, password })).status).to.equal(303);
  });

  it('tells the owner of an account by email that it was linked, and nobody whose account is new', async () => {
    const mails = await startMailServer();
    const service = await startService({
      worker: true,
      config: { mail: mails.config, openId: provider.config },
    });
    try {
      await signIn(service, 'new@example.com');
      const { email } = await newUser(service, 'linked@example.com');
      expect((await signIn(service, email)).status).to.equal(303);
      const [mail] = await mails.mailsTo(email);
      expect(JSON.stringify(mail)).to.contain('account of the sign-in provider');
      expect((await signIn(service, email)).status).to.equal(303);
      expect(mails.received).to.have.length(1);
    } finally {
      await service.stop();
      await mails.stop();
    }
  });

  it('has no routes where no provider is set', async () => {
    const service = await startService();
    services.push(service);
    const client = formClient(service.url);
    expect(await (await client.get('/signin')).text()).to.not.contain('/signin/oidc');
    expect((await client.post('/signin/oidc', {})).status).to.equal(404);
    expect((await client.get('/signin/oidc/callback?code=a&state=b')).status).to.equal(404);
  });
});
