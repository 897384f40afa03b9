import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { blockAccount, unblockAccount } from '../../src/accounts/account-blocks.ts';
import { countAccess, createApiKey, revokeAccess } from '../../src/accounts/api-keys.ts';
import { hashPassword } from '../../src/accounts/password-hash.ts';
import { findUserByEmail, type User } from '../../src/accounts/users.ts';
import { saveBrand } from '../../src/codes/brand.ts';
import { defaultLimits } from '../../src/limits.ts';
import { deleteUser, deleteWorkspace, LastOwnerError } from '../../src/accounts/deletion.ts';
import { foundWorkspace } from '../../src/workspaces/founding.ts';
import { keysAndWebhooksOf } from '../../src/workspaces/made-by.ts';
import type { Role } from '../../src/workspaces/members.ts';
import { purgeReservedSlugs } from '../../src/workspaces/reserved-slugs.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { sqlState } from '../../src/store/database.ts';
import { slugOf } from '../../src/workspaces/slug.ts';
import {
  findWorkspace,
  ownWorkspaceId,
  setPlan,
  Workspace,
  type WorkspaceId,
} from '../../src/workspaces/workspace.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type FormClient, signedIn } from '../support/form-client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { partOf } from '../support/html.ts';
import { mainText } from '../support/operator.ts';
import { startService, type TestService } from '../support/service.ts';

const password = 'correct horse battery';

describe('Workspaces', function () {
  this.timeout(60_000);
  let service: TestService;
  let mails: MailServer;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config } });
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  async function person(name: string): Promise<FormClient & { user: User; own: WorkspaceId }> {
    const email = `${name}@example.com`;
    const client = await signedIn(service, email);
    await service
      .db('users')
      .where({ email })
      .update({ password_hash: hashPassword(password), confirmed_email: email });
    const user = await findUserByEmail(service.db, email);
    return { ...client, user, own: ownWorkspaceId(user) };
  }

  const join = (workspace: WorkspaceId, { id }: User, role: Role) =>
    service
      .db('workspace_members')
      .insert({ workspace_id: workspace, user_id: id, role, joined_at: new Date() })
      .onConflict(['workspace_id', 'user_id'])
      .merge(['role']);

  async function newCode(key: string) {
    const body = { name: 'Menu', content: 'https://example.com/menu' };
    const { body: made } = await apiClient(service.url, key)('/qrcodes', { method: 'POST', body });
    return made as { id: string; shareUrl: string };
  }
  const scan = (shareUrl: string) =>
    fetch(service.url + new URL(shareUrl).pathname, { redirect: 'manual' }).then(({ status }) => status);

  it('are founded with a slug of their name, as many as a person may own, also at the same moment', async () => {
    const anna = await person('anna');
    await anna.get('/workspaces/new');
    const made = await anna.post('/workspaces/new', { name: ' Café  Zürich ' });
    expect(made.headers.get('Location')).to.equal('/w/cafe-zurich/workspace');
    expect(await mainText(await anna.get('/w/cafe-zurich/workspace'))).to.contain('Café Zürich');
    const again = await anna.post('/workspaces/new', { name: 'Admin' });
    expect(again.headers.get('Location')).to.match(/^\/w\/admin-[0-9a-f]{6}\/workspace$/);
    const refused = await anna.post('/workspaces/new', { name: 'One more' });
    expect(refused.status).to.equal(400);
    expect(await mainText(refused)).to.contain('may own 3');
    const ben = await person('ben');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        foundWorkspace(service.db, { userId: ben.user.id, name: 'Ben', now: new Date() }, defaultLimits),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(2);
    await setPlan(service.db, ben.own, 'pro');
    expect((await ben.get('/workspaces/new')).status).to.equal(200);
    for (const name of ['', 'x'.repeat(61), 'a\u202Eb'])
      expect((await ben.post('/workspaces/new', { name })).status, name).to.equal(400);
  });

  it('are founded ten times an hour, however many of them are deleted again', async () => {
    const carl = await person('carl');
    const found = () => carl.post('/workspaces/new', { name: 'Short lived' });
    await carl.get('/workspaces/new');
    for (let number = 0; number < 10; number += 1) {
      const made = await found();
      expect(made.status).to.equal(303);
      const slug = /^\/w\/([^/]+)/.exec(made.headers.get('Location') ?? '')?.[1];
      await service.db('workspaces').where({ slug }).delete();
    }
    const refused = await found();
    expect(refused.status).to.equal(429);
    expect(await mainText(refused)).to.contain('10 workspaces an hour');
  });

  it('have no slug that is reserved, nor that of a workspace that was deleted in the last 90 days', async () => {
    const support = await person('support');
    expect((await findWorkspace(service.db, support.own)).slug).to.match(/^support-[0-9a-f]{6}$/);
    const dora = await person('dora');
    const now = new Date();
    const found = () =>
      foundWorkspace(service.db, { userId: dora.user.id, name: 'Bakery', now }, defaultLimits);
    const first = await found();
    expect(first.slug).to.equal('bakery');
    await deleteWorkspace(service.db, first.id);
    expect((await found()).slug).to.match(/^bakery-[0-9a-f]{6}$/);
    await purgeReservedSlugs(service.db, new Date(now.getTime() + 89 * dayMs));
    await expectTaken('bakery');
    await purgeReservedSlugs(service.db, new Date(now.getTime() + 91 * dayMs));
    expect((await found()).slug).to.equal('bakery');

    async function expectTaken(slug: string): Promise<void> {
      const renamed = service.db('workspaces').where({ id: dora.own }).update({ slug });
      expect(await renamed.then(() => 'renamed', sqlState)).to.equal('23505');
    }
  });

  it('have slugs that an address can contain, whatever the name contains', () => {
    for (const [name, slug] of [
      ['Ünïted & Sons!', 'united-sons'],
      ['咖啡', 'workspace'],
      ['--', 'workspace'],
      [`${'a'.repeat(29)} b`, 'a'.repeat(29)],
    ] as const)
      expect(slugOf(name)).to.equal(slug);
  });

  it('are renamed and shown by role, and deleted with everything in them, of which the others are told', async () => {
    const [owner, viewer] = [await person('olga'), await person('victor')];
    const key = await createApiKey(service.db, owner.own, 'Till', new Date());
    const code = await newCode(key);
    expect(await scan(code.shareUrl)).to.equal(302);
    await join(owner.own, viewer.user, 'viewer');
    await owner.get('/w/olga/workspace');
    expect(
      (await owner.post('/w/olga/workspace/name', { name: 'Olga & Co: evil.com/login' })).status,
    ).to.equal(303);
    expect((await owner.post('/w/olga/workspace/name', { name: '' })).status).to.equal(400);
    const seen = await mainText(await viewer.get('/w/olga/workspace'));
    expect(seen).to.contain('Olga & Co').and.to.contain('You are a viewer');
    expect(seen).not.to.contain('Change address').and.not.to.contain('contact the operator');
    expect(seen).not.to.contain('Till').and.not.to.contain('Delete workspace');
    const fields = { confirmation: 'Olga & Co: evil.com/login', deletePassword: password };
    await viewer.get('/w/olga/workspace');
    expect((await viewer.post('/w/olga/workspace/delete', fields)).status).to.equal(403);
    for (const wrong of [
      { ...fields, confirmation: 'olga' },
      { ...fields, deletePassword: 'wrong' },
    ])
      expect((await owner.post('/w/olga/workspace/delete', wrong)).status).to.equal(400);
    expect(await scan(code.shareUrl)).to.equal(302);
    const deleted = await owner.post('/w/olga/workspace/delete', fields);
    expect(deleted.headers.get('Location')).to.equal('/workspaces/new');
    expect(await scan(code.shareUrl)).to.equal(404);
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(401);
    expect(await Workspace.query(service.db).findById(owner.own)).to.equal(undefined);
    const [mail] = await mails.mailsTo('victor@example.com');
    expect(mail?.headers['subject']).to.equal('A workspace was deleted');
    expect(mail?.text).to.contain('deleted the workspace “Olga & Co evil com login”');
    expect(mail?.text).not.to.contain('evil.com');
    await eventually(async () => expect(await mails.mailsTo('victor@example.com')).to.have.length(1));

    // The account stays, and every page leads to a new workspace.
    const Cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Cookie, Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };
    for (const path of ['/codes', '/keys', '/w/olga/codes']) {
      const [answer] = (await once(get(service.url + path, { headers }), 'response')) as [IncomingMessage];
      answer.resume();
      expect(answer.headers.location, path).to.equal('/workspaces/new');
    }
    const header = partOf(await (await owner.get('/account')).text(), 'header');
    expect(header).to.contain('href="/workspaces/new"').and.contain('href="/docs"');
    for (const path of ['/codes', '/keys', '/webhooks', '/workspace"'])
      expect(header).not.to.contain(`href="${path}`);
    for (const path of ['/account', '/account/security', '/account/data.json', '/workspaces/new'])
      expect((await owner.get(path)).status, path).to.equal(200);
    await deleteUser(service.db, owner.user);
  });

  it('outlive the account of their founder, who has handed them over', async () => {
    const [founder, heir] = [await person('fred'), await person('hanna')];
    const workspace = founder.own;
    await setPlan(service.db, workspace, 'pro');
    const maker = { id: founder.user.id, email: founder.user.email };
    const grant = { scopes: null, expiresAt: null };
    const key = await createApiKey(service.db, workspace, 'Till', new Date(), grant, maker);
    const code = await newCode(key);
    await saveBrand(
      service.db,
      workspace,
      { foregroundColor: '#000000', backgroundColor: '#ffffff', pageColor: null, logo: null },
      new Date(),
    );
    await join(workspace, heir.user, 'editor');
    await founder.get('/account');
    const fields = { confirmation: founder.user.email, deletePassword: password };
    const refused = await founder.post('/account/delete', fields);
    expect(refused.status).to.equal(400);
    expect(await mainText(refused))
      .to.contain('“fred”')
      .and.to.contain('Make one of them an owner');
    expect(await deleteUser(service.db, founder.user).catch((error: unknown) => error)).to.be.instanceOf(
      LastOwnerError,
    );
    await join(workspace, heir.user, 'owner');
    expect((await founder.post('/account/delete', fields)).status).to.equal(303);
    const left = (await service.db('users').where({ id: founder.user.id })) as unknown[];
    expect(left).to.deep.equal([]);

    expect(await scan(code.shareUrl)).to.equal(302);
    const api = apiClient(service.url, key);
    expect((await api('/qrcodes')).status).to.equal(200);
    expect((await newCode(key)).id).to.be.a('string');
    const account = (await api('/account')).body as { plan: string; use: { codes: number } };
    expect(account.plan).to.equal('pro');
    expect(account.use.codes).to.equal(2);
    await setPlan(service.db, workspace, 'free');
    await eventually(async () => {
      const [counted] = (await service.db('scan_counters').where({ qr_code_id: code.id })) as unknown[];
      expect(counted).not.to.equal(undefined);
    });
    const keys = await mainText(await heir.get('/w/fred/keys'));
    expect(keys).to.contain('fred@example.com created this and is no longer an owner here.');
    const { keys: known } = await keysAndWebhooksOf(service.db, workspace, founder.user.id);
    expect(known.map(({ name }) => name)).to.deep.equal(['Till']);
  });

  it('are left by a person who deletes the account, and go with it where nobody else is a member', async () => {
    const [leaver, other] = [await person('lena'), await person('otto')];
    await join(other.own, leaver.user, 'editor');
    const alone = await foundWorkspace(
      service.db,
      { userId: leaver.user.id, name: 'Side', now: new Date() },
      defaultLimits,
    );
    const code = await newCode(await createApiKey(service.db, alone.id, 'Side', new Date()));
    await deleteUser(service.db, leaver.user);
    expect(await Workspace.query(service.db).findByIds([alone.id, leaver.own])).to.deep.equal([]);
    expect(await service.db('workspace_members').where({ workspace_id: other.own })).to.have.length(1);
    expect(await service.db('qr_codes').where({ id: code.id })).to.deep.equal([]);
  });

  it('lose only what a person has made, where others own them, when the address is somebody else’s', async () => {
    const [claimed, other] = [await person('clara'), await person('oscar')];
    await join(claimed.own, other.user, 'owner');
    await createApiKey(service.db, claimed.own, 'Old', new Date());
    const grant = { scopes: null, expiresAt: null };
    await createApiKey(service.db, claimed.own, 'Hers', new Date(), grant, claimed.user);
    expect(await countAccess(service.db, claimed.user.id)).to.deep.equal({ keys: 1, webhooks: 0 });
    expect(await revokeAccess(service.db, claimed.user.id, new Date())).to.deep.equal({
      keys: 1,
      webhooks: 0,
    });
  });

  it('are blocked with their only owner and alone, and their members are told', async () => {
    const [blocked, partner] = [await person('boris'), await person('paula')];
    const shared = await foundWorkspace(
      service.db,
      { userId: blocked.user.id, name: 'Shared', now: new Date() },
      defaultLimits,
    );
    await join(shared.id, partner.user, 'owner');
    const [own, common] = await Promise.all(
      [blocked.own, shared.id].map((id) => createApiKey(service.db, id, 'Till', new Date())),
    );
    const status = async (key = '') => (await apiClient(service.url, key)('/qrcodes')).status;
    await blockAccount(service.db, blocked.user.id, null, new Date());
    expect([await status(own), await status(common)]).to.deep.equal([401, 200]);
    await unblockAccount(service.db, blocked.user.id);
    expect(await status(own)).to.equal(200);

    const operator = await person('operator');
    await service.db('users').where({ id: operator.user.id }).update({ is_admin: true });
    const page = `/admin/workspaces/${shared.id}`;
    expect(await mainText(await operator.get(page))).to.contain('paula@example.com');
    expect((await operator.post(`${page}/block`, { reason: 'Abuse' })).status).to.equal(303);
    expect(await status(common)).to.equal(401);
    // The page of operators is not about the workspace that they showed last.
    await join(shared.id, operator.user, 'viewer');
    await service.db('workspace_members').where({ workspace_id: operator.own }).delete();
    for (const path of [page, '/admin', '/account'])
      expect(await mainText(await operator.get(path)), path).not.to.contain('This workspace is blocked');
    expect(await mainText(await operator.get('/w/shared/codes'))).to.contain('also new ones');
    expect(await mainText(await partner.get('/w/shared/codes'))).to.contain('This workspace is blocked');
    expect((await operator.post(`${page}/unblock`, {})).status).to.equal(303);
    expect((await operator.post(`${page}/plan`, { plan: 'pro' })).status).to.equal(303);
    expect((await operator.post(`${page}/limits`, { codes: '7' })).status).to.equal(303);
    expect(await Workspace.query(service.db).findById(shared.id)).to.deep.include({
      plan: 'pro',
      limits: { codes: 7 },
    });
    expect(await status(common)).to.equal(200);
    for (const id of ['x', shared.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')), '%00'])
      expect((await operator.get(`/admin/workspaces/${id}`)).status, id).to.equal(404);
  });
});
