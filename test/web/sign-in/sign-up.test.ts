import { expect } from 'chai';
import { findUserByEmail, hasConfirmedEmail } from '../../../src/accounts/users.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signInStatus } from '../../support/sign-in.ts';

const password = 'a long and rare password';
const limits = { ...defaultLimits, free: { ...defaultLimits.free, codes: 1_234, requestsPerHour: 1 } };

describe('Signing up where mails are sent', () => {
  let mails: MailServer;
  let service: TestService;
  let addresses = 0;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config, trustProxyHops: 1, limits } });
  });
  afterEach(() => service.setNow(undefined));
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  async function ask(
    email: string,
    { next = '', language = 'en' } = {},
  ): Promise<{ status: number; page: string }> {
    const client = formClient(service.url);
    await client.get('/signup');
    const headers = { 'X-Forwarded-For': `192.0.2.${(addresses += 1)}`, 'Accept-Language': language };
    const answer = await client.post('/signup', { email, password, next }, headers);
    const page = await mainText(await client.get(answer.headers.get('Location') ?? '/signup'));
    return { status: answer.status, page };
  }
  const pathTo = async (email: string) => new URL(linkIn((await mails.mailsTo(email))[0]!)).pathname;

  async function finish(path: string, client: FormClient = formClient(service.url)): Promise<Response> {
    await client.get('/signin');
    return client.post(path, { newPassword: password });
  }
  async function signUp(email: string): Promise<void> {
    await ask(email);
    expect((await finish(await pathTo(email))).status).to.equal(303);
  }

  it('names the limits that a new account has here', async () => {
    const page = await mainText(await formClient(service.url).get('/signup'));
    expect(page).to.contain('Free: up to 1,234 codes, as many scans as you like, and 1 API request an hour.');
  });

  it('answers the same for an address with an account and for one without, and only the owner learns which', async () => {
    await signUp('owner@example.com');
    const known = await ask('Owner@example.com', { language: 'de' });
    const unknown = await ask('new@example.com', { language: 'de' });
    expect(known).to.deep.equal(unknown);
    expect(known.status).to.equal(303);
    const [, told] = await mails.mailsTo('owner@example.com', 2);
    expect(told?.headers['subject']).to.equal('You already have an account');
    expect((await mails.mailsTo('new@example.com'))[0]?.headers['subject']).to.equal(
      'Registrierung abschließen',
    );
    expect(told?.text).to.contain('https://qr.test/signin/forgot').and.not.to.contain('/signup/link/');
  });

  it('creates an account only when a password is chosen by the link, which confirms the address and signs in', async () => {
    const email = 'later@example.com';
    await ask(email, { next: '/keys' });
    const path = await pathTo(email);
    // Whoever typed the address has chosen nothing that works.
    expect(await signInStatus(service.url, email, password)).to.equal(401);
    expect(await service.db('users').where({ email })).to.deep.equal([]);
    const client = formClient(service.url);
    expect(await mainText(await client.get(path))).to.contain(email);
    expect((await client.post(path, { newPassword: 'short' })).status).to.equal(400);
    const done = await finish(path, client);
    expect([done.status, done.headers.get('Location')]).to.deep.equal([303, '/keys']);
    expect((await client.get('/keys')).status).to.equal(200);
    expect(hasConfirmedEmail(await findUserByEmail(service.db, email))).to.equal(true);
  });

  it('creates no second account by a link that was used, also in parallel, has expired or was made up', async () => {
    await ask('once@example.com');
    const path = await pathTo('once@example.com');
    const statuses = (await Promise.all([finish(path), finish(path)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).to.deep.equal([303, 404]);
    await ask('expired@example.com');
    const expired = await pathTo('expired@example.com');
    const tampered = `${expired.slice(0, -10)}${expired.endsWith('A'.repeat(10)) ? 'B' : 'A'.repeat(10)}`;
    service.setNow(new Date(Date.now() + 24 * 3_600_000 + 1_000));
    for (const dead of [path, expired, tampered, `/signup/link/${'A'.repeat(5_000)}`, '/signup/link/x']) {
      expect((await formClient(service.url).get(dead)).status, dead.slice(0, 60)).to.equal(404);
      expect((await finish(dead)).status, dead.slice(0, 60)).to.equal(404);
    }
  });

  it('sends at most five mails an hour to an address, with or without an account', async () => {
    await signUp('flooded@example.com');
    for (const email of ['flooded@example.com', 'stranger@example.com']) {
      await service.db('request_windows').whereLike('subject', 'signup-%').delete();
      const statuses = [];
      for (let time = 0; time < 6; time += 1) statuses.push((await ask(email)).status);
      expect(statuses).to.deep.equal([303, 303, 303, 303, 303, 429]);
    }
  });
});
