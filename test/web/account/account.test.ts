import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { createPasswordHasher } from '../../../src/accounts/password-hasher.ts';
import { createUser } from '../../../src/accounts/users.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { formClient, type FormClient, signedIn } from '../../support/form-client.ts';
import { elementsIn, textIn } from '../../support/html.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { lowestCost } from '../../support/shared-threads.ts';
import { signInStatus } from '../../support/sign-in.ts';
import { testLog } from '../../support/test-log.ts';

const password = 'correct horse battery';

async function newUser({ db }: TestService, email: string): Promise<void> {
  await createUser(db, { email, passwordHash: hashPassword(password, lowestCost) }, new Date());
}

describe('Accounts', () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });

  async function enter(email: string): Promise<FormClient> {
    await newUser(service, email);
    const client = await signedIn(service, email);
    expect((await client.get('/account')).status).to.equal(200);
    return client;
  }
  async function expectSignedOut(client: FormClient): Promise<void> {
    const answer = await client.get('/keys');
    expect([answer.status, answer.headers.get('Location')]).to.deep.equal([303, '/signin?next=%2Fkeys']);
  }

  it('end the session at sign-out, so that its cookie no longer works', async () => {
    const client = await enter('cleo@example.com');
    const cookies = [...client.cookies];
    expect((await client.post('/signout', {})).headers.get('Location')).to.equal('/');
    for (const [name, value] of cookies) client.cookies.set(name, value);
    await expectSignedOut(client);
  });

  it('sign out all other sessions when the password changes', async () => {
    const client = await enter('eve@example.com');
    const elsewhere = formClient(service.url);
    await elsewhere.get('/signin');
    expect((await elsewhere.post('/signin', { email: 'eve@example.com', password })).status).to.equal(303);
    expect((await elsewhere.get('/keys')).status).to.equal(200);
    const newPassword = 'another password';
    await client.post('/account/password', { oldPassword: password, newPassword });
    expect(await (await client.get('/account')).text()).to.contain('Your password was changed');
    await expectSignedOut(elsewhere);
    expect(await signInStatus(service.url, 'eve@example.com', newPassword)).to.equal(303);
  });

  it('show who is signed in, also after the email has changed', async () => {
    const client = await enter('jo@example.com');
    const sections = async (answer: Response) => (await answer.text()).split(/(?=<section)/).slice(1);
    const signedInAs = async () => textIn((await sections(await client.get('/account')))[0] ?? '');
    expect(await signedInAs()).to.contain('Signed in as jo@example.com');
    const form = { newEmail: 'finn@elsewhere.test', emailPassword: 'not the password' };
    const refused = await client.post('/account/email', form);
    // Beside the form: on a phone, the top of the page is screens away.
    const card =
      (await sections(refused)).find((section) => section.includes('action="/account/email"')) ?? '';
    expect(textIn(card))
      .to.contain('Your email was not changed. Check the marked field .')
      .and.to.contain('This is not your current password.');
    await client.get('/account');
    await client.post('/account/email', { ...form, emailPassword: password });
    expect(await (await client.get('/account')).text()).to.contain('Your email was changed.');
    expect(await signedInAs()).to.contain('Signed in as finn@elsewhere.test');
  });

  it('show the same message for an unknown email and a wrong password', async () => {
    await newUser(service, 'gil@example.com');
    const client = formClient(service.url);
    await client.get('/signin');
    for (const email of ['gil@example.com', 'nobody@example.com']) {
      const answer = await client.post('/signin', { email, password: 'not the password' });
      const alerts = elementsIn(await answer.text(), 'div').filter(
        ({ attributes }) => attributes['role'] === 'alert',
      );
      expect(alerts.map(({ text }) => text)).to.deep.equal(['The email or the password is wrong.']);
    }
  });
});

inABrowser('Accounts', sharedService, (site) => {
  it('can be created, signed out of, signed in to again and deleted, and every mistake is shown at its field', async () => {
    await newUser(site.service, 'bob@example.com');
    const { page } = await site.visit();
    const email = page.getByLabel('Email');
    const signUp = page.getByRole('main').getByRole('button', { name: 'Sign up' });
    await page.goto('/signup');
    await email.fill('bob@example.com');
    await page.getByLabel('Password').fill('short');
    await signUp.click();
    await page.getByText('Password must have at least 10 characters.').waitFor();
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).to.equal('true');
    expect(await email.inputValue()).to.equal('bob@example.com');
    await expectAccessible(page);
    await page.getByLabel('Password').fill(password);
    await signUp.click();
    const error = page.locator('#field-email-error');
    expect(await error.textContent()).to.equal('This email already has an account. Sign in');
    expect(await error.getByRole('link', { name: 'Sign in' }).getAttribute('href')).to.equal('/signin');
    await expectAccessible(page);
    await email.fill('ann@example.com');
    await page.getByLabel('Password').fill(password);
    await signUp.click();
    await page.waitForURL('**/codes');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('QR codes');
    const session = (await page.context().cookies()).find(({ name }) => name.includes('session'));
    expect(session).to.include({ httpOnly: true, sameSite: 'Lax', path: '/' });
    await page.getByRole('link', { name: 'Create a key' }).click();
    await page.waitForURL('**/keys');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/');
    await page.goto('/keys');
    expect(new URL(page.url()).pathname).to.equal('/signin');
    await email.fill('ANN@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/keys');

    // Only after a typed confirmation, with all data.
    const key = await site.service.makeKey({ email: 'ann@example.com' });
    await page.goto('/account');
    await expectAccessible(page);
    const form = page.locator('form[action="/account/delete"]');
    await page.getByText('Delete account…').click();
    const confirmation = form.getByLabel('Type ann@example.com to confirm');
    await confirmation.fill('yes');
    await form.getByLabel('Current password').fill('not the password');
    await form.getByRole('button').click();
    await page.getByText('Enter ann@example.com.').waitFor();
    expect(await page.title()).to.equal('Error: Account · Qrelay');
    expect(await page.locator(':focus').textContent()).to.equal(
      'Your account was not deleted. Check the marked fields.',
    );
    expect(await confirmation.inputValue()).to.equal('yes');
    await expectAccessible(page);
    await confirmation.fill('ann@example.com');
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button').click();
    await page.waitForURL('**/');
    const answer = await fetch(`${site.service.url}/api/v1/qrcodes`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).to.equal(401);
    expect(await site.service.db('users').where({ email: 'ann@example.com' })).to.deep.equal([]);
  });
});

describe('Accounts with passwords hashed as in production', () => {
  let service: TestService;
  before(async () => {
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
