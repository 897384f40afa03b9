import { expect } from 'chai';
import { changePassword, purgeSignInLinks } from '../../../src/accounts/account-links.ts';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { findOrCreateUser, findUserByEmail, setAdmin, type User } from '../../../src/accounts/users.ts';
import { type FormClient, formClient, signedIn } from '../../support/form-client.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { tablesHolding } from '../../support/search-tables.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signInStatus } from '../../support/sign-in.ts';

const oldPassword = 'a long and rare password';
const newPassword = 'another long and rare password';

describe('A sign-in link from an operator', () => {
  let service: TestService;
  let operator: FormClient;
  let users = 0;
  before(async () => {
    service = await startService();
    operator = await signedInOperator(service);
  });
  afterEach(() => service.setNow(undefined));
  after(() => service.stop());

  async function newUser(): Promise<User> {
    const user = await findOrCreateUser(service.db, `user-${(users += 1)}@example.com`, new Date());
    await changePassword(service.db, user, hashPassword(oldPassword), new Date());
    return user;
  }

  /** The path of the link, read from the page that shows it once. */
  async function linkFor(user: User): Promise<string> {
    const answer = await operator.post(`/admin/users/${user.id}/link`, {});
    expect(answer.status).to.equal(303);
    const shown = await (await operator.get(answer.headers.get('Location') ?? '')).text();
    const [, path = ''] = /value="https:\/\/qr\.test(\/signin\/link\/[\w-]{43})"/.exec(shown) ?? [];
    expect(path).not.to.equal('');
    return path;
  }

  async function use(path: string, password = newPassword): Promise<Response> {
    const client = formClient(service.url);
    await client.get('/signin');
    return client.post(path, { newPassword: password });
  }

  async function expectDead(path: string): Promise<void> {
    expect(await mainText(await formClient(service.url).get(path))).to.contain('This link does not work');
    expect((await use(path)).status).to.equal(404);
  }

  it('lets its owner choose a password, signs in, and ends all other sessions', async () => {
    const user = await newUser();
    const elsewhere = await signedIn(service, user.email);
    const path = await linkFor(user);
    const owner = formClient(service.url);
    const page = await mainText(await owner.get(path));
    expect(page).to.contain('Choose a new password').and.to.contain(user.email);
    const answer = await owner.post(path, { newPassword });
    expect(answer.status).to.equal(303);
    expect((await owner.get('/codes')).status).to.equal(200);
    expect((await elsewhere.get('/codes')).status).to.equal(303);
    expect(await signInStatus(service.url, user.email, newPassword)).to.equal(303);
    expect(await signInStatus(service.url, user.email, oldPassword)).to.equal(401);
  });

  it('does not work once its account is that of an operator: one could act in the name of another', async () => {
    const user = await newUser();
    const path = await linkFor(user);
    const opened = formClient(service.url);
    expect((await opened.get(path)).status).to.equal(200);
    await setAdmin(service.db, user, true, new Date());
    expect((await opened.post(path, { newPassword })).status).to.equal(404);
    await expectDead(path);
    expect(await signInStatus(service.url, user.email, oldPassword)).to.equal(303);
  });

  it('works once, also for parallel requests, and looking at it does not use it up', async () => {
    const path = await linkFor(await newUser());
    for (let look = 0; look < 2; look += 1)
      expect((await formClient(service.url).get(path)).status).to.equal(200);
    const answers = await Promise.all([
      use(path),
      use(path, `${newPassword} 2`),
      use(path, `${newPassword} 3`),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([303, 404, 404]);
    await expectDead(path);
  });

  it('is shown to the operator once, and is nowhere in the database', async () => {
    const user = await newUser();
    const path = await linkFor(user);
    expect(await (await operator.get(`/admin/users/${user.id}/link`)).text()).not.to.contain(path);
    expect(await tablesHolding(service.db, path.split('/').at(-1) ?? '')).to.deep.equal([]);
  });

  it('works for an hour', async () => {
    const path = await linkFor(await newUser());
    service.setNow(new Date(Date.now() + 59 * 60_000));
    expect((await formClient(service.url).get(path)).status).to.equal(200);
    service.setNow(new Date(Date.now() + 60 * 60_000 + 1_000));
    await expectDead(path);
    await purgeSignInLinks(service.db, new Date(Date.now() + 60 * 60_000 + 1_000));
    expect(await service.db('sign_in_links')).to.deep.equal([]);
  });

  it('stops working when the password changes, a new link is created, or the account is blocked or deleted', async () => {
    const [changed, renewed, blocked, deleted] = [
      await newUser(),
      await newUser(),
      await newUser(),
      await newUser(),
    ];
    const [a, b, c, d] = [
      await linkFor(changed),
      await linkFor(renewed),
      await linkFor(blocked),
      await linkFor(deleted),
    ];
    await changePassword(
      service.db,
      await findUserByEmail(service.db, changed.email),
      hashPassword('x'),
      new Date(),
    );
    const newer = await linkFor(renewed);
    expect((await operator.post(`/admin/users/${blocked.id}/block`, {})).status).to.equal(303);
    await service.db('users').where({ id: deleted.id }).delete();
    for (const path of [a, b, c, d]) await expectDead(path);
    expect((await formClient(service.url).get(newer)).status).to.equal(200);
    const refused = await operator.post(`/admin/users/${blocked.id}/link`, {});
    expect(await mainText(refused)).to.contain('The account is blocked. Unblock it first.');
  });

  it('works for an account that never had a password', async () => {
    const user = await findOrCreateUser(service.db, 'keys-only@example.com', new Date());
    const path = await linkFor(user);
    expect((await use(path)).status).to.equal(303);
    expect(await signInStatus(service.url, user.email, newPassword)).to.equal(303);
  });

  it('is not used up by a password that is too short or too common', async () => {
    const path = await linkFor(await newUser());
    for (const [password, problem] of [
      ['short', 'must have at least 10 characters'],
      ['password123456', 'too common'],
    ] as const) {
      const answer = await use(path, password);
      expect(answer.status).to.equal(400);
      expect(await mainText(answer)).to.contain(problem);
    }
    expect((await use(path)).status).to.equal(303);
  });

  it('cannot be guessed or bent: anything else than a link is a dead one', async () => {
    for (const token of ['x', 'x'.repeat(43), '%00', 'x'.repeat(4_000), '..%2f..']) {
      const answer = await formClient(service.url).get(`/signin/link/${token}`);
      expect(answer.status, token).to.equal(404);
    }
  });
});
