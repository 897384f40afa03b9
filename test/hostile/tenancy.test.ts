import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { newLogo } from '../../src/codes/design/stored-logo.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import {
  addressOf,
  hasId,
  type IdKind,
  idKind,
  idsElsewhere,
  isOfContacts,
  noIds,
  sentTo,
} from './route-requests.ts';
import { apiIdParameters, apiRoutes, operatorRoutes, pageRoutes, type Route } from './routes.ts';
import { type Answer, type Tenant, tenants, withoutId } from './tenants.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';

const routes = [...apiRoutes, ...pageRoutes];
const withId = routes.filter(hasId);
const withoutAnId = routes.filter((route) => !hasId(route));

const askers = ['stranger', 'nobody'] as const;
const asItIs = (id: string) => id;
const inCapitals = (id: string) => id.toUpperCase();

interface Way {
  asker: (typeof askers)[number];
  spell: (id: string) => string;
  accept: string;
}

/** How a route with an id is called, for an id of another owner and for a missing one. */
const pageWays: Way[] = [
  { asker: 'stranger', spell: asItIs, accept: 'text/html' },
  { asker: 'stranger', spell: asItIs, accept: 'image/png' },
  { asker: 'stranger', spell: inCapitals, accept: 'application/json' },
  { asker: 'nobody', spell: asItIs, accept: 'application/json' },
  { asker: 'nobody', spell: inCapitals, accept: 'text/html' },
];
/** The API answers in JSON, whatever is accepted, and asks everybody for a key first. */
const apiWays: Way[] = [
  { asker: 'stranger', spell: asItIs, accept: 'application/json' },
  { asker: 'stranger', spell: inCapitals, accept: 'text/html' },
  { asker: 'nobody', spell: asItIs, accept: 'application/json' },
];
/** What GET answers, without its body. */
const headWays: Way[] = askers.map((asker) => ({ asker, spell: asItIs, accept: 'text/html' }));

function waysOf({ method, access }: Route): Way[] {
  if (method === 'HEAD') return headWays;
  return access === 'key' ? apiWays : pageWays;
}

const isRead = ({ method }: Route) => method === 'GET' || method === 'HEAD';

/** A code of the owner, and the id that a route is called with: its own, or that of something else of the owner. */
interface Owned {
  code: QrCode;
  id: string;
}

const contact = { type: 'vcard' as const, content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Secret\nEND:VCARD' };
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const pagesFolder = new URL('../../src/web/', import.meta.url);

const cases = withId.flatMap(waysOf).length + idsElsewhere.length + withoutAnId.length * askers.length;
describe(`Tenancy (${routes.length} routes, ${cases} cases)`, () => {
  let service: TestService;
  let world: ReturnType<typeof tenants>;
  let owner: Tenant;
  let people: Record<Way['asker'], Tenant | undefined>;
  /** Owned things that are only read, by what they are. */
  const onlyRead = new Map<string, Promise<Owned>>();
  let secrets: string[];
  let secretCode: Awaited<ReturnType<typeof world.makeCode>>;
  let secretStyle: string;

  before(async () => {
    service = await sharedService();
    world = tenants(service);
    people = await newPeople();
    owner = await world.join('owner-of-secrets@example.com');
    secretCode = await world.makeCode(owner);
    secretStyle = (await world.makeStyle(owner, secretCode.code.id)).style;
    const { id, name, shareToken } = secretCode.code;
    secrets = [
      id,
      name,
      shareToken,
      'Secret c',
      'Secret C',
      owner.user.email,
      owner.keyId,
      secretCode.scanId,
    ];
    secrets.push(owner.key.split('_')[1] ?? '', 'example.com/secret');
  });
  // Rate limits are not the subject here.
  beforeEach(() => service.db('request_windows').delete());

  const newPeople = async (): Promise<typeof people> => ({
    stranger: await world.join(`stranger-${uuidv7()}@example.com`),
    nobody: undefined,
  });

  const tables = {
    code: 'qr_codes',
    trashed: 'qr_codes',
    key: 'api_keys',
    webhook: 'webhook_endpoints',
    delivery: 'webhook_deliveries',
    style: 'styles',
    application: 'style_applications',
    logo: 'logos',
    member: 'workspace_members',
    invitation: 'invitations',
  };
  const rowOf = (kind: IdKind, id: string): Promise<object | undefined> =>
    service
      .db(tables[kind])
      .where(kind === 'member' ? { workspace_id: owner.user.id, user_id: id } : { id })
      .first();

  async function makeTheirs(kind: IdKind, fields?: typeof contact): Promise<Owned> {
    const isOfCode = kind === 'code' || kind === 'trashed' || kind === 'style' || kind === 'application';
    const { code } = isOfCode ? await world.makeCode(owner, fields) : secretCode;
    return { code, id: await makeId(kind, code.id) };
  }

  async function makeId(kind: IdKind, codeId: string): Promise<string> {
    if (kind === 'code') return codeId;
    if (kind === 'trashed')
      return (await trashCode(service.db, ownWorkspaceId(owner.user), codeId, defaultLimits)).id;
    if (kind === 'key') return world.makeKey(owner);
    if (kind === 'logo') return world.makeLogo(owner);
    if (kind === 'member') return world.makeMember(owner);
    if (kind === 'invitation') return world.makeInvitation(owner);
    if (kind === 'style' || kind === 'application') return (await world.makeStyle(owner, codeId))[kind];
    return (await world.makeWebhook(owner))[kind];
  }

  /** What a route changes is its own; what it only reads is made once. */
  function theirsFor(route: Route): Promise<Owned> {
    const kind = idKind(route);
    const fields = isOfContacts(route) ? contact : undefined;
    if (!isRead(route)) return makeTheirs(kind, fields);
    const name = `${kind} ${fields?.type}`;
    const made = onlyRead.get(name) ?? makeTheirs(kind, fields);
    onlyRead.set(name, made);
    return made;
  }

  it('an address of a logo that is none gets a 404, also with a character that PostgreSQL does not store', async () => {
    for (const id of ['%00', 'a'.repeat(3_000), '-', `${uuidv7()}%20`]) {
      const answer = await world.ask({ method: 'GET', path: `/codes/brand/logos/${id}`, as: owner });
      expect(answer.status, id).to.equal(404);
    }
  });

  describe(`an id of another owner gets the same as a missing id (${withId.length} routes)`, () => {
    for (const route of withId) {
      it(nameOf(route), async () => {
        const kind = idKind(route);
        const { code, id: theirs } = await theirsFor(route);
        const missing = kind === 'logo' ? newLogo(uuidv7() as WorkspaceId, new Uint8Array()).id : uuidv7();
        const before = await rowOf(kind, theirs);
        const ask = async (id: string, as: Tenant | undefined, accept = 'text/html'): Promise<Answer> => {
          const { method } = route;
          const { query = '', ...sent } = sentTo(route, code);
          const asked = { method, path: addressOf(route, id) + query, as, accept, ...sent };
          return withoutId(await world.ask(asked), id);
        };
        for (const { asker, spell, accept } of waysOf(route)) {
          const found = await ask(spell(theirs), people[asker], accept);
          expect(found, `${asker}, ${accept}`).to.deep.equal(
            await ask(spell(missing), people[asker], accept),
          );
          if (asker === 'stranger') expect(found.status).to.equal(404);
          else expect(found.status).to.be.oneOf([303, 401, 404]);
        }
        expect(await rowOf(kind, theirs)).to.deep.equal(before);
        // The owner must succeed: a request that always fails would prove nothing.
        expect((await ask(theirs, owner)).status).to.be.within(200, 303);
        if (kind === 'member') await world.makeOwner(owner);
      });
    }
  });

  describe(`an id in a query or a form (${idsElsewhere.length} cases)`, () => {
    let stranger: Tenant;
    before(async () => {
      stranger = await world.join('stranger-with-codes@example.com');
    });

    for (const { of, method, path, form, body } of idsElsewhere) {
      it(`${of}: ${method} ${path}`, async () => {
        const mine = (await world.makeCode(stranger)).code.id;
        const hook = (await world.makeWebhook(stranger)).webhook;
        const { delivery: secretDelivery, webhook: secretEndpoint } = await world.makeWebhook(owner);
        const answers = [];
        // The neighboring id has the same position in every list, and does not exist.
        const neighbour = (id: string) => id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
        for (const give of [(id: string) => id, neighbour]) {
          const secretIds = [
            secretCode.code.id,
            secretCode.scanId,
            secretDelivery,
            secretStyle,
            secretEndpoint,
          ];
          const given = secretIds.map(give);
          const [id, scan, delivery, style, endpoint] = given;
          const fill = (text: string) =>
            text
              .replace(':id', id ?? '')
              .replace(':scan', scan ?? '')
              .replace(':delivery', delivery ?? '')
              .replace(':style', style ?? '')
              .replace(':endpoint', endpoint ?? '')
              .replace(':mine', mine)
              .replace(':hook', hook);
          const fillAll = (fields: Record<string, string> | undefined) =>
            fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
          const sent = { form: fillAll(form), body: fillAll(body) };
          const answer = await world.ask({ method, path: fill(path), as: stranger, ...sent });
          answers.push(given.reduce(withoutId, answer));
        }
        expect(answers[0]).to.deep.equal(answers[1]);
        expect(answers[0]?.status).to.be.oneOf([200, 303, 404]);
      });
    }

    it('is every parameter of the API that is an id', () => {
      const listed = idsElsewhere.map(({ of }) => of);
      expect(
        apiIdParameters.filter((name) => !listed.includes(name)),
        'add to idsElsewhere in test/hostile/route-requests.ts',
      ).to.deep.equal([]);
    });

    it('is every parameter of the pages that is an id', async () => {
      const known = new Set([...noIds, ...idsElsewhere.map(({ of }) => of.split(' ')[1])]);
      const read = /(?:query\['|queryText\(ctx, '|field\(ctx, ')(\w+)'/g;
      const unknown: string[] = [];
      for (const file of (await readdir(pagesFolder, { recursive: true })).filter(
        (name) => /\.tsx?$/.test(name) && !name.startsWith('api'),
      )) {
        const source = await readFile(new URL(file, pagesFolder), 'utf8');
        for (const [, name = ''] of source.matchAll(read))
          if (!known.has(name)) unknown.push(`${name} in ${file}`);
      }
      expect(unknown, 'add to idsElsewhere or noIds in test/hostile/route-requests.ts').to.deep.equal([]);
    });
  });

  describe(`a response without an id reveals nothing of another owner (${withoutAnId.length} routes)`, () => {
    for (const route of withoutAnId) {
      it(nameOf(route), async () => {
        // The request may end a session, or the account.
        const asking = isRead(route) ? people : await newPeople();
        for (const asker of askers) {
          const asked = { ...route, as: asking[asker], ...sentTo(route, secretCode.code) };
          const { status, headers, text } = await world.ask(asked);
          expect(status).to.be.below(500);
          const told = JSON.stringify(headers) + text;
          expect(
            secrets.filter((secret) => told.includes(secret)),
            asker,
          ).to.deep.equal([]);
        }
      });
    }

    it('while the owner sees everything', async () => {
      const found: string[] = [];
      for (const path of [
        '/codes',
        '/keys',
        '/account',
        '/api/v1/qrcodes',
        `/codes/${secretCode.code.id}?before=${uuidv7()}`,
      ])
        found.push((await world.ask({ method: 'GET', path, as: owner })).text);
      expect(
        secrets.filter((secret) => !found.join().includes(secret) && secret !== secretCode.scanId),
      ).to.deep.equal([]);
    });
  });

  it(`responds to the metrics and all ${operatorRoutes.length} pages for operators as to a missing page, whatever the method`, async () => {
    const id = owner.user.id;
    const paths = operatorRoutes.map(({ path }) => path.replace(':id', id));
    paths.push('/admin/', '/admin/board', '/admin/board/', '/admin/board/api/queues', '/metrics');
    for (const asker of askers) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const form = method === 'POST' ? { plan: 'pro', reason: 'because' } : undefined;
        const ask = (path: string) => world.ask({ method, path, as: people[asker], form });
        const nowhere = await ask('/nowhere');
        expect(nowhere.status).to.equal(404);
        for (const path of new Set(paths))
          expect(await ask(path), `${method} ${path}`).to.deep.equal(nowhere);
      }
    }
  });

  it('responds to a private code as to a missing one, at every form of its share link', async () => {
    const { code } = await world.makeCode(owner);
    await service.db('qr_codes').where({ id: code.id }).update({ is_public: false });
    for (const method of ['GET', 'HEAD']) {
      for (const ending of ['', '/', '.svg', '.png', '.vcf', '.svg?encode=content']) {
        const ask = (token: string) => world.ask({ method, path: `/r/${token}${ending}` });
        const theirs = await ask(code.shareToken);
        expect(theirs.status).to.equal(404);
        expect(theirs).to.deep.equal(await ask('aaaaaaaaaa'));
      }
      const file = (token: string) => world.ask({ method, path: `/f/${token}/menu.pdf` });
      expect(await file(code.shareToken)).to.deep.equal(await file('aaaaaaaaaa'));
    }
  });
});
