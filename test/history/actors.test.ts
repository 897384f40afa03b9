import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';
import { addressOf, hasId, type IdKind, idKind, isOfContacts, sentTo } from '../hostile/route-requests.ts';
import { apiRoutes, pageRoutes, type Route } from '../hostile/routes.ts';
import { type Tenant, tenants } from '../hostile/tenants.ts';
import { startService, type TestService } from '../support/service.ts';
import { quickImages } from '../support/shared-threads.ts';

/** Deletes the account, with its history. */
const endsAll = ['/account/delete'];
const routes = [...apiRoutes, ...pageRoutes].filter(
  ({ method, path, access }) =>
    !['GET', 'HEAD'].includes(method) && access !== 'stranger' && !endsAll.includes(path),
);
const contact = { type: 'vcard' as const, content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Somebody\nEND:VCARD' };

interface Entry {
  actor_kind: string | null;
  actor_id: string | null;
  actor_name: string | null;
  request_id: string | null;
}

describe(`The actor of a change (${routes.length} routes)`, () => {
  let service: TestService;
  let world: ReturnType<typeof tenants>;
  let owner: Tenant;
  before(async () => {
    service = await startService(quickImages);
    world = tenants(service);
    owner = await world.join('owner@example.com');
  });
  after(() => service.stop());

  async function makeId(kind: IdKind, codeId: string): Promise<string> {
    const workspaceId = ownWorkspaceId(owner.user);
    if (kind === 'trashed') await trashCode(service.db, workspaceId, codeId, defaultLimits);
    if (kind === 'key') return world.makeKey(owner);
    if (kind === 'webhook') return (await world.makeWebhook(owner)).webhook;
    if (kind === 'delivery') return (await world.makeWebhook(owner)).delivery;
    if (kind === 'style') return (await world.makeStyle(owner, codeId)).style;
    if (kind === 'application') return (await world.makeStyle(owner, codeId)).application;
    return kind === 'logo' ? world.makeLogo(owner) : codeId;
  }

  async function entriesOf(route: Route): Promise<Entry[]> {
    const { db } = service;
    await db('request_windows').delete();
    const { code } = await world.makeCode(owner, isOfContacts(route) ? contact : {});
    const id = hasId(route) ? await makeId(idKind(route), code.id) : uuidv7();
    const { query = '', ...sent } = sentTo(route, code);
    await db('changes').update({ request_id: 'earlier' });
    const asked = { method: route.method, path: addressOf(route, id) + query, as: owner, ...sent };
    const { status } = await world.ask(asked);
    expect(status, `${route.method} ${route.path}`).to.be.below(500);
    return db('changes').whereRaw(`request_id IS DISTINCT FROM 'earlier'`) as Promise<Entry[]>;
  }

  it('is the person or the key of the request, whichever route makes the change', async () => {
    const changing: string[] = [];
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const entries = await entriesOf(route);
      if (entries.length > 0) changing.push(name);
      for (const entry of entries) {
        const who =
          route.access === 'key'
            ? { actor_kind: 'key', actor_id: owner.keyId, actor_name: 'Key of owner@example.com' }
            : { actor_kind: 'person', actor_id: owner.user.id, actor_name: 'owner@example.com' };
        expect(entry, name).to.include(who);
        expect(entry.request_id, name).to.match(/^[\w-]{36}$/);
      }
    }
    expect(changing.length, changing.join('\n')).to.be.above(50);
  });
});
