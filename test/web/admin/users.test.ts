import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { listActions } from '../../../src/accounts/operator-actions.ts';
import { changePassword } from '../../../src/accounts/account-links.ts';
import { findOrCreateUser, findUserByEmail, type User } from '../../../src/accounts/users.ts';
import { apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';
import { signInStatus } from '../../support/sign-in.ts';
import { findWorkspace, ownWorkspaceId } from '../../../src/workspaces/workspace.ts';

const password = 'a long and rare password';

describe('The page of users', () => {
  let service: TestService;
  let operator: FormClient;
  let users = 0;
  before(async () => {
    service = await startService();
    operator = await signedInOperator(service);
  });
  after(() => service.stop());

  async function newUser(): Promise<User> {
    const user = await findOrCreateUser(service.db, `user-${(users += 1)}@example.com`, new Date());
    await changePassword(service.db, user, hashPassword(password), new Date());
    return findUserByEmail(service.db, user.email);
  }
  const pageOf = (user: User) => `/admin/users/${user.id}`;
  const workspaceOf = (user: User) => `/admin/workspaces/${ownWorkspaceId(user)}`;
  const textOf = async (path: string) => mainText(await operator.get(path));
  /** Follows the redirect to the page that says what was done. */
  async function submit(path: string, fields: Record<string, string> = {}): Promise<string> {
    const answer = await operator.post(path, fields);
    expect(answer.status, await answer.clone().text()).to.equal(303);
    return textOf(answer.headers.get('Location') ?? '');
  }
  const latest = async (user: User) => (await listActions(service.db, { target: user.id, limit: 1 }))[0];

  it('finds accounts by a part of their email, whatever its case, newest first, page by page', async () => {
    for (let number = 1; number <= 27; number += 1)
      await findOrCreateUser(service.db, `Paged-${number}@example.com`, new Date(number * 1_000));
    const first = await operator.get('/admin/users?q=pAGED-');
    const html = await first.clone().text();
    const emails = (text: string) => [...text.matchAll(/Paged-(\d+)@/g)].map(([, number]) => Number(number));
    expect(emails(await mainText(first))).to.deep.equal(Array.from({ length: 25 }, (_, index) => 27 - index));
    expect(html).to.contain('27 found');
    const next = /href="([^"]+after=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(emails(await textOf(next))).to.deep.equal([2, 1]);
    expect(await textOf('/admin/users?q=no-such-email')).to.contain('No account has an email like this.');
    // Neither a wildcard nor a wrong page key is anything special.
    expect(await textOf('/admin/users?q=%25')).to.contain('No account');
    expect((await operator.get('/admin/users?q=%00&after=nonsense')).status).to.equal(200);
  });

  it('shows how much the workspace of an account has, and nothing of what it is', async () => {
    const user = await newUser();
    const api = apiClient(service.url, await service.makeKey({ email: user.email }));
    await createCode(api, { name: 'Private name', content: 'https://private.example/', isPublic: false });
    await createCode(api);
    const text = await textOf(workspaceOf(user));
    expect(await textOf(pageOf(user))).not.to.contain('Private name');
    expect(text).to.contain('Codes 2').and.to.contain('Active keys 1').and.to.contain('Scans in 30 days 0');
    expect(text).not.to.contain('Private name').and.not.to.contain('private.example');
    expect((await operator.get('/admin/users/01890000-0000-7000-8000-000000000000')).status).to.equal(404);
    expect((await operator.get('/admin/users/nonsense')).status).to.equal(404);
  });

  it('changes the plan, which the API applies at once, and records who did it', async () => {
    const user = await newUser();
    const api = apiClient(service.url, await service.makeKey({ email: user.email, plan: 'free' }));
    expect((await api('/qrcodes')).headers.get('X-RateLimit-Limit')).to.equal('20');
    expect(await submit(`${workspaceOf(user)}/plan`, { plan: 'pro' })).to.contain('The plan was changed.');
    expect((await api('/qrcodes')).headers.get('X-RateLimit-Limit')).to.equal('100');
    expect(await latest(user)).to.include({
      operatorEmail: 'operator@example.com',
      action: 'plan.change',
      targetEmail: user.email,
      note: 'free → pro',
    });
    expect((await operator.post(`${workspaceOf(user)}/plan`, { plan: 'gold' })).status).to.equal(400);
    expect((await findWorkspace(service.db, ownWorkspaceId(user))).plan).to.equal('pro');
  });

  it('changes the limits of one workspace, and back to those of its plan, and records who did it', async () => {
    const user = await newUser();
    const api = apiClient(service.url, await service.makeKey({ email: user.email, plan: 'free' }));
    const path = `${workspaceOf(user)}/limits`;
    expect(await submit(path, { codes: ' 5 ', requestsPerHour: '50' })).to.contain(
      'The limits were changed.',
    );
    expect((await api('/account')).body.limits).to.include({ codes: 5, requestsPerHour: 50, webhooks: 3 });
    expect(await (await operator.get(workspaceOf(user))).text()).to.match(/name="codes" value="5"/);
    expect(await latest(user)).to.include({
      operatorEmail: 'operator@example.com',
      action: 'limits.change',
      note: 'requestsPerHour: plan → 50, codes: plan → 5',
    });
    const refused = await operator.post(path, { codes: '6', webhooks: 'many' });
    expect(refused.status).to.equal(400);
    expect(await refused.text())
      .to.contain('must be a whole number from 0 to 1000')
      .and.to.match(/name="codes" value="6"/);
    await submit(path, { codes: '', requestsPerHour: '' });
    expect((await api('/account')).body.limits).to.include({ codes: 1_000, requestsPerHour: 20 });
  });

  it('blocks an account: no sign-in, no session, no key, no code; and unblocks it with everything in place', async () => {
    const user = await newUser();
    const key = await service.makeKey({ email: user.email });
    const { shareToken } = await createCode(apiClient(service.url, key));
    const owner = await signedIn(service, user.email);
    expect((await owner.get('/codes')).status).to.equal(200);

    expect(await submit(`${pageOf(user)}/block`, { reason: ' spam \n reports ' })).to.contain(
      'Reason: spam reports',
    );
    expect(await latest(user)).to.include({ action: 'account.block', note: 'spam reports' });
    const second = await submit(`${pageOf(user)}/block`, { reason: 'phishing' });
    expect(second).to.contain('already blocked').and.to.contain('Reason: spam reports');
    expect(await latest(user)).to.include({ action: 'account.block', note: 'spam reports' });
    expect((await owner.get('/codes')).status).to.equal(303);
    expect((await (await signedIn(service, user.email)).get('/codes')).status).to.equal(303);
    expect(await signInStatus(service.url, user.email, password)).to.equal(403);
    expect(await signInStatus(service.url, user.email, 'a wrong password')).to.equal(401);
    const refused = await apiClient(service.url, key)('/qrcodes');
    expect(refused.status).to.equal(401);
    expect(refused.body.message).to.contain('is blocked');
    service.passTime(10_000);
    expect((await openShare(service.url, shareToken)).status).to.equal(410);
    expect(await textOf('/admin/users')).to.match(new RegExp(`${user.email} *blocked`));

    expect(await submit(`${pageOf(user)}/unblock`)).to.contain('The account was unblocked.');
    expect(await latest(user)).to.include({ action: 'account.unblock' });
    expect(await signInStatus(service.url, user.email, password)).to.equal(303);
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(200);
    service.passTime(10_000);
    expect((await openShare(service.url, shareToken)).status).to.equal(302);
    const again = await operator.post(`${pageOf(user)}/unblock`, {});
    expect(again.status).to.equal(400);
    expect(await mainText(again)).to.contain('The account is not blocked.');
  });

  it('ends all sessions of an account', async () => {
    const user = await newUser();
    const owner = await signedIn(service, user.email);
    expect((await owner.get('/codes')).status).to.equal(200);
    expect(await submit(`${pageOf(user)}/sessions`)).to.contain('All sessions of the account were ended.');
    expect((await owner.get('/codes')).status).to.equal(303);
    expect(await latest(user)).to.include({ action: 'account.sessions' });

    const leaving = await signedInOperator(service, 'leaving@example.com');
    const { id } = await findUserByEmail(service.db, 'leaving@example.com');
    const answer = await leaving.post(`/admin/users/${id}/sessions`, {});
    expect(answer.headers.get('Location')).to.equal('/signin');
  });

  it('rejects a reason that is too long or would break a list, and changes nothing', async () => {
    const user = await newUser();
    for (const reason of ['x'.repeat(501), 'spoofed \u202e text']) {
      const answer = await operator.post(`${pageOf(user)}/block`, { reason });
      expect(answer.status).to.equal(400);
      expect(await mainText(answer)).to.contain('Nothing was changed. Check the marked field.');
    }
    expect(await latest(user)).to.equal(undefined);
    expect(await service.db('blocks').where({ value: user.id })).to.deep.equal([]);
  });

  it('neither blocks operators nor creates links for them: they could act in the name of another', async () => {
    const other = await findOrCreateUser(service.db, 'operator@example.com', new Date());
    for (const action of ['block', 'link']) {
      const answer = await operator.post(`${pageOf(other)}/${action}`, {});
      expect(answer.status).to.equal(400);
      expect(await mainText(answer)).to.contain('Operators are managed on the command line');
    }
    expect(await service.db('sign_in_links')).to.deep.equal([]);
  });

  it('accepts no form without the token of its page, or from another site', async () => {
    const user = await newUser();
    const cases: [Record<string, string>, Record<string, string>][] = [
      [{ csrfToken: '' }, {}],
      [{ csrfToken: 'x'.repeat(43) }, {}],
      [{}, { Origin: 'https://evil.example' }],
      [{}, { 'Sec-Fetch-Site': 'cross-site' }],
    ];
    for (const [fields, headers] of cases)
      expect((await operator.post(`${pageOf(user)}/block`, fields, headers)).status).to.equal(403);
    expect(await service.db('blocks').where({ value: user.id })).to.deep.equal([]);
  });

  it('no longer opens for somebody who is no operator any more', async () => {
    const former = await signedInOperator(service, 'former@example.com');
    expect((await former.get('/admin/users')).status).to.equal(200);
    await service.db('users').where({ email: 'former@example.com' }).update({ is_admin: false });
    expect((await former.get('/admin/users')).status).to.equal(404);
    expect((await former.post('/admin/blocks', { kind: 'host', value: 'example.org' })).status).to.equal(404);
    expect(await service.db('blocks').where({ value: 'example.org' })).to.deep.equal([]);
  });
});
