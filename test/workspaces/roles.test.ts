import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { requestExport } from '../../src/accounts/account-exports.ts';
import { setAdmin } from '../../src/accounts/users.ts';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import { isForMembers } from '../../src/web/routes.ts';
import { hasRole, type Role, roles } from '../../src/workspaces/members.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { addressOf, hasId, idKind, type IdKind, isOfContacts, sentTo } from '../hostile/route-requests.ts';
import { allRoutes, type Route } from '../hostile/routes.ts';
import { type Answer, type Tenant, tenants } from '../hostile/tenants.ts';
import { startService, type TestService } from '../support/service.ts';
import { quickImages } from '../support/shared-threads.ts';
import { needsOf, rights } from './rights.ts';

const memberRoutes = allRoutes.filter(({ method, access }) => isForMembers(access) && method !== 'HEAD');
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;
const contact = { type: 'vcard' as const, content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Somebody\nEND:VCARD' };

const people = [...roles, 'removed', 'stranger', 'operator', 'signed out'] as const;
type Who = (typeof people)[number];

/** What the table of rights says. */
function expectedAnswer(who: Who, needs: Role | undefined): string {
  if (who === 'signed out') return 'asked to sign in';
  if (who === 'removed' || who === 'stranger' || who === 'operator') return 'nothing at this address';
  return needs && hasRole(who, needs) ? 'done' : 'refused';
}

describe('The table of rights', () => {
  it('has every route of a workspace once, with the role that it declares', () => {
    const declared = memberRoutes.map((route) => [nameOf(route), route.access.replace(' or demo', '')]);
    const written = rights.flatMap(({ needs, routes }) => routes.map((route) => [route, needs]));
    expect(written.map(String).toSorted()).to.deep.equal(declared.map(String).toSorted());
  });

  it('is that of docs/roles.md', async () => {
    const text = await readFile(new URL('../../docs/roles.md', import.meta.url), 'utf8');
    const mark = (role: Role, needs: Role) => (hasRole(role, needs) ? '✔' : '–');
    const rows = rights.map(
      ({ section, action, needs }) =>
        `| ${section} | ${action} | ${roles.map((role) => mark(role, needs)).join(' | ')} |`,
    );
    const table = ['| Section | Action | Owner | Editor | Viewer |', '| - | - | - | - | - |', ...rows];
    // Columns are padded to the same width.
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(lines.map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-'))).to.deep.equal(table);
  });
});

describe(`The pages of a workspace (${memberRoutes.length} routes)`, () => {
  let service: TestService;
  let world: ReturnType<typeof tenants>;
  let team: Tenant;
  /** What is only read, or refused. */
  const shared = new Map<string, Promise<{ code: Made; id: string }>>();
  type Made = Awaited<ReturnType<typeof world.makeCode>>['code'];
  before(async () => {
    service = await startService(quickImages);
    world = tenants(service);
    team = await world.join('team@example.com');
  });
  after(() => service.stop());

  async function setRole({ user }: Tenant, role: Role): Promise<void> {
    await service
      .db('workspace_members')
      .insert({ workspace_id: team.user.id, user_id: user.id, role, joined_at: new Date() })
      .onConflict(['workspace_id', 'user_id'])
      .merge(['role']);
  }

  async function join(who: Who): Promise<Tenant | undefined> {
    if (who === 'signed out') return undefined;
    const person = await world.join(`${who}@example.com`);
    if (who === 'operator') await setAdmin(service.db, person.user, true, new Date());
    if (who !== 'removed') return person;
    await setRole(person, 'owner');
    expect((await world.ask({ method: 'GET', path: '/w/team/keys', as: person })).status).to.equal(200);
    await service
      .db('workspace_members')
      .where({ user_id: person.user.id, workspace_id: team.user.id })
      .delete();
    return person;
  }

  async function makeId(kind: IdKind, codeId: string): Promise<string> {
    const own = ownWorkspaceId(team.user);
    switch (kind) {
      case 'code':
        return codeId;
      case 'trashed':
        return (await trashCode(service.db, own, codeId, defaultLimits)).id;
      case 'key':
        return world.makeKey(team);
      case 'logo':
        return world.makeLogo(team);
      case 'member':
        return world.makeMember(team);
      case 'invitation':
        return world.makeInvitation(team);
      case 'style':
      case 'application':
        return (await world.makeStyle(team, codeId))[kind];
      case 'webhook':
      case 'delivery':
        return (await world.makeWebhook(team))[kind];
    }
  }

  async function make(route: Route): Promise<{ code: Made; id: string }> {
    const { code } = await world.makeCode(team, isOfContacts(route) ? contact : {});
    return { code, id: hasId(route) ? await makeId(idKind(route), code.id) : code.id };
  }

  /** A subject of its own for what may change it. */
  function subjectOf(route: Route, isChanged: boolean): Promise<{ code: Made; id: string }> {
    if (isChanged) return make(route);
    const kind = `${hasId(route) ? idKind(route) : ''} ${isOfContacts(route)}`;
    const made = shared.get(kind) ?? make(route);
    shared.set(kind, made);
    return made;
  }

  async function prepareExport(): Promise<void> {
    await requestExport(service.db, ownWorkspaceId(team.user), new Date());
    const build = { build_id: team.user.id, bytes: 0, built_at: new Date(), failed_at: null };
    await service.db('account_exports').where({ user_id: team.user.id }).update(build);
  }

  /** `done`: with an id, the route has done its work. Without one, it may also find that the form is not filled in. */
  function nameAnswer({ status, headers, text }: Answer, isOfId: boolean): string {
    if (status === 303 && headers['location']?.startsWith('/signin?')) return 'asked to sign in';
    if (status === 404 && text.includes('There is nothing at this address.'))
      return 'nothing at this address';
    if (status === 403 && /Only owners(?: and editors)? of this workspace can do this/.test(text))
      return 'refused';
    return (status >= 200 && status <= 303) || (status === 400 && !isOfId)
      ? 'done'
      : `answered with ${status}`;
  }

  for (const who of people)
    it(`are for somebody who is ${who} what the table of rights says`, async () => {
      const person = await join(who);
      // Whoever came before may have emptied the trash.
      shared.clear();
      const [answers, expected]: [string[], string[]] = [[], []];
      for (const route of memberRoutes) {
        await service.db('request_windows').delete();
        const answer = expectedAnswer(who, needsOf.get(nameOf(route)));
        const { code, id } = await subjectOf(route, answer === 'done' && route.method !== 'GET');
        if (route.path === '/workspace/export.zip') await prepareExport();
        // A request before may have changed it: leaving, handing over.
        if (person && hasRoleOf(who)) await setRole(person, who);
        const { query = '', ...sent } = sentTo(route, code);
        const path = `/w/team${addressOf(route, id)}${query}`;
        const given = await world.ask({ method: route.method, path, as: person, ...sent });
        answers.push(`${nameOf(route)}: ${nameAnswer(given, hasId(route))}`);
        expected.push(`${nameOf(route)}: ${answer}`);
      }
      expect(answers).to.deep.equal(expected);
    });

  const hasRoleOf = (who: Who): who is Role => roles.some((role) => role === who);

  describe('show only what their visitor may do', () => {
    /** Documentation names the pages that others have. */
    const pages = allRoutes.filter(
      ({ method, access, path }) =>
        method === 'GET' && access !== 'key' && isPage(path) && !path.startsWith('/docs'),
    );

    for (const role of roles)
      it(`to ${role}s`, async () => {
        const person = await world.join(`pages-${role}@example.com`);
        const ids = await makeOneOfEach(person);
        await service.db('workspace_members').where({ user_id: person.user.id }).update({ role });
        const offered = new Map<string, string>();
        let opened = 0;
        for (const route of pages) {
          const kind = isOfContacts(route) ? 'contact' : hasId(route) && idKind(route);
          const id = kind ? ids[kind] : undefined;
          for (const path of [route.path.replace(':id', id ?? ':id'), ...(others[route.path]?.(ids) ?? [])]) {
            const { status, text } = await world.ask({ method: 'GET', path, as: person });
            if (status === 200) opened += 1;
            for (const each of controlsOf(text)) offered.set(each, path);
          }
        }
        const wrong: string[] = [];
        for (const [control, page] of offered) {
          const route = routeOf(control);
          const needs = route && needsOf.get(nameOf(route));
          if (!route || (needs && !hasRole(role, needs))) wrong.push(`${control} on ${page}`);
        }
        expect(wrong).to.deep.equal([]);
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

  async function makeOneOfEach(person: Tenant): Promise<Ids> {
    const newCode = async (fields = {}) => (await world.makeCode(person, fields)).code.id;
    const [code, trashed, ofPrivate, expired] = [
      await newCode(),
      await newCode(),
      await newCode(),
      await newCode(),
    ];
    await trashCode(service.db, ownWorkspaceId(person.user), trashed, defaultLimits);
    await service.db('qr_codes').where({ id: ofPrivate }).update({ is_public: false });
    const past = new Date(Date.now() - 1_000);
    await service.db('qr_codes').where({ id: expired }).update({ expires_at: past });
    return {
      code,
      trashed,
      private: ofPrivate,
      expired,
      contact: await newCode(contact),
      key: person.keyId,
      logo: await world.makeLogo(person),
      member: await world.makeMember(person),
      invitation: await world.makeInvitation(person),
      ...(await world.makeStyle(person, code)),
      ...(await world.makeWebhook(person)),
    };
  }
});

/** The route of a control: one with a fixed path rather than one with an id. */
function routeOf(control: string): Route | undefined {
  const [method, address = ''] = control.split(' ');
  const path = address.replace(/^\/w\/[^/]+(?=\/)/, '');
  const matching = allRoutes.filter(
    (route) =>
      route.method === method &&
      new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  );
  return matching.toSorted((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
}

/** Not a picture, a file, a stream, or a link of a mail. */
function isPage(path: string): boolean {
  return !/\.(?:svg|png|pdf|zip|csv|json|webmanifest|:format)$|events|\/picture|\/download|\/oidc|:token|^\/(?:assets|brand|healthz|readyz|metrics|admin|demo|ui)\b/.test(
    path,
  );
}

/** Where the links of a page lead, and where its forms are sent. */
function controlsOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]* href="(\/[^"#?]*)/g)].map(([, path]) => `GET ${path}`);
  const forms = [...html.matchAll(/<(form|button)\b([^>]*)>/g)].flatMap(([, element, attributes = '']) => {
    const path = /(?:^| |form)action="(\/[^"#?]*)/.exec(attributes)?.[1];
    // A button with an address of its own is one of a form that is posted.
    const isPosted = element === 'button' || attributes.includes('method="post"');
    return path ? [`${isPosted ? 'POST' : 'GET'} ${path}`] : [];
  });
  return [...links, ...forms].filter((each) => !/^(?:POST \/signout|GET \/(?:assets|docs|r)\b)/.test(each));
}
