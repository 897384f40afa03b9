import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { hasRole, type Role, roles } from '../../src/workspaces/members.ts';
import { allRoutes } from '../hostile/routes.ts';
import { startService, type TestService } from '../support/service.ts';
import { signedIn } from '../support/form-client.ts';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { hasId, idKind, type IdKind, isOfContacts } from '../hostile/route-requests.ts';
import { type Tenant, tenants } from '../hostile/tenants.ts';

const refusal = 'of this workspace can do this';
const neededBy = (access: string) => roles.find((role) => access.replace(/ or demo$/, '') === role);
const memberRoutes = allRoutes.flatMap(({ method, path, access }) => {
  const needed = neededBy(access);
  return needed && method !== 'HEAD' ? [{ method, path, needed }] : [];
});

const people = [...roles, 'removed', 'stranger', 'signed out'] as const;
type Answer = 'let in' | 'refused' | 'not found' | 'asked to sign in';

/** What the table of rights says. */
function expectedAnswer(who: (typeof people)[number], needed: Role): Answer {
  if (who === 'signed out') return 'asked to sign in';
  if (who === 'removed' || who === 'stranger') return 'not found';
  return hasRole(who, needed) ? 'let in' : 'refused';
}

describe(`The pages of a workspace (${memberRoutes.length} routes)`, () => {
  let service: TestService;
  let team: string;
  before(async () => {
    service = await startService();
    await signedIn(service, 'team@example.com');
    team = (await findUserByEmail(service.db, 'team@example.com')).id;
  });
  after(() => service.stop());

  async function cookieOf(who: (typeof people)[number]): Promise<string> {
    if (who === 'signed out') return '';
    const email = `${who}@example.com`;
    const { cookies } = await signedIn(service, email);
    const { id } = await findUserByEmail(service.db, email);
    if (who !== 'stranger') {
      const role = who === 'removed' ? 'owner' : who;
      await service
        .db('workspace_members')
        .insert({ workspace_id: team, user_id: id, role, joined_at: new Date() });
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (who === 'removed') {
      expect(await answerTo(cookie, 'GET', '/keys')).to.equal('let in');
      await service.db('workspace_members').where({ user_id: id, workspace_id: team }).delete();
    }
    return cookie;
  }

  /** Without a CSRF token: whoever passes the guard changes nothing. */
  async function answerTo(cookie: string, method: string, path: string, below = '/w/team'): Promise<Answer> {
    const address = path.replaceAll(/:\w+/g, '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11');
    const headers = { Cookie: cookie, Accept: 'text/html' };
    const stop = new AbortController();
    const answer = await fetch(service.url + below + address, {
      method,
      headers,
      redirect: 'manual',
      signal: stop.signal,
    });
    const isRead = answer.status >= 400;
    const html = isRead ? await answer.text() : '';
    stop.abort();
    if (answer.status === 303 && answer.headers.get('Location')?.startsWith('/signin?'))
      return 'asked to sign in';
    if (answer.status === 404 && html.includes('There is nothing at this address.')) return 'not found';
    if (answer.status === 403 && html.includes(refusal)) return 'refused';
    return 'let in';
  }

  for (const who of people)
    it(`are for somebody who is ${who} what the table of rights says`, async () => {
      const cookie = await cookieOf(who);
      const answers: string[] = [];
      for (const { method, path } of memberRoutes)
        answers.push(`${method} ${path}: ${await answerTo(cookie, method, path)}`);
      expect(answers).to.deep.equal(
        memberRoutes.map(({ method, path, needed }) => `${method} ${path}: ${expectedAnswer(who, needed)}`),
      );
    });

  describe('see on no page what they would be refused', () => {
    /** Documentation names the pages that others have. */
    const isShown = (path: string) => !path.startsWith('/docs');
    const pages = allRoutes.filter(
      ({ method, access, path }) =>
        method === 'GET' && (neededBy(access) ?? access) !== 'key' && isPage(path) && isShown(path),
    );

    for (const role of roles)
      it(`as ${role}s`, async () => {
        const world = tenants(service);
        const person = await world.join(`pages-${role}@example.com`);
        const ids = await makeOneOfEach(world, person);
        const { cookies } = await signedIn(service, person.user.email);
        await service.db('workspace_members').where({ user_id: person.user.id }).update({ role });
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const offered = new Map<string, string>();
        let opened = 0;
        for (const route of pages) {
          const kind = isOfContacts(route) ? 'contact' : hasId(route) && idKind(route);
          const id = kind ? ids[kind] : undefined;
          for (const path of [route.path.replace(':id', id ?? ':id'), ...(others[route.path]?.(ids) ?? [])]) {
            const answer = await fetch(service.url + path, {
              headers: { Cookie: cookie, Accept: 'text/html' },
            });
            const html = await answer.text();
            if (answer.ok) opened += 1;
            for (const each of controlsOf(html)) offered.set(each, path);
          }
        }
        const refused: string[] = [];
        for (const [control, page] of offered) {
          const [method = '', path = ''] = control.split(' ');
          if ((await answerTo(cookie, method, path, '')) === 'refused') refused.push(`${control} on ${page}`);
        }
        expect(refused).to.deep.equal([]);
        expect(opened).to.be.above({ owner: 40, editor: 36, viewer: 15 }[role]);
        const canEdit = role !== 'viewer';
        expect(offered.has('GET /codes/new'), 'new code').to.equal(canEdit);
        expect(offered.has(`POST /codes/${ids.code}/favorite`), 'favorite').to.equal(canEdit);
        expect(offered.has('GET /webhooks'), 'webhooks').to.equal(canEdit);
        expect(offered.has('GET /keys'), 'keys').to.equal(role === 'owner');
      });
  });

  type Ids = Record<IdKind | 'contact' | 'private' | 'expired', string>;

  /** Pages that show other controls than the route with its first id. */
  const others: Record<string, (ids: Ids) => string[]> = {
    '/codes/:id': (ids) => [`/codes/${ids.private}`, `/codes/${ids.expired}`, `/codes/${ids.trashed}`],
    '/codes': () => ['/codes?q=nothing+has+this+name'],
    '/codes/styles/apply': (ids) => [`/codes/styles/apply?code=${ids.code}`],
    '/codes/selection': (ids) => [`/codes/selection?code=${ids.code}`],
    // Error pages have the navigation, too.
    '/keys': () => ['/codes/01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11'],
  };

  async function makeOneOfEach(world: ReturnType<typeof tenants>, person: Tenant): Promise<Ids> {
    const make = async (fields = {}) => (await world.makeCode(person, fields)).code.id;
    const [code, trashed, ofPrivate, expired] = [await make(), await make(), await make(), await make()];
    await trashCode(service.db, ownWorkspaceId(person.user), trashed, defaultLimits);
    await service.db('qr_codes').where({ id: ofPrivate }).update({ is_public: false });
    const past = new Date(Date.now() - 1_000);
    await service.db('qr_codes').where({ id: expired }).update({ expires_at: past });
    const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Somebody\nEND:VCARD';
    return {
      code,
      trashed,
      private: ofPrivate,
      expired,
      contact: await make({ type: 'vcard', content: vcard }),
      key: person.keyId,
      logo: await world.makeLogo(person),
      member: await world.makeMember(person),
      invitation: await world.makeInvitation(person),
      ...(await world.makeStyle(person, code)),
      ...(await world.makeWebhook(person)),
    };
  }
});

/** Not a picture, a file, a stream, or a link of a mail. */
function isPage(path: string): boolean {
  return !/\.(?:svg|png|pdf|zip|csv|json|webmanifest|:format)$|events|\/picture|\/download|\/oidc|:token|^\/(?:assets|brand|healthz|readyz|metrics|admin|demo|ui)\b/.test(
    path,
  );
}

/** Where the links of a page lead, and where its forms are sent. */
function controlsOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]* href="(\/[^"#?]*)/g)].map(([, path]) => `GET ${path}`);
  const forms = [...html.matchAll(/<(form|button)\b([^>]*)>/g)].flatMap(([, , attributes = '']) => {
    const path = /(?:^| |form)action="(\/[^"#?]*)/.exec(attributes)?.[1];
    return path ? [`${/method="post"/.test(attributes) ? 'POST' : 'GET'} ${path}`] : [];
  });
  return [...links, ...forms].filter((each) => !/^(?:POST \/signout|GET \/(?:assets|docs|r)\b)/.test(each));
}
