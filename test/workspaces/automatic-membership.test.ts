import { expect } from 'chai';
import { findOrCreateUser, findUserByEmail } from '../../src/accounts/users.ts';
import { loadConfig } from '../../src/config.ts';
import { checkOpenIdWorkspace } from '../../src/doctor/openid.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { foundWithSlug } from '../../src/workspaces/founding.ts';
import { purgeReservedSlugs } from '../../src/workspaces/reserved-slugs.ts';
import { authorizationUrlOf, startOpenIdProvider, type TestProvider } from '../support/openid-provider.ts';
import { formClient, signedIn } from '../support/form-client.ts';
import { startService, type TestService } from '../support/service.ts';

describe('Automatic membership', () => {
  let provider: TestProvider;
  let service: TestService;
  before(async () => {
    provider = await startOpenIdProvider(['https://qr.test/signin/oidc/callback']);
    const workspace = { slug: 'staff', role: 'editor' } as const;
    const openId = { ...provider.config, domains: ['example.com'], workspace };
    service = await startService({ config: { openId } });
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  async function signIn(login: string): Promise<number> {
    provider.people.set(login, { email: `${login}@example.com`, email_verified: true });
    const client = formClient(service.url);
    await client.get('/signin');
    const url = authorizationUrlOf(await client.post('/signin/oidc', { next: '' }));
    const { pathname, search } = new URL(await provider.signIn(url, login));
    return (await client.get(pathname + search)).status;
  }

  /** The workspace that people join. */
  async function staff(): Promise<void> {
    if (await service.db('workspaces').where({ slug: 'staff' }).first()) return;
    const { id: userId } = await findOrCreateUser(service.db, 'operator@elsewhere.test', new Date());
    await foundWithSlug(service.db, { userId, name: 'Staff', slug: 'staff', now: new Date() });
  }

  async function rolesOf(login: string): Promise<Record<string, string>> {
    const { id } = await findUserByEmail(service.db, `${login}@example.com`);
    const rows = (await service
      .db('workspace_members AS member')
      .join('workspaces', 'workspaces.id', 'member.workspace_id')
      .where('member.user_id', id)
      .select('slug', 'role')) as { slug: string; role: string }[];
    return Object.fromEntries(rows.map(({ slug, role }) => [slug, role]));
  }

  it('is of those who first sign in with the provider, once, and a missing workspace keeps nobody out', async () => {
    const config = {
      ...loadConfig({}),
      openId: { ...provider.config, workspace: { slug: 'staff', role: 'editor' as const } },
    };
    expect(await signIn('early')).to.equal(303);
    expect(await rolesOf('early')).to.deep.equal({ early: 'owner' });
    expect(await checkOpenIdWorkspace(service.db, config))
      .to.have.property('finding')
      .that.contains('/w/staff');
    await staff();
    expect(await checkOpenIdWorkspace(service.db, config)).to.equal(false);
    expect(await signIn('joins')).to.equal(303);
    expect(await rolesOf('joins')).to.deep.equal({ joins: 'owner', staff: 'editor' });
    // Whoever was removed does not come back by signing in again.
    const { id } = await findUserByEmail(service.db, 'joins@example.com');
    await service.db('workspace_members').where({ user_id: id, role: 'editor' }).delete();
    expect(await signIn('joins')).to.equal(303);
    expect(await rolesOf('joins')).to.deep.equal({ joins: 'owner' });
  });

  it('is of a workspace that only an operator can create, before and after it is deleted', async () => {
    const founder = await signedIn(service, 'staff@elsewhere.test');
    await founder.get('/workspaces/new');
    const slugs = async () =>
      (await service.db('workspaces').whereLike('slug', 'staff%').pluck('slug')) as string[];
    const attempt = async () => {
      const made = await founder.post('/workspaces/new', { name: 'Staff' });
      expect(made.headers.get('Location')).to.match(/^\/w\/staff-[0-9a-f]{6}\/workspace$/);
    };
    await service.db('workspaces').where({ slug: 'staff' }).delete();
    await attempt();
    await staff();
    await service.db('workspaces').where({ slug: 'staff' }).delete();
    await purgeReservedSlugs(service.db, new Date(Date.now() + 91 * dayMs));
    await attempt();
    expect(await slugs())
      .to.have.length(3)
      .and.not.to.include('staff');
  });

  it('does not begin again for somebody who was removed, with an unlinked identity or another account', async () => {
    await staff();
    expect(await signIn('leaver')).to.equal(303);
    expect(await rolesOf('leaver')).to.deep.equal({ leaver: 'owner', staff: 'editor' });
    const { id } = await findUserByEmail(service.db, 'leaver@example.com');
    await service.db('workspace_members').where({ user_id: id, role: 'editor' }).delete();
    await service.db('identities').where({ user_id: id }).delete();
    expect(await signIn('leaver')).to.equal(303);
    expect(await rolesOf('leaver')).to.deep.equal({ leaver: 'owner' });
    await service.db('users').where({ id }).delete();
    expect(await signIn('leaver')).to.equal(303);
    expect((await findUserByEmail(service.db, 'leaver@example.com')).id).to.not.equal(id);
    expect(Object.values(await rolesOf('leaver'))).to.deep.equal(['owner']);
  });

  it('stays within the limit of members, and a full workspace keeps nobody out', async () => {
    await staff();
    const staffOf = () => service.db('workspaces').where({ slug: 'staff' });
    await staffOf().update({ limits: { members: 1 } });
    expect(await signIn('late')).to.equal(303);
    expect(Object.values(await rolesOf('late'))).to.deep.equal(['owner']);
    await staffOf().update({ limits: null });
    const { id } = await findUserByEmail(service.db, 'late@example.com');
    await service.db('identities').where({ user_id: id }).delete();
    expect(await signIn('late')).to.equal(303);
    expect(await rolesOf('late')).to.deep.equal({ late: 'owner', staff: 'editor' });
  });

  it('needs domains, a slug and a role that is not owner', () => {
    const env = {
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'qrelay',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_DOMAINS: 'example.com',
      OIDC_WORKSPACE: 'staff',
    };
    expect(loadConfig(env).openId?.workspace).to.deep.equal({ slug: 'staff', role: 'viewer' });
    for (const [change, message] of [
      [{ OIDC_WORKSPACE: 'No slug' }, 'OIDC_WORKSPACE must be'],
      [{ OIDC_DOMAINS: '' }, 'OIDC_WORKSPACE needs OIDC_DOMAINS'],
      [{ OIDC_WORKSPACE_ROLE: 'owner' }, 'OIDC_WORKSPACE_ROLE must be one of editor, viewer'],
      [{ OIDC_WORKSPACE: '', OIDC_WORKSPACE_ROLE: 'editor' }, 'OIDC_WORKSPACE_ROLE needs'],
    ] as const)
      expect(() => loadConfig({ ...env, ...change })).to.throw(message);
  });
});
