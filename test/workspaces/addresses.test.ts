import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { workspaceAddresses } from '../../src/web/middleware/workspace-addresses.ts';
import { allRoutes } from '../hostile/routes.ts';
import { apiClient } from '../support/api-client.ts';
import { partOf } from '../support/html.ts';
import { signedIn } from '../support/form-client.ts';
import { createCode } from '../support/share.ts';
import { hasWorkspace } from '../../src/workspaces/automatic-membership.ts';
import { changeSlug } from '../../src/workspaces/former-slugs.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { startService, type TestService } from '../support/service.ts';

describe('Addresses of a workspace', () => {
  let service: TestService;
  let cookie: string;
  before(async () => {
    service = await startService();
    const { cookies } = await signedIn(service, 'anna@example.com');
    await signedIn(service, 'agency@example.com');
    await signedIn(service, 'stranger@example.com');
    cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  });
  after(() => service.stop());

  /** Without `fetch`, which sets `Sec-Fetch-Mode` itself. */
  async function open(path: string, headers: Record<string, string> = {}) {
    const sent = get(service.url + path, { headers: { Cookie: cookie, Accept: 'text/html', ...headers } });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode: status, headers: received } = answer;
    return {
      status,
      location: received.location,
      cookies: received['set-cookie'] ?? [],
      html: await text(answer),
    };
  }
  const navigate = (path: string, more: Record<string, string> = {}) =>
    open(path, { 'Sec-Fetch-Mode': 'navigate', ...more });

  async function join(slug: string, role: string): Promise<void> {
    const { id } = await findUserByEmail(service.db, 'anna@example.com');
    const workspace = (await service.db('workspaces').where({ slug }).first()) as { id: string };
    await service
      .db('workspace_members')
      .insert({ workspace_id: workspace.id, user_id: id, role, joined_at: new Date() });
  }

  it('lead on from the addresses without one', async () => {
    for (const path of ['/codes', '/codes?search=a', '/keys', '/webhooks/new', '/codes/trash']) {
      const answer = await navigate(path);
      expect(answer.status, path).to.equal(303);
      expect(answer.location).to.equal(`/w/anna${path}`);
    }
    const root = await navigate('/w/anna');
    expect(root.location).to.equal('/w/anna/codes');
  });

  it('are those of all links and redirects of their pages', async () => {
    const page = (await navigate('/w/anna/codes')).html;
    const links = [...page.matchAll(/ (?:href|src|action|formaction)="([^"]*)"/g)].map(
      ([, link = '']) => link,
    );
    expect(links).to.include('/w/anna/codes/new');
    expect(links.filter((link) => /^\/(?:codes|keys|webhooks)/.test(link))).to.deep.equal([]);
    expect(links).to.include('/account');
  });

  it('answer 404 to whoever is not a member, as for a workspace that does not exist', async () => {
    for (const path of [
      '/w/stranger/codes',
      '/w/nobody/codes',
      '/w/agency/keys',
      '/w/ANNA/codes',
      '/w/anna%2f/codes',
    ])
      expect((await navigate(path)).status, path).to.equal(404);
  });

  it('exist for nothing but the pages of members', async () => {
    const others = allRoutes.filter(({ access }) => !/^(?:viewer|editor|owner)/.test(access));
    expect(others.length).to.be.greaterThan(50);
    for (const { method, path } of others) {
      const answer = await open(`/w/anna${path.replaceAll(/:\w+/g, '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11')}`);
      const expected = path === '/' ? 303 : 404;
      expect(answer.status, `${method} ${path}`).to.equal(expected);
    }
  });

  it('are kept by the sign-in', async () => {
    const answer = await open('/w/anna/codes/new?type=url', { Cookie: '' });
    expect(answer.location).to.equal(`/signin?next=${encodeURIComponent('/w/anna/codes/new?type=url')}`);
  });

  it('show each workspace of a person, with a menu to switch', async () => {
    expect((await navigate('/w/anna/codes')).html).not.to.contain('class="menu switcher"');
    await join('agency', 'viewer');
    const page = await navigate('/w/agency/codes');
    const { html } = page;
    expect(html).to.contain('class="menu switcher"');
    expect(html).to.contain('href="/w/anna/codes"');
    expect((await navigate('/w/agency/keys')).status).to.equal(403);
    expect((await navigate('/w/anna/keys')).status).to.equal(200);
    // A browser that showed it returns to it.
    const kept = { Cookie: `${cookie}; ${page.cookies.map((each) => each.split(';')[0]).join('; ')}` };
    expect((await navigate('/codes', kept)).location).to.equal('/w/agency/codes');
    expect((await navigate('/account', kept)).html).to.contain('href="/w/agency/codes"');
    // A program that sends no such header means its own.
    expect((await open('/keys', kept)).status).to.equal(200);
    await service.db('workspace_members').where({ role: 'viewer' }).delete();
    expect((await navigate('/w/agency/codes')).status).to.equal(404);
    expect((await navigate('/codes', kept)).location).to.equal('/w/anna/codes');
  });

  it('of a code in an old link are those of its workspace, for its members', async () => {
    await join('agency', 'viewer');
    const codeIn = async (email: string) =>
      (await createCode(apiClient(service.url, await service.makeKey({ email })))).id;
    const [own, shared, strange] = [
      await codeIn('anna@example.com'),
      await codeIn('agency@example.com'),
      await codeIn('stranger@example.com'),
    ];
    expect((await navigate(`/codes/${own}?a=b`)).location).to.equal(`/w/anna/codes/${own}?a=b`);
    expect((await navigate(`/codes/${shared}/edit`)).location).to.equal(`/w/agency/codes/${shared}/edit`);
    expect((await navigate(`/codes/${strange}`)).location).to.equal(`/w/anna/codes/${strange}`);
    await service.db('workspace_members').where({ role: 'viewer' }).delete();
    expect((await navigate(`/codes/${shared}`)).location).to.equal(`/w/anna/codes/${shared}`);
  });

  it('stand in the error of a key that lacks a scope', async () => {
    const owner = await signedIn(service, 'agency@example.com');
    await owner.get('/keys');
    await owner.post('/keys', { name: 'Reader', access: 'some', 'scope-read': 'on' });
    const key = /qrl_[\w]+/.exec(await (await owner.get('/keys/created')).text())?.[0] ?? '';
    const { status, body } = await apiClient(service.url, key)('/webhooks');
    expect(status).to.equal(403);
    expect(JSON.stringify(body)).to.contain('/w/agency/keys');
  });

  it('are changed by owners, lead on from the former one, and are kept from others meanwhile', async () => {
    const { id } = await findUserByEmail(service.db, 'agency@example.com');
    const owner = await signedIn(service, 'agency@example.com');
    const rename = (slug: string, from: string) => owner.post(`/w/${from}/workspace/address`, { slug });
    await owner.get('/w/agency/workspace');
    for (const wrong of ['', 'admin', 'anna', 'a b', '-a', 'a-', 'é', 'x'.repeat(41)]) {
      const refused = await rename(wrong, 'agency');
      expect(refused.status, wrong).to.equal(400);
      expect(await refused.text()).to.contain('The address was not changed.');
    }
    const moved = await rename(' Kestrel ', 'agency');
    expect(moved.headers.get('Location')).to.equal('/w/kestrel/workspace');
    expect(await (await owner.get('/w/kestrel/workspace')).text()).to.contain('The address was changed.');

    await join('kestrel', 'viewer');
    expect((await navigate('/w/agency/codes?search=a')).location).to.equal('/w/kestrel/codes?search=a');
    // A form that was opened before is saved, and its redirect has the new address.
    const renamed = await owner.post('/w/agency/workspace/name', { name: 'Kestrel' });
    expect(renamed.headers.get('Location')).to.equal('/w/kestrel/workspace');
    await service.db('workspace_members').where({ role: 'viewer' }).delete();
    const [former, unknown] = [await navigate('/w/agency/codes'), await navigate('/w/nobody/codes')];
    expect([former.status, former.location]).to.deep.equal([404, undefined]);
    expect(partOf(former.html, 'main')).to.equal(partOf(unknown.html, 'main'));
    expect(former.html).to.contain('href="/w/anna/codes"').and.not.contain('/w/agency');

    const others = await signedIn(service, 'agency@other.example');
    await others.get('/workspaces/new');
    const made = await others.post('/workspaces/new', { name: 'Agency' });
    expect(made.headers.get('Location')).to.match(/^\/w\/agency-[0-9a-f]{6}\/workspace$/);
    const slugs = (await service.db('workspaces').whereLike('slug', 'agency%').select('slug')) as {
      slug: string;
    }[];
    expect(slugs.map(({ slug }) => slug)).not.to.include('agency');

    const changes = (await service
      .db('changes')
      .where({ workspace_id: id, kind: 'workspace' })
      .whereRaw("after ->> 'slug' IS NOT NULL")) as { before: unknown; after: unknown; actorName: unknown }[];
    expect(changes).to.have.length(1);
    expect(changes[0]).to.deep.include({ before: { slug: 'agency' }, after: { slug: 'kestrel' } });
  });

  it('of before are at most five, and the one of another owner cannot be taken', async () => {
    const workspace = await findUserByEmail(service.db, 'stranger@example.com');
    const id = ownWorkspaceId(workspace);
    const change = (slug: string, now = new Date()) => changeSlug(service.db, id, slug, now);
    expect(await change('stranger')).to.equal('unchanged');
    for (const number of [1, 2, 3, 4, 5, 6])
      expect(await change(`stranger-${number}`, new Date(number * 1_000))).to.equal('changed');
    const former = async () =>
      (await service
        .db('former_slugs')
        .where({ workspace_id: id })
        .orderBy('slug')
        .pluck('slug')) as string[];
    expect(await former()).to.deep.equal([1, 2, 3, 4, 5].map((number) => `stranger-${number}`));
    // Back to one of them: it is not former any more.
    expect(await change('stranger-3')).to.equal('changed');
    expect(await former()).to.deep.equal([1, 2, 4, 5, 6].map((number) => `stranger-${number}`));
    const own = ownWorkspaceId(await findUserByEmail(service.db, 'anna@example.com'));
    for (const taken of ['stranger-3', 'stranger-4'])
      expect(await changeSlug(service.db, own, taken, new Date())).to.equal('taken');
    expect(await changeSlug(service.db, own, 'stranger', new Date())).to.equal('changed');
    expect(await hasWorkspace(service.db, 'anna')).to.equal(true);
    expect(await hasWorkspace(service.db, 'no-such-slug')).to.equal(false);
    expect(await changeSlug(service.db, own, 'anna', new Date())).to.equal('changed');
  });

  it('are told apart by the title of the window and in the menu, by those who have several', async () => {
    const titleOf = (html: string) => /<title>(.*)<\/title>/.exec(html)?.[1];
    expect(titleOf((await navigate('/w/anna/codes')).html)).to.equal('QR codes · Qrelay');
    const { slug } = (await service
      .db('workspaces')
      .where({ id: (await findUserByEmail(service.db, 'agency@example.com')).id })
      .first('slug')) as { slug: string };
    await join(slug, 'viewer');
    await service.db('workspaces').where({ slug }).update({ name: 'anna' });
    const { html } = await navigate(`/w/${slug}/codes`);
    expect(titleOf(html)).to.equal('QR codes · anna · Qrelay');
    const menu = /<details class="menu switcher">.*?<\/details>/.exec(html)?.[0] ?? '';
    expect(menu).to.contain('<small>anna</small>').and.contain(`<small>${slug}</small>`);
    expect(menu).to.contain('title="anna"').and.contain('href="/workspaces/new"');
    const account = await navigate('/account');
    expect(titleOf(account.html)).to.equal('Account · Qrelay');
    for (const each of ['anna', slug])
      expect(partOf(account.html, 'main')).to.contain(`<a href="/w/${each}/workspace"><bdi>anna</bdi></a>`);
    await service.db('workspace_members').where({ role: 'viewer' }).delete();
  });

  it('cannot be shared by routes for members and others', () => {
    const member = { methods: ['GET'], path: '/codes', access: 'viewer' as const, handlers: [] };
    const other = { methods: ['GET'], path: '/codes/all', access: 'stranger' as const, handlers: [] };
    expect(() => workspaceAddresses([member, other])).to.throw('/codes/all is not');
  });
});
