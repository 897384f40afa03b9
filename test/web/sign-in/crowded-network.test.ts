import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { loadSecrets, type ServiceSecrets } from '../../../src/accounts/secrets.ts';
import { createSignInLink } from '../../../src/accounts/account-links.ts';
import { createUser, findUserByEmail } from '../../../src/accounts/users.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { lowestCost } from '../../support/shared-threads.ts';
import { challengeIn, solveProof } from '../../support/solve-proof.ts';

const password = 'correct horse battery';
let mails: MailServer;
let service: TestService;
let secrets: ServiceSecrets;
let users = 0;

async function newUser(): Promise<string> {
  const email = `colleague-${(users += 1)}@example.com`;
  const passwordHash = hashPassword(password, lowestCost);
  await createUser(service.db, { email, passwordHash, isConfirmed: true }, new Date());
  return email;
}

/** As if that many attempts had failed just now. */
async function countFailures(subject: string, count: number): Promise<void> {
  const times = service.db.raw('array_fill(now(), ARRAY[?::int])', [count]);
  await service.db.raw(
    `INSERT INTO request_windows (subject, recent, admitted, checked_at) VALUES (?, ?, true, now())
     ON CONFLICT (subject) DO UPDATE SET recent = excluded.recent`,
    [subject, times],
  );
}
const crowd = (address: string) => countFailures(`signin-address:${secrets.hashAddress(address)}`, 30);

describe('Signing in from an address with too many wrong passwords', () => {
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config, trustProxyHops: 1 } });
    secrets = await loadSecrets(service.db);
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  async function post(
    client: FormClient,
    address: string,
    fields: Record<string, string>,
  ): Promise<{ status: number; html: string; challenge: string | undefined }> {
    const answer = await client.post('/signin', { password, ...fields }, { 'X-Forwarded-For': address });
    const html = await answer.text();
    return { status: answer.status, html, challenge: challengeIn(html) };
  }
  async function openSignIn(): Promise<FormClient> {
    const client = formClient(service.url);
    await client.get('/signin');
    return client;
  }

  it('needs a proof of work that was made since the work rose, works once, and only for the account it was made for', async () => {
    const [email, other] = [await newUser(), await newUser()];
    await crowd('192.0.2.1');
    const early = await post(await openSignIn(), '192.0.2.1', { email });
    expect(early.status).to.equal(429);
    const earlyProof = solveProof(early.challenge ?? '');
    await countFailures(`signin-proven:${secrets.hashAddress('192.0.2.1')}`, 30);
    // Twice: the second one is refused from memory.
    for (let time = 0; time < 2; time += 1) {
      const refused = await post(await openSignIn(), '192.0.2.1', { email, proof: earlyProof });
      expect([refused.status, refused.challenge?.split('.')[1]]).to.deep.equal([429, '15']);
    }
    const { challenge = '' } = await post(await openSignIn(), '192.0.2.1', { email });
    const proof = solveProof(challenge);
    expect((await post(await openSignIn(), '192.0.2.1', { email: other, proof })).status).to.equal(429);
    const client = await openSignIn();
    expect((await post(client, '192.0.2.1', { email, proof })).status).to.equal(303);
    expect((await client.get('/codes')).status).to.equal(200);
    const again = await post(await openSignIn(), '192.0.2.1', { email, proof });
    expect(again.status).to.equal(429);
    expect(again.challenge).to.be.a('string').and.not.to.equal(challenge);
  });

  it('still allows ten wrong passwords per account and hour, from wherever, with or without proofs', async () => {
    const email = await newUser();
    await crowd('192.0.2.2');
    const { challenge = '' } = await post(await openSignIn(), '192.0.2.2', { email });
    const guess = { email, password: 'wrong wrong', proof: solveProof(challenge) };
    const guessed = await post(await openSignIn(), '192.0.2.2', guess);
    expect([guessed.status, guessed.challenge !== undefined]).to.deep.equal([401, true]);
    for (let number = 10; number < 19; number += 1)
      expect(
        (await post(await openSignIn(), `192.0.2.${number}`, { email, password: 'wrong wrong' })).status,
      ).to.equal(401);
    const proof = solveProof(guessed.challenge ?? '');
    const refused = await post(await openSignIn(), '192.0.2.2', { email, proof });
    expect([refused.status, refused.challenge]).to.deep.equal([429, undefined]);
    expect(refused.html).to.contain('Too many attempts.');
  });

  it('takes more work the more passwords were wrong in spite of proofs', async () => {
    const email = await newUser();
    await crowd('192.0.2.3');
    await countFailures(`signin-proven:${secrets.hashAddress('192.0.2.3')}`, 60);
    const { challenge } = await post(await openSignIn(), '192.0.2.3', { email });
    expect(challenge?.split('.')[1]).to.equal('16');
  });

  it('is possible by a link from a mail without scripts, which keeps the password and tells nobody of accounts', async () => {
    const email = await newUser();
    await crowd('192.0.2.4');
    const pages = [];
    for (const named of [email, 'nobody@example.com']) {
      const client = await openSignIn();
      const { html } = await post(client, '192.0.2.4', { email: named });
      expect(html)
        .to.contain('<noscript>')
        .and.to.match(/name="purpose" value="sign-in"/);
      const form = { email: named, purpose: 'sign-in' };
      const asked = await client.post('/signin/forgot', form, { 'X-Forwarded-For': '192.0.2.4' });
      pages.push(`${asked.status} ${await mainText(await client.get('/signin/forgot'))}`);
    }
    expect(pages[0]).to.equal(pages[1]);
    const [mail] = await mails.mailsTo(email);
    expect(mail?.headers['subject']).to.equal('Sign in to your account');
    const { pathname, search } = new URL(linkIn(mail!));
    const client = formClient(service.url);
    expect(await mainText(await client.get(pathname + search))).to.contain(`As ${email}`);
    expect((await client.post(pathname, { keep: 'on' })).headers.get('Location')).to.equal('/codes');
    expect((await client.get('/codes')).status).to.equal(200);
    expect((await client.post(pathname, { keep: 'on' })).status).to.equal(404);
    expect((await post(await openSignIn(), '192.0.2.5', { email })).status).to.equal(303);
    expect(mails.received.flatMap(({ to }) => to)).not.to.include('nobody@example.com');
  });

  it('does not let an operator in by a link without a new password, nor whoever has not confirmed the address', async () => {
    const [email, unconfirmed] = [await newUser(), await newUser()];
    await service.db('users').where({ email: unconfirmed }).update({ confirmed_email: null });
    for (const [each, isMailed] of [
      [email, false],
      [unconfirmed, true],
    ] as const) {
      const user = await findUserByEmail(service.db, each);
      const path = `/signin/link/${await createSignInLink(service.db, user, new Date(), { isMailed })}`;
      const client = formClient(service.url);
      expect(await mainText(await client.get(`${path}?keep`))).to.contain('Choose a new password');
      expect((await client.post(path, { keep: 'on' })).status).to.equal(404);
    }
  });

  inABrowser(
    'Signing in with a proof of work',
    () => service,
    (site) => {
      it('is possible when the browser has solved its task, on a narrow phone and a wide screen', async () => {
        const email = await newUser();
        await crowd('127.0.0.1');
        const { page } = await site.visit(narrowPhone);
        await page.goto('/signin');
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await expectAccessible(page);
        await page.setViewportSize({ width: 1280, height: 720 });
        await expectAccessible(page);
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/codes');
      });
    },
  );
});
