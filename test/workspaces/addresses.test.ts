import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { workspaceAddresses } from '../../src/web/middleware/workspace-addresses.ts';
import { allRoutes } from '../hostile/routes.ts';
import { signedIn } from '../support/form-client.ts';
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

  it('cannot be shared by routes for members and others', () => {
    const member = { methods: ['GET'], path: '/codes', access: 'viewer' as const, handlers: [] };
    const other = { methods: ['GET'], path: '/codes/all', access: 'stranger' as const, handlers: [] };
    expect(() => workspaceAddresses([member, other])).to.throw('/codes/all is not');
  });
});
