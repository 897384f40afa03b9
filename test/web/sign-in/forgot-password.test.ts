import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { changePassword, createSignInLink, findLinkedUser } from '../../../src/accounts/account-links.ts';
import { findOrCreateUser, findUserByEmail, type User } from '../../../src/accounts/users.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, formClient, signedIn } from '../../support/form-client.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { tablesHolding } from '../../support/search-tables.ts';
import { startService, type TestService } from '../../support/service.ts';
import { lowestCost } from '../../support/shared-threads.ts';
import { signInStatus } from '../../support/sign-in.ts';

const oldPassword = 'a long and rare password';
const newPassword = 'another long and rare password';
let mails: MailServer;
let users = 0;

async function newUser({ db }: TestService): Promise<User> {
  const user = await findOrCreateUser(db, `forgetful-${(users += 1)}@example.com`, new Date());
  await changePassword(db, user, hashPassword(oldPassword, lowestCost), new Date());
  return user;
}

describe('A forgotten password', () => {
  let service: TestService;
  let addresses = 0;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config, trustProxyHops: 1 } });
  });
  afterEach(() => service.setNow(undefined));
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  const pathOf = (link: string) => new URL(link).pathname;
  const newAddress = () => `81.2.69.${(addresses += 1)}`;

  async function ask(email: string, address = newAddress(), language = 'en'): Promise<Response> {
    const client = formClient(service.url);
    await client.get('/signin/forgot');
    return client.post(
      '/signin/forgot',
      { email },
      { 'X-Forwarded-For': address, 'Accept-Language': language },
    );
  }

  async function linkFor({ email }: User, count = 1): Promise<string> {
    expect((await ask(email)).status).to.equal(303);
    const received = await mails.mailsTo(email, count);
    // A mail that says that the password was changed may come later.
    return pathOf(linkIn(received.findLast(({ text }) => text.includes('/signin/link/'))!));
  }

  async function use(path: string, client: FormClient = formClient(service.url)): Promise<Response> {
    await client.get('/signin');
    return client.post(path, { newPassword });
  }

  it('gives a link by mail with which a new password is chosen, and ends all other sessions', async () => {
    const user = await newUser(service);
    const elsewhere = await signedIn(service, user.email);
    const path = await linkFor(user);
    const owner = formClient(service.url);
    expect((await use(path, owner)).status).to.equal(303);
    expect((await owner.get('/codes')).status).to.equal(200);
    expect((await elsewhere.get('/codes')).status).to.equal(303);
    expect(await signInStatus(service.url, user.email, oldPassword)).to.equal(401);
    const [, note] = await mails.mailsTo(user.email, 2);
    expect(note?.headers['subject']).to.equal('Your password was changed');
    expect(await tablesHolding(service.db, path.split('/').at(-1) ?? '')).to.deep.equal([]);
  });

  it('answers the same for an address without an account, to which no mail is sent', async () => {
    const user = await newUser(service);
    const texts = [];
    for (const email of [user.email, 'stranger@example.com']) {
      const client = formClient(service.url);
      await client.get('/signin/forgot');
      const answer = await client.post('/signin/forgot', { email }, { 'X-Forwarded-For': newAddress() });
      const page = await mainText(await client.get('/signin/forgot'));
      texts.push(`${answer.status} ${answer.headers.get('Location')} ${page}`);
    }
    expect(texts[0]).to.equal(texts[1]).and.to.contain('If there is an account with this address');
    await mails.mailsTo(user.email);
    // By then, the worker has taken the stranger's job, too.
    await linkFor(await newUser(service));
    expect(mails.received.flatMap(({ to }) => to)).not.to.include('stranger@example.com');
  });

  it('writes in the language of the browser, or that of the account', async () => {
    const [guest, settled] = [await newUser(service), await newUser(service)];
    await service.db('users').where({ id: settled.id }).update({ language: 'es' });
    for (const { email } of [guest, settled]) await ask(email, newAddress(), 'pt-BR,pt;q=0.9,en;q=0.8');
    const subjects = [];
    for (const { email } of [guest, settled])
      subjects.push((await mails.mailsTo(email))[0]?.headers['subject']);
    expect(subjects).to.deep.equal(['Escolher uma nova senha', 'Elegir una contraseña nueva']);
  });

  it('refuses links that were used, have expired or been replaced, are of another kind or tampered with, all alike', async () => {
    const used = await linkFor(await newUser(service));
    expect((await use(used)).status).to.equal(303);
    const twice = await newUser(service);
    const replaced = await linkFor(twice);
    const live = await linkFor(twice, 2);
    const changed = await newUser(service);
    const outdated = await linkFor(changed);
    const fresh = await findUserByEmail(service.db, changed.email);
    await changePassword(service.db, fresh, hashPassword('x', lowestCost), new Date());
    const expired = await linkFor(await newUser(service));
    const foreign = `/signin/link/${'A'.repeat(43)}`;
    const last = live.endsWith('A') ? 'B' : 'A';
    const tampered = `${live.slice(0, -2)}${last}${live.at(-1)}`;
    const answers = new Set<string>();
    const note = async (path: string) => {
      const client = formClient(service.url);
      const opened = await client.get(path);
      const posted = await use(path, client);
      answers.add(`${opened.status} ${await mainText(opened)} ${posted.status} ${await mainText(posted)}`);
    };
    for (const path of [used, replaced, outdated, foreign, tampered, `${live}x`]) await note(path);
    service.setNow(new Date(Date.now() + 3_601_000));
    await note(expired);
    expect([...answers]).to.have.length(1);
    expect([...answers][0])
      .to.match(/^404\s+This link does not work/)
      .and.to.contain('Get a new link');
    service.setNow(undefined);
    expect((await use(live)).status).to.equal(303);
  });

  it('ends what a stranger has set up who signed up with the address, and says so', async () => {
    const user = await newUser(service);
    const api = apiClient(service.url, await service.makeKey({ email: user.email }));
    const webhook = { url: 'https://example.com/hook', name: 'Stranger', events: ['code.created'] };
    expect((await api('/webhooks', { method: 'POST', body: webhook })).status).to.equal(201);
    const owner = formClient(service.url);
    const answer = await use(await linkFor(user), owner);
    const page = await mainText(await owner.get(answer.headers.get('Location') ?? ''));
    expect(page).to.contain('its API keys were revoked').and.to.contain('0 active webhooks');
    expect((await api('/webhooks')).status).to.equal(401);
    const [endpoint] = (await service.db('webhook_endpoints').where({ user_id: user.id })) as object[];
    expect(endpoint).to.include({ is_enabled: false, disabled_reason: 'owner' });
    // Only the owner could read the link: the next one takes nothing away.
    const key = apiClient(service.url, await service.makeKey({ email: user.email }));
    const now = await findUserByEmail(service.db, user.email);
    expect(now.confirmedEmail).to.equal(user.email);
    expect((await use(await linkFor(now, 3))).status).to.equal(303);
    expect((await key('/webhooks')).status).to.equal(200);
  });

  it('leaves the keys of a confirmed account, and names them for review', async () => {
    const user = await newUser(service);
    await service.db('users').where({ id: user.id }).update({ confirmed_email: user.email });
    const api = apiClient(service.url, await service.makeKey({ email: user.email }));
    const owner = formClient(service.url);
    const answer = await use(await linkFor(user), owner);
    expect(answer.headers.get('Location')).to.equal('/account?review=access');
    const page = await (await owner.get('/account?review=access')).text();
    expect(page)
      .to.contain('1 active API key')
      .and.to.contain('href="/keys"')
      .and.to.contain('href="/webhooks"');
    expect((await api('/webhooks')).status).to.equal(200);
  });

  it('gives a link that stops working when the email changes, also if it is made for the old one a moment later', async () => {
    const user = await newUser(service);
    const { id } = user;
    const mailed = await createSignInLink(service.db, user, new Date(), { isMailed: true });
    expect((await findLinkedUser(service.db, mailed, new Date()))?.user).to.include({ id });
    await service
      .db('users')
      .where({ id })
      .update({ email: `new-${user.email}` });
    expect(await findLinkedUser(service.db, mailed, new Date())).to.equal(undefined);
    const shown = await createSignInLink(service.db, user, new Date(), { isMailed: false });
    expect((await findLinkedUser(service.db, shown, new Date()))?.user).to.include({ id });
  });

  it('is limited by account, and by address', async () => {
    const { email } = await newUser(service);
    const statuses = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await ask(email)).status);
    expect(statuses).to.deep.equal([303, 303, 303, 303, 303, 429]);
    const address = newAddress();
    for (let time = 0; time < 20; time += 1)
      expect((await ask(`nobody-${time}@example.com`, address)).status).to.equal(303);
    const refused = await ask('nobody-20@example.com', address);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 3_600);
  });

  it('has the address for password managers, and the sign-in says what it is for', async () => {
    const client = formClient(service.url);
    const answer = await client.get('/.well-known/change-password');
    expect(answer.status).to.equal(303);
    expect(answer.headers.get('Location')).to.equal('/account#change-password');
    expect(await mainText(await client.get('/signin?next=/keys'))).to.contain('Sign in to open API keys.');
  });
});

describe('The time of asking for a new password', () => {
  const pairs = 100;
  let service: TestService;
  before(async () => {
    mails = await startMailServer();
    // Without a worker: it is a process of its own.
    service = await startService({ config: { mail: mails.config, trustProxyHops: 1 } });
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  it('is the same for an address with an account and for one without [timed]', async () => {
    const client = formClient(service.url);
    await client.get('/signin/forgot');
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let pair = 0; pair < pairs; pair += 1) {
      const known = (await newUser(service)).email;
      const unknown = known.replace('forgetful', 'nobody');
      const both = [
        ['known', known],
        ['unknown', unknown],
      ] as const;
      for (const [kind, email] of pair % 2 === 0 ? both : both.toReversed()) {
        const startedAt = performance.now();
        const headers = { 'X-Forwarded-For': `10.1.${pair}.${times[kind].length % 250}` };
        expect((await client.post('/signin/forgot', { email }, headers)).status).to.equal(303);
        times[kind].push(performance.now() - startedAt);
      }
    }
    // What else the machine does slows some requests down, and none of the fastest.
    const fast = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 10)] ?? 0;
    const [known, unknown] = [fast(times.known), fast(times.unknown)];
    // Verifying a password takes tens of milliseconds, sending a mail more.
    expect(Math.abs(known - unknown), `${known} ms and ${unknown} ms`).to.be.below(0.2 * unknown + 1);
  });
});

describe('A forgotten password where no mails are sent', () => {
  it('names whom to ask', async () => {
    const service = await startService({ config: { supportContact: 'help@qr.test' } });
    const client = formClient(service.url);
    const page = await (await client.get('/signin/forgot')).text();
    expect(page).to.contain('href="mailto:help@qr.test"').and.not.to.contain('name="email"');
    expect((await client.post('/signin/forgot', { email: 'a@example.com' })).status).not.to.equal(303);
    await service.stop();
  });
});
