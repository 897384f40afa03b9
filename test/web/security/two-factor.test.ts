import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { createSignInLink } from '../../../src/accounts/account-links.ts';
import { totpCode } from '../../../src/accounts/second-factors.ts';
import { createUser, type User } from '../../../src/accounts/users.ts';
import { type FormClient, formClient, signedIn } from '../../support/form-client.ts';
import { mainText } from '../../support/operator.ts';
import { tablesHolding } from '../../support/search-tables.ts';
import { startService, type TestService } from '../../support/service.ts';

const password = 'a long and rare password';
const page = '/account/security';

describe('Two-factor sign-in', () => {
  let service: TestService;
  let users = 0;
  const passwordHash = hashPassword(password);
  /** Codes work once: each test is at a time of its own. */
  let now = Date.parse('2026-11-16T10:00:00Z');
  before(async () => {
    service = await startService();
  });
  beforeEach(() => pass(3_600_000));
  after(() => service.stop());

  function pass(ms: number): void {
    now += ms;
    service.setNow(new Date(now));
  }
  const codeNow = (secret: string, aheadMs = 0) => totpCode(secret, new Date(now + aheadMs));

  async function newUser(): Promise<User> {
    const email = `careful-${(users += 1)}@example.com`;
    return (await createUser(service.db, { email, passwordHash }, new Date(now)))!;
  }

  /** Up to the page after the password. */
  async function enterPassword({ email }: User): Promise<{ client: FormClient; location: string }> {
    const client = formClient(service.url);
    await client.get('/signin');
    const answer = await client.post('/signin', { email, password });
    return { client, location: answer.headers.get('Location') ?? '' };
  }

  async function setUp(user: User): Promise<{ client: FormClient; secret: string; recovery: string[] }> {
    const { client } = await enterPassword(user);
    await client.get(page);
    expect((await client.post(`${page}/totp`, { totpPassword: password })).status).to.equal(303);
    const shown = await (await client.get(page)).text();
    const secret = /id="totp-key"[^>]*value="([A-Z2-7]{32})"/.exec(shown)?.[1] ?? '';
    expect((await client.post(`${page}/totp/confirm`, { code: '000000' })).status).to.equal(400);
    const done = await client.post(`${page}/totp/confirm`, { code: codeNow(secret) });
    expect(done.status).to.equal(200);
    const recovery = (await done.text()).match(/\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b/g) ?? [];
    expect(recovery).to.have.length(10);
    pass(30_000);
    return { client, secret, recovery };
  }

  async function enterCode(user: User, code: string): Promise<number> {
    const { client, location } = await enterPassword(user);
    expect(location).to.equal('/signin/second?next=%2Fcodes');
    expect((await client.get('/codes')).status).to.equal(303);
    await client.get(location);
    const answer = await client.post('/signin/second', { code });
    expect((await client.get('/codes')).status).to.equal(answer.status === 303 ? 200 : 303);
    return answer.status;
  }

  it('has no two fields with the same name on the pages of an account, for who does not see the forms', async () => {
    const { client } = await setUp(await newUser());
    for (const path of ['/account', page]) {
      const text = await (await client.get(path)).text();
      const labels = [...text.matchAll(/<label for="[^"]*">([^<]*)</g)].map(([, label]) => label);
      expect(labels.length, path).to.be.at.least(3);
      expect(labels, path).to.have.length(new Set(labels).size);
    }
  });

  it('asks for a code of the app after the password, each of which works once, with the clock of the phone 30 s off', async () => {
    const user = await newUser();
    const { secret } = await setUp(user);
    const code = codeNow(secret);
    expect(await enterCode(user, `${code.slice(0, 3)} ${code.slice(3)}`)).to.equal(303);
    expect(await enterCode(user, code)).to.equal(401);
    pass(300_000);
    expect(await enterCode(user, codeNow(secret, -30_000))).to.equal(303);
    expect(await enterCode(user, codeNow(secret, 30_000))).to.equal(303);
    expect(await enterCode(user, codeNow(secret, 60_000))).to.equal(401);
    expect(await tablesHolding(service.db, secret)).to.deep.equal([]);
  });

  it('accepts each recovery code once, also in parallel, and new ones replace them', async () => {
    const user = await newUser();
    const { client, recovery } = await setUp(user);
    const [first = '', second = '', third = ''] = recovery;
    const both = await Promise.all([enterCode(user, first), enterCode(user, first.toLowerCase())]);
    expect(both.toSorted((a, b) => a - b)).to.deep.equal([303, 401]);
    expect(await enterCode(user, second.replaceAll('-', ''))).to.equal(303);
    expect(await mainText(await client.get(page))).to.contain('8 recovery codes left');
    expect((await client.post(`${page}/recovery`, { recoveryPassword: password })).status).to.equal(200);
    expect(await enterCode(user, third)).to.equal(401);
    expect(await tablesHolding(service.db, first.replaceAll('-', ''))).to.deep.equal([]);
  });

  it('ends with its recovery codes: those of an earlier app do not work when another one is set up', async () => {
    const user = await newUser();
    const { client, recovery } = await setUp(user);
    const codes = () => service.db('recovery_codes').where({ user_id: user.id });
    const left = (await codes()) as object[];
    expect((await client.post(`${page}/totp/delete`, { totpPassword: password })).status).to.equal(303);
    expect(await codes()).to.deep.equal([]);
    // As release 0.2 left them behind.
    await service.db('recovery_codes').insert(left);
    pass(3_600_000);
    const again = await setUp(user);
    expect(again.recovery).to.have.length(10);
    expect(await enterCode(user, recovery[0] ?? '')).to.equal(401);
    expect(await enterCode(user, again.recovery[0] ?? '')).to.equal(303);
  });

  it('accepts no more than ten wrong codes an hour, from anywhere', async () => {
    const user = await newUser();
    const { secret } = await setUp(user);
    const statuses = [];
    // Two were counted while it was set up.
    for (let time = 0; time < 9; time += 1) statuses.push(await enterCode(user, '000000'));
    expect(statuses).to.deep.equal([...Array.from({ length: 8 }, () => 401), 429]);
    expect(await enterCode(user, codeNow(secret))).to.equal(429);
  });

  it('can be given up while an app is set up, and not without a password once it is on', async () => {
    const user = await newUser();
    const { client } = await enterPassword(user);
    await client.get(page);
    await client.post(`${page}/totp`, { totpPassword: password });
    expect(await mainText(await client.get(page))).to.contain('Scan this code with the app');
    expect((await client.post(`${page}/totp/cancel`, {})).status).to.equal(303);
    expect(await mainText(await client.get(page))).to.contain('Set up an authenticator app');
    const other = await newUser();
    const { client: careful } = await setUp(other);
    expect((await careful.post(`${page}/totp/cancel`, {})).status).to.equal(303);
    expect((await enterPassword(other)).location).to.equal('/signin/second?next=%2Fcodes');
  });

  it('is also asked for after a link with which the password was replaced', async () => {
    const user = await newUser();
    await setUp(user);
    const path = `/signin/link/${await createSignInLink(service.db, user, new Date(now), { isMailed: true })}`;
    const client = formClient(service.url);
    await client.get(path);
    const answer = await client.post(path, { newPassword: 'another long and rare password' });
    expect(answer.headers.get('Location')).to.equal('/signin/second?next=%2Fcodes');
    expect((await client.get('/codes')).status).to.equal(303);
  });

  it('accepts recovery codes although the root secret of the app is lost', async () => {
    const user = await newUser();
    const { recovery } = await setUp(user);
    const sealed = Buffer.alloc(60, 7).toString('base64');
    await service.db('totp_secrets').where({ user_id: user.id }).update({ sealed });
    expect(await enterCode(user, '123456')).to.equal(401);
    expect(await enterCode(user, recovery[0] ?? '')).to.equal(303);
  });

  it('cannot be set up long after the password was entered, by whoever uses the session then', async () => {
    const user = await newUser();
    const { client } = await enterPassword(user);
    await client.get(page);
    await client.post(`${page}/totp`, { totpPassword: password });
    const shown = await (await client.get(page)).text();
    const secret = /id="totp-key"[^>]*value="([A-Z2-7]{32})"/.exec(shown)?.[1] ?? '';
    pass(16 * 60_000);
    expect(await (await client.get(page)).text()).not.to.contain('totp-key');
    expect((await client.post(`${page}/totp/confirm`, { code: codeNow(secret) })).status).to.equal(400);
    expect((await enterPassword(user)).location).to.equal('/codes');
  });

  it('cannot be entered any more after the password was replaced', async () => {
    const user = await newUser();
    const { client, secret } = await setUp(user);
    const thief = await enterPassword(user);
    await thief.client.get(thief.location);
    await client.get('/account');
    await client.post('/account/password', {
      oldPassword: password,
      newPassword: 'another long and rare password',
    });
    const answer = await thief.client.post('/signin/second', { code: codeNow(secret) });
    expect(answer.headers.get('Location')).to.equal('/signin');
    expect((await thief.client.get('/codes')).status).to.equal(303);
  });

  it('ends ten minutes after the password, and needs the right one to be changed', async () => {
    const user = await newUser();
    const { client, secret } = await setUp(user);
    const late = await enterPassword(user);
    await late.client.get(late.location);
    pass(601_000);
    const answer = await late.client.post('/signin/second', { code: codeNow(secret) });
    expect(answer.headers.get('Location')).to.equal('/signin');
    expect((await late.client.get('/codes')).status).to.equal(303);
    await client.get(page);
    expect((await client.post(`${page}/totp/delete`, { totpPassword: 'wrong wrong' })).status).to.equal(400);
    expect((await client.post(`${page}/totp/delete`, { totpPassword: password })).status).to.equal(303);
    expect((await enterPassword(user)).location).to.equal('/codes');
  });
});

describe('The list of sessions', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('names browsers, and signs out one of them, everywhere else or everywhere', async () => {
    const email = 'roaming@example.com';
    await createUser(service.db, { email, passwordHash: hashPassword(password) }, new Date());
    const agents = [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    ];
    const clients: FormClient[] = [];
    for (const agent of [agents[0], ...agents]) {
      const client = formClient(service.url);
      await client.get('/signin');
      await client.post('/signin', { email, password }, { 'User-Agent': agent ?? '' });
      clients.push(client);
    }
    const own = clients.pop() as FormClient;
    const signedInOf = async () => {
      const answers = await Promise.all(clients.map((client) => client.get('/codes')));
      return answers.filter(({ status }) => status === 200).length;
    };
    const answer = await own.get(page);
    const [, id = ''] = /name="session" value="([^"]+)"/.exec(await answer.clone().text()) ?? [];
    const stranger = await signedIn(service, 'stranger@example.com');
    await stranger.get(page);
    await stranger.post(`${page}/sessions/end`, { session: id });
    expect(await signedInOf()).to.equal(2);
    await own.post(`${page}/sessions/end`, { session: id });
    expect(await signedInOf()).to.equal(1);
    await own.post(`${page}/sessions/end`, { session: 'x'.repeat(9_999) });
    expect(await signedInOf()).to.equal(1);
    expect(await mainText(answer))
      .to.contain('Firefox on Windows')
      .and.to.match(/Chrome on Linux\s+this one/);
    expect((await own.post(`${page}/sessions/end`, {})).status).to.equal(303);
    expect(await signedInOf()).to.equal(0);
    expect((await own.get(page)).status).to.equal(200);
    await own.post(`${page}/sessions/end`, { all: 'on' });
    expect((await own.get('/codes')).status).to.equal(303);
    expect(await service.db('sessions')).to.have.length(1);
  });
});
