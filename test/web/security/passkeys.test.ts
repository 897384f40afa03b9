import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { removePasskey } from '../../../src/accounts/passkeys.ts';
import { createUser, findOrCreateUser, findUserByEmail } from '../../../src/accounts/users.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { lowestCost } from '../../support/shared-threads.ts';
import { isTooWide, signUp } from '../../support/web-visitor.ts';

const password = 'a long and rare password';

/** Passkeys belong to a host name, which an IP address is not. */
async function start(): Promise<TestService> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  return { ...(await startService({ config: { port, baseUrl: url } })), url };
}

inABrowser('Passkeys', start, (site) => {
  const email = 'passkey@example.com';
  let page: Page;
  let authenticator: { cdp: CDPSession; authenticatorId: string };
  let recoveryCodes: string[];

  // One person with one phone, through all tests.
  before(async () => {
    ({ page } = await site.visit(narrowPhone));
    authenticator = await addAuthenticator();
    recoveryCodes = (await register()).split('\n');
  });
  after(() => site.service?.stop());

  /** Chromium's own: keeps passkeys, and confirms each use with a fingerprint unless told. */
  async function addAuthenticator(): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
    return { cdp, authenticatorId };
  }

  async function register(): Promise<string> {
    await signUp(page, email, password);
    await page.goto('/account/security');
    const form = page.locator('form[action="/account/security/passkeys"]');
    await page.getByText('New passkey…').click();
    await form.getByLabel('Name of a new passkey').fill('My phone');
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    return (await page.locator('#recovery-codes').textContent()) ?? '';
  }

  const signOut = () => page.context().clearCookies();

  async function enterPassword(of = email): Promise<void> {
    await page.goto('/signin');
    await page.getByLabel('Email').fill(of);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
  }

  const usePasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

  async function passkeyOf() {
    const { id } = await findUserByEmail(site.service.db, email);
    return (await site.service.db('passkeys').where({ user_id: id }).first()) as {
      credential_id: string;
      counter: string;
      used_at: Date | null;
    };
  }

  it('are registered, and sign in without a password, once for each signature', async () => {
    expect(recoveryCodes).to.have.length(10);
    const before = await passkeyOf();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to security' }).click();
    await expectAccessible(page);
    expect(await isTooWide(page)).to.equal(false);
    expect(await page.locator('.passkeys').textContent()).to.contain('My phone');
    await page.getByText('Remove a passkey…').click();
    expect(await page.getByLabel('Your passkeys').textContent()).to.contain('My phone');
    await expectAccessible(page);
    await signOut();
    await page.goto('/signin?next=/keys');
    await expectAccessible(page);
    const sent = page.waitForRequest((request) => request.url().endsWith('/signin/passkey'));
    await usePasskey();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    const { cdp, authenticatorId } = authenticator;
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).to.have.length(1);
    const after = await passkeyOf();
    expect(after.used_at).to.be.instanceOf(Date);
    expect(Number(after.counter)).to.be.above(Number(before.counter));
    const again = await page.request.post('/signin/passkey', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      data: (await sent).postData() ?? '',
    });
    expect(again.status()).to.equal(401);
    expect(await again.text()).to.contain('The passkey was not accepted.');
  });

  it('are the second step after the password, instead of which a recovery code works', async () => {
    await signOut();
    await enterPassword();
    await expectAccessible(page);
    await usePasskey();
    await page.waitForURL('**/codes');
    await signOut();
    await enterPassword();
    const { cdp, authenticatorId } = authenticator;
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await usePasskey();
    await page.getByText('The passkey could not be used.').first().waitFor();
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.getByLabel('Code').fill(recoveryCodes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/codes');
  });

  it('of another account are not the second step, although they sign the same challenge', async () => {
    const { db } = site.service;
    const passwordHash = hashPassword(password, lowestCost);
    const victim = (await createUser(db, { email: 'victim@example.com', passwordHash }, new Date()))!;
    await db('passkeys').insert({
      credential_id: 'elsewhere',
      user_id: victim.id,
      public_key: Buffer.alloc(1),
      counter: 0,
      transports: '',
      name: 'elsewhere',
      created_at: new Date(),
    });
    await signOut();
    // With the stolen password, and without what the server says of the passkeys that it expects.
    await enterPassword(victim.email);
    await page.route('**/signin/passkey/options', async (route) => {
      const response = await route.fetch();
      const { allowCredentials: expected, ...options } = (await response.json()) as Record<string, unknown>;
      expect(expected).to.deep.equal([{ id: 'elsewhere', transports: [], type: 'public-key' }]);
      await route.fulfill({ response, json: options });
    });
    await usePasskey();
    await page.getByText('The passkey was not accepted.').waitFor();
    await page.goto('/codes');
    expect(new URL(page.url()).pathname).to.equal('/signin');
  });

  it('are removed only by their owner', async () => {
    const { db } = site.service;
    const stranger = await findOrCreateUser(db, 'stranger@example.com', new Date());
    const owner = await findUserByEmail(db, email);
    const { credential_id: id } = await passkeyOf();
    expect(await removePasskey(db, stranger.id, id)).to.equal(false);
    expect(await removePasskey(db, owner.id, id)).to.equal(true);
  });
});
