import { expect } from 'chai';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { addressOf, hasId, idKind, idsElsewhere, isOfContacts, sentTo } from './route-requests.ts';
import { apiRoutes, pageRoutes, type Route } from './routes.ts';
import { type Answer, type Tenant, tenants, withoutId } from './tenants.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const routes = [...apiRoutes, ...pageRoutes];
const ofCodes = routes.filter((route) => hasId(route) && idKind(route) === 'code');
/** Requests of the API that name codes in their body. */
const withIdsInBody = apiRoutes.filter(
  ({ method, path }) =>
    /^\/api\/v1\/qrcodes\/(?:bulk|labels|files)$/.test(path) && !(method === 'POST' && path.endsWith('bulk')),
);
/** The history of a workspace has what was deleted, too. */
const isHistory = ({ path }: Route) => /^\/(?:history|api\/v1\/audit)/.test(path);
const lists = routes.filter(
  (route) => route.method === 'GET' && !hasId(route) && route.access !== 'stranger' && !isHistory(route),
);
const idsOfCodes = idsElsewhere.filter(
  ({ path, form, body }) =>
    JSON.stringify([path, form, body]).includes(':id') && !path.startsWith('/codes/trash'),
);
const contact = { type: 'vcard' as const, content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Secret\nEND:VCARD' };
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** The same position in every list, and no code. */
const neighbor = (id: string) => id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

describe(`A code in the trash (${ofCodes.length + lists.length + idsOfCodes.length} routes)`, () => {
  let service: TestService;
  let world: ReturnType<typeof tenants>;
  let owner: Tenant;
  let trashed: QrCode;

  before(async () => {
    service = await sharedService();
    world = tenants(service);
    owner = await world.join('owner-of-trash@example.com');
    trashed = await makeTrashed();
  });
  // Rate limits are not the subject here.
  beforeEach(() => service.db('request_windows').delete());

  async function makeTrashed(fields?: typeof contact): Promise<QrCode> {
    const { code } = await world.makeCode(owner, fields);
    return trashCode(service.db, ownWorkspaceId(owner.user), code.id, defaultLimits);
  }
  const rowOf = (id: string): Promise<object | undefined> => service.db('qr_codes').where({ id }).first();

  describe('is missing to its owner, at every route of a code', () => {
    for (const route of ofCodes) {
      it(nameOf(route), async () => {
        const code = isOfContacts(route) ? await makeTrashed(contact) : trashed;
        const before = await rowOf(code.id);
        const ask = async (id: string): Promise<Answer> => {
          const { query = '', ...sent } = sentTo(route, code);
          const path = addressOf(route, id) + query;
          return withoutId(await world.ask({ method: route.method, path, as: owner, ...sent }), id);
        };
        const answer = await ask(code.id);
        expect(answer.status).to.equal(404);
        // Only the page of the code says where it is.
        if (route.path !== '/codes/:id') expect(answer).to.deep.equal(await ask(neighbor(code.id)));
        expect(await rowOf(code.id)).to.deep.equal(before);
      });
    }
  });

  describe('is missing where an id is given elsewhere', () => {
    for (const route of withIdsInBody) {
      it(nameOf(route), async () => {
        const before = await rowOf(trashed.id);
        const ask = async (code: QrCode) =>
          withoutId(await world.ask({ ...route, as: owner, ...sentTo(route, code) }), code.id);
        const answer = await ask(trashed);
        expect(answer.status).to.be.oneOf([400, 404]);
        expect(answer).to.deep.equal(await ask({ ...trashed, id: neighbor(trashed.id) } as QrCode));
        expect(await rowOf(trashed.id)).to.deep.equal(before);
      });
    }

    for (const { of, method, path, form, body } of idsOfCodes) {
      it(`${of}: ${method} ${path}`, async () => {
        const { code: mine } = await world.makeCode(owner);
        const { webhook } = await world.makeWebhook(owner);
        const { style } = await world.makeStyle(owner, mine.id);
        const ask = async (id: string): Promise<Answer> => {
          const fill = (text: string) =>
            text
              .replace(':id', id)
              .replace(':mine', mine.id)
              .replace(':hook', webhook)
              .replace(':style', style);
          const fillAll = (fields: Record<string, string> | undefined) =>
            fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
          const sent = { form: fillAll(form), body: fillAll(body) };
          return withoutId(await world.ask({ method, path: fill(path), as: owner, ...sent }), id);
        };
        expect(await ask(trashed.id)).to.deep.equal(await ask(neighbor(trashed.id)));
      });
    }
  });

  describe('is in no list and on no page but the trash', () => {
    for (const route of lists) {
      it(nameOf(route), async () => {
        const { status, text } = await world.ask({ ...route, as: owner });
        expect(status).to.be.below(500);
        const told = [trashed.id, trashed.shareToken, `${trashed.name}<`, `"${trashed.name}"`];
        const found = told.filter((secret) => text.includes(secret));
        if (route.path === '/codes/trash') expect(found).to.include(trashed.id);
        else expect(found).to.deep.equal([]);
      });
    }

    it('nor what a search finds', async () => {
      for (const query of [trashed.name, trashed.id, trashed.shareToken]) {
        const path = `/codes?q=${encodeURIComponent(query)}`;
        const { status, text } = await world.ask({ method: 'GET', path, as: owner });
        expect(status).to.equal(200);
        expect(text, query).to.not.include(`/codes/${trashed.id}`);
      }
    });
  });

  it('has a share link that answers as an unknown one, in every form', async () => {
    for (const method of ['GET', 'HEAD'])
      for (const path of [
        '/r/:token',
        '/r/:token/',
        '/r/:token.svg',
        '/r/:token.png',
        '/f/:token/menu.pdf',
      ]) {
        const ask = (token: string) => world.ask({ method, path: path.replace(':token', token) });
        const answer = await ask(trashed.shareToken);
        expect(answer.status, path).to.equal(404);
        expect(answer, path).to.deep.equal(await ask('aaaaaaaaaa'));
      }
  });
});
