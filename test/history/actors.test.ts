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
/**
 * Those that change what is recorded, as they are asked here. The others were looked at: they read, change what is not recorded,
 * or are asked for nothing by a form without fields.
 */
const changing = `
  POST /api/v1/qrcodes
  POST /api/v1/qrcodes/bulk
  PATCH /api/v1/qrcodes/bulk
  DELETE /api/v1/qrcodes/bulk
  POST /api/v1/styles
  POST /api/v1/webhooks
  PATCH /api/v1/qrcodes/:id
  DELETE /api/v1/qrcodes/:id
  POST /api/v1/qrcodes/:id/restore
  POST /api/v1/qrcodes/:id/versions/:version/restore
  PUT /api/v1/qrcodes/:id/design
  DELETE /api/v1/qrcodes/:id/design
  PUT /api/v1/qrcodes/:id/design/logo
  DELETE /api/v1/qrcodes/:id/design/logo
  PATCH /api/v1/styles/:id
  DELETE /api/v1/styles/:id
  PUT /api/v1/styles/:id/logo
  DELETE /api/v1/styles/:id/logo
  PATCH /api/v1/qrcodes/:id/ending
  PATCH /api/v1/qrcodes/:id/page
  PUT /api/v1/qrcodes/:id/page/logo
  DELETE /api/v1/qrcodes/:id/page/logo
  PUT /api/v1/qrcodes/:id/file
  DELETE /api/v1/qrcodes/:id/file
  PUT /api/v1/qrcodes/:id/photo
  DELETE /api/v1/qrcodes/:id/photo
  PATCH /api/v1/webhooks/:id
  DELETE /api/v1/webhooks/:id
  POST /api/v1/webhooks/:id/rotate-secret
  POST /codes/:id/favorite
  POST /codes/:id/visibility
  POST /codes/:id/expire
  POST /codes/trash/:id/restore
  POST /codes/trash/:id/delete
  POST /codes/trash/empty
  POST /codes/new/file
  POST /codes/:id/file
  POST /codes/:id/file/delete
  POST /codes/:id/file/restore
  POST /codes/:id/photo
  POST /codes/:id/photo/delete
  POST /codes/:id/photo/restore
  POST /codes/:id/edit
  POST /codes/:id/duplicate
  POST /codes/:id/delete
  POST /codes/:id/design
  POST /codes/:id/design/style
  POST /codes/:id/design/delete
  POST /codes/:id/design/restore
  POST /codes/:id/page-logo
  POST /codes/:id/page-logo/delete
  POST /codes/:id/history
  POST /codes/styles/:id/design
  POST /codes/styles/:id/rename
  POST /codes/styles/:id/delete
  POST /keys
  POST /keys/:id/rename
  POST /keys/:id/revoke
  POST /webhooks/new
  POST /webhooks/:id/edit
  POST /webhooks/:id/state
  POST /webhooks/:id/rotate
  POST /webhooks/:id/delete
  POST /workspace/name
  POST /workspace/address
  POST /members/links
  POST /members/invitations/:id/revoke
  POST /members/:id/role
  POST /members/:id/remove
  POST /members/:id/hand-over
`
  .trim()
  .split(/\n\s*/);

/** What has to be there before a request can change it. */
const prepared: Record<string, string[]> = {
  'DELETE /api/v1/qrcodes/:id/design': ['PUT /api/v1/qrcodes/:id/design'],
  'DELETE /api/v1/qrcodes/:id/design/logo': ['PUT /api/v1/qrcodes/:id/design/logo'],
  'DELETE /api/v1/qrcodes/:id/file': ['PUT /api/v1/qrcodes/:id/file'],
  'DELETE /api/v1/qrcodes/:id/photo': ['PUT /api/v1/qrcodes/:id/photo'],
  'DELETE /api/v1/styles/:id/logo': ['PUT /api/v1/styles/:id/logo'],
  'POST /codes/:id/design/delete': ['POST /codes/:id/design'],
  'POST /codes/:id/design/restore': ['POST /codes/:id/design', 'POST /codes/:id/design/delete'],
  'POST /codes/:id/file/delete': ['POST /codes/:id/file'],
  'POST /codes/:id/file/restore': ['POST /codes/:id/file', 'POST /codes/:id/file/delete'],
  'POST /codes/:id/photo/delete': ['POST /codes/:id/photo'],
  'POST /codes/:id/photo/restore': ['POST /codes/:id/photo', 'POST /codes/:id/photo/delete'],
};

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

  const makers: Record<IdKind, (codeId: string) => Promise<string>> = {
    code: async (codeId) => codeId,
    trashed: async (codeId) =>
      (await trashCode(service.db, ownWorkspaceId(owner.user), codeId, defaultLimits)).id,
    key: () => world.makeKey(owner),
    webhook: async () => (await world.makeWebhook(owner)).webhook,
    delivery: async () => (await world.makeWebhook(owner)).delivery,
    style: async (codeId) => (await world.makeStyle(owner, codeId)).style,
    application: async (codeId) => (await world.makeStyle(owner, codeId)).application,
    logo: () => world.makeLogo(owner),
    member: () => world.makeMember(owner),
    invitation: () => world.makeInvitation(owner),
  };

  async function entriesOf(route: Route): Promise<Entry[]> {
    const { db } = service;
    await db('request_windows').delete();
    const { code } = await world.makeCode(owner, isOfContacts(route) ? contact : {});
    const id = hasId(route) ? await makers[idKind(route)](code.id) : uuidv7();
    const { query = '', ...sent } = sentTo(route, code);
    for (const name of prepared[`${route.method} ${route.path}`] ?? []) {
      const [method = '', path = ''] = name.split(' ');
      const earlier = { ...route, method, path };
      await world.ask({ method, path: addressOf(earlier, id), as: owner, ...sentTo(earlier, code) });
    }
    await db('changes').update({ request_id: 'earlier' });
    const asked = { method: route.method, path: addressOf(route, id) + query, as: owner, ...sent };
    const { status } = await world.ask(asked);
    const name = `${route.method} ${route.path}`;
    expect(status, name).to.be.below(changing.includes(name) ? 400 : 500);
    return db('changes').whereRaw(`request_id IS DISTINCT FROM 'earlier'`) as Promise<Entry[]>;
  }

  it('is the person or the key of the request, whichever route makes the change', async () => {
    const found: string[] = [];
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const entries = await entriesOf(route);
      if (entries.length > 0) found.push(name);
      // They have left it, or handed it over.
      await world.makeOwner(owner);
      for (const entry of entries) {
        const who =
          route.access === 'key'
            ? { actor_kind: 'key', actor_id: owner.keyId, actor_name: 'Key of owner@example.com' }
            : { actor_kind: 'person', actor_id: owner.user.id, actor_name: 'owner@example.com' };
        expect(entry, name).to.include(who);
        expect(entry.request_id, name).to.match(/^[\w-]{36}$/);
      }
    }
    expect(found).to.have.members(changing);
  });
});
