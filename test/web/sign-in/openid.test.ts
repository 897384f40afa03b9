import { expect } from 'chai';
import { blockAccount } from '../../../src/accounts/account-blocks.ts';
import { readPersonData } from '../../../src/accounts/account-exports.ts';
import { createApiKey } from '../../../src/accounts/api-keys.ts';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { confirmTotp, startTotp, totpCode } from '../../../src/accounts/second-factors.ts';
import { loadSecrets } from '../../../src/accounts/secrets.ts';
import { createUser, User } from '../../../src/accounts/users.ts';
import { deleteUser } from '../../../src/accounts/deletion.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { authorizationUrlOf, startOpenIdProvider, type TestProvider } from '../../support/openid-provider.ts';
import { mainText } from '../../support/operator.ts';
import { tablesHolding } from '../../support/search-tables.ts';
import { startService, type TestService } from '../../support/service.ts';
import { ownWorkspaceId } from '../../../src/workspaces/workspace.ts';

const password = 'a long and rare password';

describe('Sign-in with OpenID Connect', () => {
  let provider: TestProvider;
  let service: TestService;
  let people = 0;
  const passwordHash = hashPassword(password);
  before(async () => {
    provider = await startOpenIdProvider(['https://qr.test/signin/oidc/callback']);
    service = await startService({ config: { openId: provider.config } });
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });
  afterEach(() => {
    provider.changeIdToken = undefined;
    provider.isForging = false;
  });

  /** Somebody with an account at the provider. */
  function newPerson(claims: object = {}): { login: string; email: string } {
    const login = `person-${(people += 1)}`;
    const email = `${login}@example.com`;
    provider.people.set(login, { email, email_verified: true, ...claims });
    return { login, email };
  }

  /** Up to the provider. */
  async function start(client: FormClient, next = ''): Promise<string> {
    await client.get('/signin');
    const answer = await client.post('/signin/oidc', { next });
    expect(answer.status).to.equal(200);
    return authorizationUrlOf(answer);
  }

  const back = (client: FormClient, url: URL) => client.get(url.pathname + url.search);

  async function signIn(login: string, { client = formClient(service.url), next = '' } = {}) {
    const answer = await back(client, await provider.signIn(await start(client, next), login));
    return { client, answer, location: answer.headers.get('Location') };
  }

  const isSignedIn = async (client: FormClient) => (await client.get('/codes')).status === 200;

  /** The text of a page that refuses to sign in. */
  async function refusal({ client, answer }: { client: FormClient; answer: Response }, status: number) {
    expect(answer.status).to.equal(status);
    expect(await isSignedIn(client)).to.equal(false);
    return mainText(answer);
  }

  const findUser = (email: string) => User.query(service.db).findOne({ email });

  async function newUser(email: string, isConfirmed: boolean): Promise<User> {
    return (await createUser(service.db, { email, passwordHash, isConfirmed }, new Date()))!;
  }

  async function passwordStatus(email: string): Promise<number> {
    const client = formClient(service.url);
    await client.get('/signin');
    return (await client.post('/signin', { email, password })).status;
  }

  describe('of somebody new', () => {
    it('creates an account with a confirmed email, and returns to the page that was asked for', async () => {
      const { login, email } = newPerson();
      const { client, answer, location } = await signIn(login, { next: '/keys?x=1' });
      expect([answer.status, location]).to.deep.equal([303, '/keys?x=1']);
      expect(await isSignedIn(client)).to.equal(true);
      expect(await findUser(email)).to.include({ passwordHash: null, confirmedEmail: email });
    });

    it('sends PKCE, state and nonce, and stores neither of them readable', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const url = await start(client);
      const { searchParams } = new URL(url);
      expect(searchParams.get('code_challenge_method')).to.equal('S256');
      expect(searchParams.get('scope')).to.equal('openid email');
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(searchParams.get(name), name).to.match(/^[\w-]{43}$/);
        expect(await tablesHolding(service.db, searchParams.get(name)!), name).to.deep.equal([]);
      }
      expect((await back(client, await provider.signIn(url, login))).status).to.equal(303);
    });

    it('does not return to another site', async () => {
      for (const next of ['https://evil.test/', '//evil.test', '/\\evil.test'])
        expect((await signIn(newPerson().login, { next })).location).to.equal('/codes');
    });

    it('needs an email that the provider has verified', async () => {
      for (const claims of [
        { email_verified: false },
        { email_verified: 'true' },
        { email_verified: undefined },
        { email: undefined },
        { email: 'not an address' },
        { email: 'nul\0@example.com' },
        { email: `${'a'.repeat(250)}@example.com` },
        { email: ['a@example.com'] },
      ]) {
        const text = await refusal(await signIn(newPerson(claims).login), 403);
        expect(text).to.contain('Example ID does not say that your email address is verified');
      }
    });

    it('reads the email of an ID token that has one, and believes it only when it is verified', async () => {
      const { login, email } = newPerson({ email: undefined });
      provider.changeIdToken = (claims) => ({ ...claims, email, email_verified: false });
      await refusal(await signIn(login), 403);
      provider.changeIdToken = (claims) => ({ ...claims, email, email_verified: true });
      expect((await signIn(login)).answer.status).to.equal(303);
    });
  });

  describe('of somebody with an account', () => {
    it('links the account with the same confirmed email, which keeps its password and keys', async () => {
      const { login, email } = newPerson();
      const user = await newUser(email.toUpperCase(), true);
      await createApiKey(service.db, ownWorkspaceId(user), 'mine', new Date());
      expect((await signIn(login)).location).to.equal('/codes');
      expect(await service.db('identities').where({ user_id: user.id })).to.have.length(1);
      expect(await passwordStatus(email)).to.equal(303);
      expect(await service.db('api_keys').where({ user_id: user.id }).first()).to.include({
        revoked_at: null,
      });
    });

    it('ends everything of whoever signed up with an address that was never confirmed', async () => {
      const { login, email } = newPerson();
      const squatter = await newUser(email, false);
      await createApiKey(service.db, ownWorkspaceId(squatter), 'squatter', new Date());
      const other = formClient(service.url);
      await other.get('/signin');
      await other.post('/signin', { email, password });
      expect(await isSignedIn(other)).to.equal(true);
      await service.db('passkeys').insert({
        credential_id: `of-${login}`,
        user_id: squatter.id,
        public_key: Buffer.alloc(1),
        counter: 0,
        transports: '',
        name: 'mine',
        created_at: new Date(),
      });
      await service.db('identities').insert({
        issuer: provider.config.issuer,
        subject: `squatter of ${login}`,
        user_id: squatter.id,
        email: 'squatter@example.com',
        created_at: new Date(),
        last_used_at: new Date(),
      });

      const { client, location } = await signIn(login);
      expect(location).to.equal('/account');
      expect(await mainText(await client.get('/account'))).to.contain('API keys and webhooks of before');
      expect(await isSignedIn(other)).to.equal(false);
      expect(await passwordStatus(email)).to.equal(401);
      const owned = { user_id: squatter.id };
      expect(await service.db('passkeys').where(owned)).to.have.length(0);
      expect(await service.db('api_keys').where(owned).whereNull('revoked_at')).to.have.length(0);
      const subjects = await service.db('identities').where(owned).pluck('subject');
      expect(subjects).to.deep.equal([login]);
      expect(await findUser(email)).to.include({ confirmedEmail: email });
    });

    it('signs in to the same account after the email has changed, here and there', async () => {
      const { login, email } = newPerson();
      await signIn(login);
      const user = (await findUser(email))!;
      await user.$query(service.db).patch({ email: `new-${email}` });
      provider.people.set(login, { email: 'unverified@example.com', email_verified: false });
      const { client, answer } = await signIn(login);
      expect(answer.status).to.equal(303);
      expect(await (await client.get('/account')).text()).to.contain(`new-${email}`);
    });

    it('refuses somebody else who has got the address of an account that is linked', async () => {
      const { login, email } = newPerson();
      await signIn(login);
      const text = await refusal(await signIn(newPerson({ email }).login), 403);
      expect(text).to.contain('belongs to somebody else at Example ID');
    });

    it('creates one account for two first sign-ins at the same time', async () => {
      const { login, email } = newPerson();
      const clients = [formClient(service.url), formClient(service.url)];
      const urls = await Promise.all(
        clients.map(async (client) => provider.signIn(await start(client), login)),
      );
      const answers = await Promise.all(clients.map((client, index) => back(client, urls[index]!)));
      expect(answers.map(({ status }) => status)).to.deep.equal([303, 303]);
      const user = (await findUser(email))!;
      expect(await service.db('identities').where({ user_id: user.id })).to.have.length(1);
    });

    it('refuses a blocked account, at the first sign-in and later', async () => {
      const { login, email } = newPerson();
      await signIn(login);
      const user = (await findUser(email))!;
      await blockAccount(service.db, user.id, null, new Date());
      expect(await refusal(await signIn(login), 403)).to.contain('This account is blocked');
      await service.db('identities').where({ user_id: user.id }).delete();
      expect(await refusal(await signIn(login), 403)).to.contain('This account is blocked');
    });

    it('still asks for the second factor of the account', async () => {
      const { login, email } = newPerson();
      const user = await newUser(email, true);
      const secrets = await loadSecrets(service.db);
      await startTotp(service.db, secrets, user.id, new Date());
      const { sealed } = (await service.db('totp_secrets').where({ user_id: user.id }).first()) as {
        sealed: string;
      };
      const secret = secrets.openTotp(sealed);
      const before = new Date(Date.now() - 30_000);
      expect(await confirmTotp(service.db, secrets, user.id, totpCode(secret, before), before)).to.equal(
        true,
      );
      const { client, location } = await signIn(login);
      expect(location).to.equal('/signin/second?next=%2Fcodes');
      expect(await isSignedIn(client)).to.equal(false);
      await client.get(location!);
      expect((await client.post('/signin/second', { code: totpCode(secret, new Date()) })).status).to.equal(
        303,
      );
      expect(await isSignedIn(client)).to.equal(true);
    });
  });

  describe('a response', () => {
    it('works once', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const url = await provider.signIn(await start(client), login);
      const answers = await Promise.all([back(client, url), back(client, url), back(client, url)]);
      expect(answers.map(({ status }) => status)).to.have.members([303, 400, 400]);
      const again = await back(client, url);
      expect(again.status).to.equal(400);
      expect(await mainText(again)).to.contain('was finished before');
    });

    it('with a code that was used before is refused', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const first = await provider.signIn(await start(client), login);
      const other = formClient(service.url);
      const second = await provider.signIn(await start(other), login);
      expect((await back(client, first)).status).to.equal(303);
      second.searchParams.set('code', first.searchParams.get('code')!);
      expect(await refusal({ client: other, answer: await back(other, second) }, 401)).to.contain(
        'The response of Example ID was not accepted',
      );
    });

    it('of each of two tabs works, but not with the state of the other', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const [first, second] = [await start(client), await start(client)];
      const urls = [await provider.signIn(first, login), await provider.signIn(second, login)] as const;
      const mixed = new URL(urls[0]);
      mixed.searchParams.set('state', urls[1].searchParams.get('state')!);
      expect((await back(client, mixed)).status, 'its code belongs to another verifier').to.equal(401);
      // The second one was used up by the mix-up. Both of two that are open at once work.
      const third = await provider.signIn(await start(client), login);
      expect((await back(client, urls[0])).status).to.equal(303);
      expect((await back(client, third)).status).to.equal(303);
    });

    it('of another browser, a made-up state or none is refused, and the right browser can go on', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const url = await provider.signIn(await start(client), login);
      const other = formClient(service.url);
      await other.get('/signin');
      expect(await refusal({ client: other, answer: await back(other, url) }, 400)).to.contain(
        'another browser',
      );
      const bare = formClient(service.url);
      await refusal({ client: bare, answer: await back(bare, url) }, 400);
      for (const state of ['', 'x', 'A'.repeat(43), '\0', 'é'.repeat(43)]) {
        const wrong = new URL(url);
        wrong.searchParams.set('state', state);
        expect((await back(client, wrong)).status, state).to.equal(400);
      }
      expect((await client.get('/signin/oidc/callback')).status).to.equal(400);
      expect((await client.get(`${url.pathname}${url.search}&state=x`)).status).to.equal(400);
      expect((await back(client, url)).status).to.equal(303);
    });

    it('after ten minutes is refused', async () => {
      const client = formClient(service.url);
      const url = await provider.signIn(await start(client), newPerson().login);
      service.setNow(new Date(Date.now() + 10 * 60_000));
      try {
        await refusal({ client, answer: await back(client, url) }, 400);
      } finally {
        service.setNow(undefined);
      }
    });

    it('of another issuer is refused', async () => {
      const client = formClient(service.url);
      const url = await provider.signIn(await start(client), newPerson().login);
      expect(url.searchParams.get('iss')).to.equal(provider.config.issuer);
      url.searchParams.set('iss', 'https://evil.test');
      await refusal({ client, answer: await back(client, url) }, 401);
    });

    it('says that somebody has canceled', async () => {
      const client = formClient(service.url);
      const url = await provider.cancel(await start(client, '/keys'));
      expect(url.searchParams.get('error')).to.equal('access_denied');
      const answer = await back(client, url);
      expect(await answer.clone().text()).to.contain('name="next" value="/keys"');
      expect(await refusal({ client, answer }, 401)).to.contain('You did not sign in with Example ID');
    });
  });

  describe('an ID token', () => {
    const changes: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
      'for another audience': (claims) => ({ ...claims, aud: 'somebody else' }),
      'of another issuer': (claims) => ({ ...claims, iss: 'https://evil.test' }),
      'with another nonce': (claims) => ({ ...claims, nonce: 'A'.repeat(43) }),
      'without a nonce': ({ nonce: _nonce, ...claims }) => claims,
      'that has expired': (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1_000) - 60 }),
      'with an empty subject': (claims) => ({ ...claims, sub: '' }),
      'with a NUL in its subject': (claims) => ({ ...claims, sub: 'a\0b' }),
      'with a line break in its subject': (claims) => ({ ...claims, sub: 'a\nb' }),
      'with a subject that is too long': (claims) => ({ ...claims, sub: 'a'.repeat(256) }),
      'with a subject that is a number': (claims) => ({ ...claims, sub: 7 }),
    };
    for (const [name, change] of Object.entries(changes))
      it(`${name} is refused`, async () => {
        const { login, email } = newPerson();
        provider.changeIdToken = (claims) => change({ ...claims, email, email_verified: true });
        const text = await refusal(await signIn(login), 401);
        expect(text).to.contain('The response of Example ID was not accepted');
        expect(await findUser(email)).to.equal(undefined);
      });

    it('signed with a key that the provider does not have is refused', async () => {
      const { login } = newPerson();
      const client = formClient(service.url);
      const url = await provider.signIn(await start(client), login);
      provider.changeIdToken = (claims) => claims;
      provider.isForging = true;
      await refusal({ client, answer: await back(client, url) }, 401);
    });

    it('signed with a new key is accepted: the keys are fetched again, but not more than once a minute', async () => {
      const { login } = newPerson();
      await signIn(login);
      provider.rotateKeys();
      const fetched = () => provider.requests.filter((line) => line === 'GET /jwks').length;
      const before = fetched();
      await refusal(await signIn(login), 401);
      expect(fetched()).to.equal(before);
      const realNow = Date.now;
      Date.now = () => realNow() + 61_000;
      try {
        expect((await signIn(login)).answer.status).to.equal(303);
        expect(fetched()).to.equal(before + 1);
        expect((await signIn(login)).answer.status).to.equal(303);
        expect(fetched()).to.equal(before + 1);
      } finally {
        Date.now = realNow;
      }
    });
  });

  describe('on the page Security', () => {
    const page = '/account/security';

    async function withPassword(email: string): Promise<FormClient> {
      const client = formClient(service.url);
      await client.get('/signin');
      expect((await client.post('/signin', { email, password })).status).to.equal(303);
      await client.get(page);
      return client;
    }

    it('links an account after its password, whatever the email there is, and unlinks it again', async () => {
      const { login } = newPerson();
      const user = await newUser(`other-${login}@example.com`, false);
      await createApiKey(service.db, ownWorkspaceId(user), 'mine', new Date());
      const client = await withPassword(user.email);
      const wrong = await client.post(`${page}/identity`, { linkPassword: 'wrong wrong' });
      expect(wrong.status).to.equal(400);
      const answer = await client.post(`${page}/identity`, { linkPassword: password });
      const done = await back(client, await provider.signIn(authorizationUrlOf(answer), login));
      expect(done.headers.get('Location')).to.equal(page);
      const shown = await mainText(await client.get(page));
      expect(shown).to.contain('Your account is linked').and.to.contain(`Linked to ${login}@example.com`);
      const found = await User.query(service.db).findById(user.id);
      expect(found, 'the address is another one').to.include({ confirmedEmail: null, passwordHash });
      expect(await readPersonData(service.db, user.id))
        .to.have.property('identities')
        .that.has.length(1);

      expect((await signIn(login)).answer.status).to.equal(303);
      expect(
        (await client.post(`${page}/identity/delete`, { unlinkPassword: 'wrong wrong' })).status,
      ).to.equal(400);
      expect((await client.post(`${page}/identity/delete`, { unlinkPassword: password })).status).to.equal(
        303,
      );
      expect(await service.db('identities').where({ user_id: user.id })).to.have.length(0);
      expect(await service.db('api_keys').where({ user_id: user.id }).whereNull('revoked_at')).to.have.length(
        1,
      );
    });

    it('confirms the email when it is the same, and ends nothing', async () => {
      const { login, email } = newPerson();
      const user = await newUser(email, false);
      const client = await withPassword(email);
      const answer = await client.post(`${page}/identity`, { linkPassword: password });
      await back(client, await provider.signIn(authorizationUrlOf(answer), login));
      expect(await isSignedIn(client)).to.equal(true);
      expect(await User.query(service.db).findById(user.id)).to.include({
        confirmedEmail: email,
        passwordHash,
      });
    });

    it('does not link what signs in to another account, nor a second one', async () => {
      const { login } = newPerson();
      await signIn(login);
      const user = await newUser(`second-${login}@example.com`, true);
      const client = await withPassword(user.email);
      const link = async (name: string) => {
        await client.get(page);
        const answer = await client.post(`${page}/identity`, { linkPassword: password });
        await back(client, await provider.signIn(authorizationUrlOf(answer), name));
        return mainText(await client.get(page));
      };
      expect(await link(login)).to.contain('it signs in to another account already');
      expect(await link(newPerson({ email_verified: false }).login)).to.contain('is not verified');
      expect(await link(newPerson().login)).to.contain('Your account is linked');
      expect(await link(newPerson().login)).to.contain('has another link already');
    });

    it('does not link to an account that was signed in meanwhile', async () => {
      const { login } = newPerson();
      const [user, other] = [
        await newUser(`a-${login}@example.com`, true),
        await newUser(`b-${login}@example.com`, true),
      ];
      const client = await withPassword(user.email);
      const answer = await client.post(`${page}/identity`, { linkPassword: password });
      const url = await provider.signIn(authorizationUrlOf(answer), login);
      await client.get('/codes');
      await client.post('/signout', {});
      await client.get('/signin');
      await client.post('/signin', { email: other.email, password });
      expect((await back(client, url)).status).to.equal(400);
      expect(await service.db('identities').whereIn('user_id', [user.id, other.id])).to.have.length(0);
    });

    it('confirms changes of an account without a password, for ten minutes, and keeps its last way in', async () => {
      const { login, email } = newPerson();
      const { client } = await signIn(login);
      const newEmail = `renamed-${email}`;
      await client.get(page);
      expect((await client.post(`${page}/identity/delete`, {})).status).to.equal(400);
      expect(await (await client.get(page)).text()).to.contain('It is the only way to sign in');
      expect((await client.post('/account/email', { newEmail })).status, 'signed in just now').to.equal(303);

      await service.db('sessions').update({ confirmed_at: new Date(Date.now() - 11 * 60_000) });
      const refused = await client.post('/account/password', { newPassword: 'a quite unusual sentence' });
      expect(refused.status).to.equal(400);
      expect(await refused.text()).to.contain('Confirm with Example ID that it is you');
      // A new session of the same browser is no confirmation.
      expect((await client.post(`${page}/sessions/end`, {})).status).to.equal(303);
      expect(
        (await client.post('/account/password', { newPassword: 'a quite unusual sentence' })).status,
      ).to.equal(400);

      const answer = await client.post(`${page}/identity/confirm`, { page: '/account' });
      const url = authorizationUrlOf(answer);
      expect(new URL(url).searchParams.get('max_age')).to.equal('0');
      const done = await back(client, await provider.signIn(url, login));
      expect(done.headers.get('Location')).to.equal('/account');
      expect(
        (await client.post('/account/password', { newPassword: 'a quite unusual sentence' })).status,
      ).to.equal(303);
    });

    it('does not accept the confirmation of somebody else, nor an old one', async () => {
      const { login } = newPerson();
      const { client } = await signIn(login);
      await service.db('sessions').update({ confirmed_at: null });
      const confirm = async (name: string) => {
        await client.get(page);
        const answer = await client.post(`${page}/identity/confirm`, {});
        await back(client, await provider.signIn(authorizationUrlOf(answer), name));
        return mainText(await client.get(page));
      };
      const other = newPerson().login;
      await signIn(other);
      expect(await confirm(other)).to.contain('Nothing was confirmed');
      provider.changeIdToken = (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1_000) - 3_600 });
      expect(await confirm(login)).to.contain('Nothing was confirmed');
      expect(await confirm(login)).to.contain('Confirmed. For ten minutes');
    });

    it('deletes the link with the account', async () => {
      const { login, email } = newPerson();
      await signIn(login);
      const user = (await findUser(email))!;
      await deleteUser(service.db, user);
      expect(await service.db('identities').where({ user_id: user.id })).to.have.length(0);
      expect((await signIn(login)).answer.status).to.equal(303);
      expect((await findUser(email))!.id).to.not.equal(user.id);
    });
  });

  it('limits how often an address starts it, and says when to try again', async () => {
    const client = formClient(service.url);
    await start(client);
    await service
      .db('request_windows')
      .where('subject', 'like', 'openid-address:%')
      .update({ recent: service.db.raw('array_fill(now(), ARRAY[300])') });
    const answer = await client.post('/signin/oidc', {});
    expect(answer.status).to.equal(429);
    expect(await mainText(answer)).to.contain('Too many attempts');
    await service.db('request_windows').where('subject', 'like', 'openid-address:%').delete();
  });
});
