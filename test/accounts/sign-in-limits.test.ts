import { expect } from 'chai';
import { hashPassword } from '../../src/accounts/password-hash.ts';
import { createPasswordHasher } from '../../src/accounts/password-hasher.ts';
import { createUser } from '../../src/accounts/users.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { lowestCost } from '../support/shared-threads.ts';
import { testLog } from '../support/test-log.ts';

const password = 'correct horse battery';
const passwordHash = hashPassword(password, lowestCost);

describe('The limits of sign-in', () => {
  let service: TestService;
  before(async () => {
    // Large limits, so that a busy machine is not taken for too many sign-ins.
    const passwords = createPasswordHasher({
      log: testLog(),
      cost: lowestCost,
      maxWaiting: 100,
      maxWaitMs: 60_000,
    });
    service = await startService({ config: { trustProxyHops: 1 }, passwords });
  });
  after(() => service.stop());

  async function makeUsers(count: number, name: string): Promise<string[]> {
    const emails = Array.from({ length: count }, (_, index) => `${name}-${index}@example.com`);
    for (const email of emails) await createUser(service.db, { email, passwordHash }, new Date());
    return emails;
  }
  async function openSignIn(): Promise<FormClient> {
    const client = formClient(service.url);
    await client.get('/signin');
    return client;
  }
  const post = async (client: FormClient, address: string, email: string, given = password) =>
    (await client.post('/signin', { email, password: given }, { 'X-Forwarded-For': address })).status;
  const signIn = async (address: string, email: string, given?: string) =>
    post(await openSignIn(), address, email, given);

  it('allow any number of sign-ins with the right password from one address', async () => {
    const statuses: number[] = [];
    for (const email of await makeUsers(35, 'office')) statuses.push(await signIn('192.0.2.1', email));
    expect(statuses).to.deep.equal(Array(35).fill(303));
  });

  it('allow parallel sign-ins', async () => {
    const emails = await makeUsers(20, 'together');
    const statuses = await Promise.all(emails.map((email) => signIn('192.0.2.2', email)));
    expect(statuses).to.deep.equal(Array(20).fill(303));
  });

  it('allow 30 failures per hour from one address, whatever sign-ins succeed in between', async () => {
    const [email = ''] = await makeUsers(1, 'between');
    const statuses: number[] = [];
    for (let number = 0; number < 30; number += 1) {
      statuses.push(await signIn('192.0.2.3', `stranger-${number}@example.com`, 'wrong wrong'));
      if (number % 10 === 5) expect(await signIn('192.0.2.3', email)).to.equal(303);
    }
    expect(statuses).to.deep.equal(Array(30).fill(401));
    expect(await signIn('192.0.2.3', email)).to.equal(429);
    expect(await signIn('192.0.2.4', email)).to.equal(303);
  });

  it('count parallel failures exactly', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, openSignIn));
    const statuses: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const answers = clients.map((client, index) =>
        post(client, '192.0.2.5', `guess-${round}-${index}@example.com`, 'wrong wrong'),
      );
      statuses.push(...(await Promise.all(answers)));
    }
    expect(statuses.filter((status) => status === 401)).to.have.length(30);
    expect(statuses.filter((status) => status === 429)).to.have.length(10);
  });

  it('let a known device sign in to its own account from an address over the limit', async () => {
    const [owner = '', other = ''] = await makeUsers(2, 'device');
    const device = await openSignIn();
    expect(await post(device, '192.0.2.6', owner)).to.equal(303);
    for (let number = 0; number < 30; number += 1)
      await signIn('192.0.2.6', `stranger-${number}@example.com`, 'wrong wrong');
    expect(await signIn('192.0.2.6', owner)).to.equal(429);
    expect(await post(device, '192.0.2.6', other)).to.equal(429);
    expect(await post(device, '192.0.2.6', owner)).to.equal(303);
  });

  it('need no write once they are reached', async () => {
    const email = 'written@example.com';
    for (let number = 0; number < 10; number += 1) await signIn('192.0.2.7', email, 'wrong wrong');
    const windows = () => service.db('request_windows').whereLike('subject', 'signin-%').orderBy('subject');
    const before: unknown = await windows();
    for (let number = 0; number < 5; number += 1)
      expect(await signIn('192.0.2.7', email, 'wrong wrong')).to.equal(429);
    expect(await windows()).to.deep.equal(before);
  });
});
