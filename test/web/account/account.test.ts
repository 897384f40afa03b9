import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { createPasswordHasher } from '../../../src/accounts/password-hasher.ts';
import { createUser } from '../../../src/accounts/users.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { testLog } from '../../support/test-log.ts';
import { signUp } from '../../support/web-visitor.ts';

const password = 'correct horse battery';

inABrowser('Accounts', sharedService, (site) => {
  /** A signed-in browser; the account has the password. */
  async function enter(email: string): Promise<Page> {
    const passwordHash = hashPassword(password);
    await createUser(site.service.db, { email, passwordHash }, new Date());
    return (await site.visitAs(email)).page;
  }

  it('can be created, signed out of and signed in to again', async () => {
    const { page } = await site.visit();
    await signUp(page, 'ann@example.com', password);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('QR codes');
    await page.getByRole('link', { name: 'Create a key' }).click();
    await page.waitForURL('**/keys');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/keys');
    expect(new URL(page.url()).pathname).to.equal('/signin');
    await page.getByLabel('Email').fill('ANN@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/keys');
  });

  it('show an error at each invalid field and keep the input', async () => {
    const { page } = await site.visit();
    await page.goto('/signup');
    await page.getByLabel('Email').fill('bob@example.com');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
    expect(await page.getByText('Password must have at least 10 characters.').isVisible()).to.equal(true);
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).to.equal('true');
    expect(await page.getByLabel('Email').inputValue()).to.equal('bob@example.com');
    await expectAccessible(page);

    await enter('bob@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
    const error = page.locator('#field-email-error');
    expect(await error.textContent()).to.equal('This email already has an account. Sign in');
    await expectAccessible(page);
    await error.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL('**/signin');
  });

  it('end the session at sign-out, so that its cookie no longer works', async () => {
    const page = await enter('cleo@example.com');
    await page.goto('/keys');
    const cookies = await page.context().cookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/');
    await page.context().addCookies(cookies);
    await page.goto('/keys');
    expect(new URL(page.url()).pathname).to.equal('/signin');
  });

  it('keep the session in an HttpOnly cookie that other sites cannot send with a form', async () => {
    const { page } = await site.visit();
    await signUp(page, 'dan@example.com', password);
    const session = (await page.context().cookies()).find(({ name }) => name.includes('session'));
    expect(session).to.include({ httpOnly: true, sameSite: 'Lax', path: '/' });
  });

  it('sign out all other sessions when the password changes', async () => {
    const page = await enter('eve@example.com');
    const elsewhere = await site.visit();
    await elsewhere.page.goto('/signin');
    await elsewhere.page.getByLabel('Email').fill('eve@example.com');
    await elsewhere.page.getByLabel('Password').fill(password);
    await elsewhere.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await elsewhere.page.waitForURL('**/codes');

    await page.goto('/account');
    await expectAccessible(page);
    const form = page.locator('form[action="/account/password"]');
    await form.getByLabel('Current password').fill(password);
    await form.getByLabel('New password').fill('another password');
    await form.getByRole('button').click();
    expect(await page.getByRole('status').textContent()).to.contain('Your password was changed');
    await elsewhere.page.goto('/keys');
    expect(new URL(elsewhere.page.url()).pathname).to.equal('/signin');
  });

  it('show who is signed in, also after the email has changed', async () => {
    const page = await enter('jo@example.com');
    await page.goto('/account');
    const first = page.locator('section').first();
    expect(await first.textContent()).to.contain('Signed in as jo@example.com');
    const form = page.locator('form[action="/account/email"]');
    await form.getByLabel('New email').fill('finn@elsewhere.test');
    await form.getByLabel('Current password').fill('not the password');
    await form.getByRole('button').click();
    // Beside the form: on a phone, the top of the page is screens away.
    const card = page.locator('section', { has: form });
    expect(await card.getByRole('alert').textContent()).to.equal(
      'Your email was not changed. Check the marked field.',
    );
    expect(await card.locator('.error').textContent()).to.equal('This is not your current password.');
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button').click();
    await page.getByText('Your email was changed.').waitFor();
    expect(await first.textContent()).to.contain('Signed in as finn@elsewhere.test');
  });

  it('are deleted with all their data, but only after a typed confirmation', async () => {
    const page = await enter('finn@example.com');
    const key = await site.service.makeKey({ email: 'finn@example.com' });
    await page.goto('/account');
    const form = page.locator('form[action="/account/delete"]');
    await form.getByLabel('Type finn@example.com to confirm').fill('yes');
    await form.getByLabel('Current password').fill('not the password');
    await form.getByRole('button').click();
    expect(await page.getByText('Enter finn@example.com.').isVisible()).to.equal(true);
    expect(await page.title()).to.equal('Error: Account · Qrelay');
    expect(await page.locator(':focus').textContent()).to.equal(
      'Your account was not deleted. Check the marked fields.',
    );
    expect(await page.getByLabel('Type finn@example.com to confirm').inputValue()).to.equal('yes');
    await expectAccessible(page);
    const again = page.locator('form[action="/account/delete"]');
    await again.getByLabel('Type finn@example.com to confirm').fill('finn@example.com');
    await again.getByLabel('Current password').fill(password);
    await again.getByRole('button').click();
    await page.waitForURL('**/');
    const answer = await fetch(`${site.service.url}/api/v1/qrcodes`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).to.equal(401);
  });

  it('show the same message for an unknown email and a wrong password', async () => {
    await enter('gil@example.com');
    const stranger = await site.visit();
    const texts: (string | null)[] = [];
    for (const email of ['gil@example.com', 'nobody@example.com']) {
      await stranger.page.goto('/signin');
      await stranger.page.getByLabel('Email').fill(email);
      await stranger.page.getByLabel('Password').fill('not the password');
      await stranger.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      texts.push(await stranger.page.getByRole('alert').textContent());
    }
    expect(texts).to.deep.equal(Array(2).fill('The email or the password is wrong.'));
    await expectAccessible(stranger.page);
  });
});

describe('Accounts over HTTP', () => {
  let service: TestService;
  before(async () => {
    // With passwords hashed as in production.
    service = await startService({ passwords: createPasswordHasher({ log: testLog() }) });
  });
  after(() => service.stop());

  /** A form with its cookie and CSRF token. */
  async function openForm(path: string): Promise<{ cookie: string; csrfToken: string }> {
    const answer = await fetch(service.url + path);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
    return { cookie, csrfToken };
  }
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    fetch(service.url + path, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const fields = { email: 'hal@example.com', password };

  it('set a Secure __Host- cookie where the base URL is https', async () => {
    const { cookie, csrfToken } = await openForm('/signup');
    const answer = await post('/signup', { ...fields, csrfToken }, { Cookie: cookie });
    expect(answer.status).to.equal(303);
    expect(answer.headers.getSetCookie()[0]).to.match(
      /^__Host-qrelay-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
    );
  });

  it('reject forms from other sites, without a CSRF token, or with that of another visitor', async () => {
    const { cookie, csrfToken } = await openForm('/signin');
    const other = await openForm('/signin');
    const tries: [string, Record<string, string>, Record<string, string>][] = [
      ['Sec-Fetch-Site', { ...fields, csrfToken }, { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' }],
      ['same-site', { ...fields, csrfToken }, { Cookie: cookie, 'Sec-Fetch-Site': 'same-site' }],
      ['Origin', { ...fields, csrfToken }, { Cookie: cookie, Origin: 'https://evil.test' }],
      ['null origin', { ...fields, csrfToken }, { Cookie: cookie, Origin: 'null' }],
      ['no token', fields, { Cookie: cookie }],
      ['another token', { ...fields, csrfToken: other.csrfToken }, { Cookie: cookie }],
      ['no cookie', { ...fields, csrfToken }, {}],
    ];
    for (const [name, form, headers] of tries) {
      expect((await post('/signin', form, headers)).status, name).to.equal(403);
    }
  });

  it('limit failed sign-ins by account: the eleventh in an hour gets 429 and Retry-After', async () => {
    const { cookie, csrfToken } = await openForm('/signin');
    const statuses: number[] = [];
    for (let number = 0; number < 11; number += 1) {
      const form = { email: 'ida@example.com', password: 'wrong wrong', csrfToken };
      const answer = await post('/signin', form, { Cookie: cookie });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 3_600);
    }
    expect(statuses).to.deep.equal([...Array<number>(10).fill(401), 429]);
  });

  it('never redirect to another site or a share link after signing in', async () => {
    for (const next of [
      '//evil.test',
      'https://evil.test',
      '/\\evil.test',
      '/%0d%0aevil',
      '/r/abcdefghij',
      '/codes/../r/abcdefghij',
    ]) {
      const page = await (await fetch(`${service.url}/signin?next=${encodeURIComponent(next)}`)).text();
      expect(page, next).not.to.contain('name="next"');
    }
    const page = await (await fetch(`${service.url}/signin?next=%2Faccount`)).text();
    expect(page).to.contain('name="next" value="/account"');
  });

  it('store passwords as Argon2id with OWASP’s parameters, and sessions as hashes', async () => {
    const [user] = (await service.db('users').where({ email: fields.email })) as Record<string, string>[];
    expect(user?.['password_hash']).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const sessions = (await service.db('sessions').where({ user_id: user?.['id'] })) as {
      token_hash: Buffer;
    }[];
    expect(sessions.map(({ token_hash }) => token_hash.length)).to.deep.equal([32]);
  });
});
