import { expect } from 'chai';
import { longestPassword } from '../../src/accounts/passwords.ts';
import { hashPassword, isCommonPassword } from '../../src/accounts/password-hash.ts';
import { createUser } from '../../src/accounts/users.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import { startService, type TestService } from '../support/service.ts';

const email = 'ann@example.com';

describe('A common password', () => {
  for (const common of [
    'password12',
    'Password123!',
    'P@ssw0rd123',
    'aaaaaaaaaa',
    '          ',
    '1234567890',
    '0987654321',
    'qwertyuiop',
    'abababababab',
    '12passwordpassword',
    'football2024',
    'qrelay2026',
    'ann@example.com1',
    '\0'.repeat(11),
  ]) {
    it(`is ${JSON.stringify(common)}`, async () =>
      expect(await isCommonPassword(common, email)).to.equal(true));
  }

  for (const strong of ['correct horse battery', 'kX9#mQ2$vL', 'пароль для кота', '三文魚寿司大好き一番']) {
    it(`is not ${strong}`, async () => expect(await isCommonPassword(strong, email)).to.equal(false));
  }

  it('is found in a bounded time, whatever the characters are', async () => {
    for (const unit of [
      '4@8({[<369&#!/|10$5+7%2',
      '@4a$5s',
      'p@ssw0rd',
      '19.10.1999',
      'l1!|i',
      '1234567890',
    ]) {
      const longest = unit.repeat(longestPassword).slice(0, longestPassword);
      const before = process.cpuUsage();
      await isCommonPassword(longest, email);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000, unit).to.be.below(1_000);
    }
  });
});

describe('An account with a common password', () => {
  const message = 'This password is too common';
  let service: TestService;
  let client: FormClient;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    client = formClient(service.url);
  });

  it('cannot be created', async () => {
    await client.get('/signup');
    const refused = await client.post('/signup', { email, password: 'Password123!' });
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.contain(message);
    expect(await service.db('users').where({ email })).to.deep.equal([]);
  });

  it('can sign in where it exists already, and cannot change to another common password', async () => {
    const password = 'Password123!';
    const old = { email: 'ben@example.com', passwordHash: hashPassword(password) };
    await createUser(service.db, old, new Date());
    await client.get('/signin');
    expect((await client.post('/signin', { email: old.email, password })).status).to.equal(303);
    await client.get('/account');
    const refused = await client.post('/account/password', {
      oldPassword: password,
      newPassword: 'football2024',
    });
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.contain(message);
    expect(await service.db('users').where({ email: old.email }).first()).to.include({
      password_hash: old.passwordHash,
    });
  });
});
