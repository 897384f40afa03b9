import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hashPassword } from '../../src/accounts/password-hash.ts';
import { createPasswordHasher, type PasswordHasher } from '../../src/accounts/password-hasher.ts';
import { createUser } from '../../src/accounts/users.ts';
import { BusyError } from '../../src/errors.ts';
import { canLimit, runLimited } from '../runtime/thread-script.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import { ensureBuilt } from '../support/programs.ts';
import { startService, type TestService } from '../support/service.ts';
import { lowestCost } from '../support/shared-threads.ts';
import { testLog } from '../support/test-log.ts';

const password = 'correct horse battery';

describe('Hashing passwords', () => {
  const opened: PasswordHasher[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((hasher) => hasher.close()));
  });
  function open(options: Omit<Parameters<typeof createPasswordHasher>[0], 'log'> = {}): PasswordHasher {
    const hasher = createPasswordHasher({ log: testLog(), ...options });
    opened.push(hasher);
    return hasher;
  }

  it('accepts the right password in any Unicode form, no other one, and none without a hash', async () => {
    const hasher = open();
    const hash = await hasher.hash('crème brûlée'.normalize('NFC'));
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hasher.verify(hash, 'crème brûlée'.normalize('NFD'))).to.equal(true);
    expect(await hasher.verify(hash, 'creme brulee')).to.equal(false);
    expect(await hasher.verify(hash, 'x'.repeat(60_000))).to.equal(false);
    expect(await hasher.verify(null, password)).to.equal(false);
  });

  it('does not use the threads of file writes: a write does not wait for earlier hashes', async () => {
    const hasher = open({ maxWaiting: 24, maxWaitMs: 600_000 });
    await hasher.hash(password);
    const order: string[] = [];
    const hashes = Array.from({ length: 12 }, () => hasher.hash(password).then(() => order.push('hash')));
    const file = join(tmpdir(), `qrelay-write-${process.pid}`);
    await writeFile(file, 'scan');
    order.push('write');
    await Promise.all(hashes);
    await rm(file);
    expect(order.indexOf('write')).to.be.below(6);
  });

  it('runs up to its concurrency, queues up to its limit, and refuses the rest', async () => {
    const hasher = open({ concurrency: 2, maxWaiting: 3, maxWaitMs: 60_000 });
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, () =>
        hasher.withSlot(async ({ hash }) => {
          running += 1;
          most = Math.max(most, running);
          await hash(password);
          running -= 1;
        }),
      ),
    );
    expect(most).to.equal(2);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).to.have.length(4);
    for (const { reason } of refused) {
      expect(reason).to.be.instanceOf(BusyError);
      expect(reason).to.deep.include({ status: 503, headers: { 'Retry-After': '5' } });
    }
    // Free again.
    await hasher.hash(password);
  });

  it('refuses requests that have waited too long, and runs the next', async () => {
    const hasher = open({ concurrency: 1, maxWaiting: 1, maxWaitMs: 20 });
    let release = (): void => undefined;
    const held = hasher.withSlot(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    for (let time = 0; time < 2; time += 1) {
      const error: unknown = await hasher.hash(password).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(BusyError);
    }
    release();
    await held;
    await hasher.hash(password);
  });
});

describe('A password thread that could not be started', () => {
  before(ensureBuilt);

  it('refuses passwords with a 503, and is started for a later one', async function () {
    if (!canLimit('threads')) return this.skip();
    const hasher = new URL('../../dist/src/accounts/password-hasher.js', import.meta.url);
    const output = await runLimited(
      'threads',
      `import { createPasswordHasher } from ${JSON.stringify(hasher.href)};
      const log = { info() {}, warn() {}, error() {} };
      const cost = ${JSON.stringify(lowestCost)};
      const passwords = createPasswordHasher({ log, cost, threads: 1 });
      take();
      await passwords.hash('correct horse battery').catch(({ status }) => console.log(status));
      await release();
      const hash = await until(() => passwords.hash('correct horse battery'));
      console.log(hash.slice(0, 9));
      await passwords.close();`,
    );
    expect(output).to.equal('503\n$argon2id\n');
  });
});

describe('Passwords, while too many are being checked', () => {
  let service: TestService;
  let client: FormClient;
  let passwords: PasswordHasher;
  let release = (): void => undefined;
  let held: Promise<void>;
  before(async () => {
    passwords = createPasswordHasher({ log: testLog(), concurrency: 1, maxWaiting: 0 });
    service = await startService({ passwords });
    await createUser(
      service.db,
      { email: 'ann@example.com', passwordHash: hashPassword(password) },
      new Date(),
    );
    client = formClient(service.url);
    await client.get('/signin');
    expect((await client.post('/signin', { email: 'ann@example.com', password })).status).to.equal(303);
    await service.db('request_windows').delete();
    await client.get('/account');
    held = passwords.withSlot(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
  });
  after(async () => {
    release();
    await held;
    await service.stop();
  });

  const posts: [string, Record<string, string>][] = [
    ['/signin', { email: 'ann@example.com', password }],
    ['/signup', { email: 'ben@example.com', password }],
    ['/account/email', { newEmail: 'cy@example.com', emailPassword: password }],
    ['/account/password', { oldPassword: password, newPassword: 'another horse battery' }],
    ['/account/delete', { confirmation: 'ann@example.com', deletePassword: password }],
  ];
  for (const [path, fields] of posts) {
    it(`get a 503 page with Retry-After from ${path}, and count no attempt`, async () => {
      const answer = await client.post(path, fields);
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('5');
      expect(await answer.text())
        .to.contain('<h1>Try again shortly</h1>')
        .and.to.contain('wait a few seconds, and try again');
      const windows = (await service.db('request_windows').whereRaw("subject NOT LIKE 'form-%'")) as {
        recent: Date[];
      }[];
      expect(windows.flatMap(({ recent }) => recent)).to.deep.equal([]);
    });
  }

  it('are checked again afterwards', async () => {
    release();
    await held;
    expect((await client.post('/signin', { email: 'ann@example.com', password })).status).to.equal(303);
  });
});
