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
import { isTooWide, signUp } from '../../support/web-visitor.ts';

const password = 'a long and rare password';

/** Passkeys belong to a host name, which an IP address is not. */
async function start(): Promise<TestService> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  return { ...(await startService({ config: { port, baseUrl: url } })), url };
}

inABrowser('Passkeys', start, (site) => {
  after(() => site.service.stop());

  /** Chromium's own: keeps passkeys, and confirms each use with a fingerprint unless told. */
  async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
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

  async function register(page: Page, email: string): Promise<string> {
    await signUp(page, email, password);
    await page.goto('/account/security');
    const form = page.locator('form[action="/account/security/passkeys"]');
    await form.getByLabel('Name of a new passkey').fill('My phone');
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    return (await page.locator('#recovery-codes').textContent()) ?? '';
  }

  async function passkeyOf(email: string) {
    const { id } = await findUserByEmail(site.service.db, email);
    return (await site.service.db('passkeys').where({ user_id: id }).first()) as {
      credential_id: string;
      counter: string;
      used_at: Date | null;
    };
  }

  it('are registered, and sign in without a password, on a narrow phone', async () => {
    const { page } = await site.visit(narrowPhone);
    const { cdp, authenticatorId } = await addAuthenticator(page);
    const codes = await register(page, 'passkey@example.com');
    expect(codes.split('\n')).to.have.length(10);
    const before = await passkeyOf('passkey@example.com');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to security' }).click();
    await expectAccessible(page);
    expect(await isTooWide(page)).to.equal(false);
    expect(await page.getByLabel('Your passkeys').textContent()).to.contain('My phone');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.goto('/signin?next=/keys');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'API Keys' }).waitFor();
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).to.have.length(1);
    const after = await passkeyOf('passkey@example.com');
    expect(after.used_at).to.be.instanceOf(Date);
    expect(Number(after.counter)).to.be.above(Number(before.counter));
  });

  it('are the second step after the password, instead of which a recovery code works', async () => {
    const { page } = await site.visit();
    const { cdp, authenticatorId } = await addAuthenticator(page);
    const [code = ''] = (await register(page, 'both@example.com')).split('\n');
    const enterPassword = async () => {
      await page.goto('/account');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.goto('/signin');
      await page.getByLabel('Email').fill('both@example.com');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Second step' }).waitFor();
    };
    await enterPassword();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/codes');
    await enterPassword();
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey could not be used.').first().waitFor();
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/codes');
  });

  it('are not accepted twice for one signature, and only their owner removes them', async () => {
    const { page } = await site.visit();
    await addAuthenticator(page);
    await register(page, 'owner@example.com');
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.goto('/signin');
    const sent = page.waitForRequest((request) => request.url().endsWith('/signin/passkey'));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/codes');
    const form = (await sent).postData() ?? '';
    const again = await page.request.post('/signin/passkey', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      data: form,
    });
    expect(again.status()).to.equal(401);
    expect(await again.text()).to.contain('The passkey was not accepted.');
    const { db } = site.service;
    const stranger = await findOrCreateUser(db, 'stranger@example.com', new Date());
    const owner = await findUserByEmail(db, 'owner@example.com');
    const { credential_id: id } = await passkeyOf('owner@example.com');
    expect(await removePasskey(db, stranger.id, id)).to.equal(false);
    expect(await removePasskey(db, owner.id, id)).to.equal(true);
  });

  it('of another account are not the second step, although they sign the same challenge', async () => {
    const { page } = await site.visit();
    await addAuthenticator(page);
    await register(page, 'thief@example.com');
    const { db } = site.service;
    const email = 'victim@example.com';
    const victim = (await createUser(db, { email, passwordHash: hashPassword(password) }, new Date()))!;
    await db('passkeys').insert({
      credential_id: 'elsewhere',
      user_id: victim.id,
      public_key: Buffer.alloc(1),
      counter: 0,
      transports: '',
      name: 'elsewhere',
      created_at: new Date(),
    });
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.goto('/signin');
    // With the stolen password, and without what the server says of the passkeys that it expects.
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await page.route('**/signin/passkey/options', async (route) => {
      const response = await route.fetch();
      const { allowCredentials: expected, ...options } = (await response.json()) as Record<string, unknown>;
      expect(expected).to.deep.equal([{ id: 'elsewhere', transports: [], type: 'public-key' }]);
      await route.fulfill({ response, json: options });
    });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey was not accepted.').waitFor();
    await page.goto('/codes');
    expect(new URL(page.url()).pathname).to.equal('/signin');
  });
});
