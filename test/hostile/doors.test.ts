import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser, setAdmin, type User } from '../../src/accounts/users.ts';
import { type Access, createRoutes, serveRoutes } from '../../src/web/routes.ts';
import { createGuards } from '../../src/web/middleware/guards.ts';
import { type RawAnswer, sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { allRoutes, type Route } from './routes.ts';

const boardPaths = ['/admin/board', '/admin/board/', '/admin/board/api/queues', '/admin/board/static/x.js'];
const board: Route[] = boardPaths.flatMap((path) =>
  ['GET', 'PUT'].map((method) => ({ method, path, access: 'operator' as const })),
);
const guarded = [...allRoutes, ...board].filter(
  ({ method, access }) => access !== 'stranger' && method !== 'HEAD',
);

/**
 * A spelling is resolved before a route is found, so those that start alike and have the same shape stand for each other. All
 * of those for operators are tried.
 */
const doors = [
  ...new Map(
    guarded.map((route) => {
      const { method, path, access } = route;
      const kind = [method, access, path.split('/')[1], path.includes(':')].join(' ');
      return [access === 'operator' ? `${method} ${path}` : kind, route];
    }),
  ).values(),
];

const percent = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
const swapCase = (text: string) =>
  [...text].map((letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())).join('');

/** Addresses that a matcher, a proxy or a normalizer could take for the same one. */
const spellings: Record<string, (path: string) => string> = {
  'in capitals': (path) => path.toUpperCase(),
  'with a capital': (path) => path.replace(/[a-z]/, (first) => first.toUpperCase()),
  'in mixed case': swapCase,
  'last segment in capitals': (path) => path.replace(/[^/]*$/, (last) => last.toUpperCase()),
  'with two slashes in front': (path) => `/${path}`,
  'with doubled slashes': (path) => path.replaceAll('/', '//'),
  'with a trailing slash': (path) => `${path}/`,
  'with two trailing slashes': (path) => `${path}//`,
  'with a dot segment': (path) => `/.${path}`,
  'with a dot segment inside': (path) => path.replace(/\/([^/]*)$/, '/./$1'),
  'through another folder': (path) => `/docs/..${path}`,
  'with an encoded dot segment': (path) => `/docs/%2e%2e${path}`,
  'with an encoded letter': (path) => path.replace(/[a-z]/, percent),
  'with all letters encoded': (path) => path.replaceAll(/[a-z]/g, percent),
  'encoded twice': (path) => path.replace(/[a-z]/, (letter) => percent(letter).replace('%', '%25')),
  'with an encoded slash': (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  'with a backslash': (path) => path.replace(/\/([^/]*)$/, '\\$1'),
  'in absolute form': (path) => `http://qr.test${path}`,
  'in absolute form, in capitals': (path) => `HTTP://QR.TEST${path.toUpperCase()}`,
  'in absolute form of another host': (path) => `http://other.test/${path}`,
  'with a parameter': (path) => `${path};x`,
  'with a parameter of the first segment': (path) => path.replace(/^\/[^/]+/, '$&;x=1'),
  'with an encoded NUL': (path) => `${path}%00`,
  'with NUL': (path) => `${path}\0`,
  'with an encoded space': (path) => `${path}%20`,
  'with a query that looks like a path': (path) => `${path}?/../docs`,
  'with a fragment': (path) => `${path}#/docs`,
};

const askers = ['nobody', 'user'] as const;
type Asker = (typeof askers)[number];
/** A user may open pages for members of their own workspace, and for persons. All other doors are closed to both. */
const isForUsers = (access: Access) => !['operator', 'key', 'monitor'].includes(access);
const isClosedTo = (asker: Asker, access: Access) => !(asker === 'user' && isForUsers(access));

describe(`Doors (${guarded.length} guarded routes, ${doors.length} of them in ${Object.keys(spellings).length} more spellings)`, () => {
  let service: TestService;
  let victim: User;
  let cookies: Record<Asker, string>;
  let csrfToken: string;
  let requests = 0;

  before(async () => {
    // Each request comes from an address of its own, because the limits per address are not the subject.
    service = await startService({ config: { trustProxyHops: 1 } });
    const { db } = service;
    victim = await findOrCreateUser(db, 'victim@example.com', new Date());
    const user = await findOrCreateUser(db, 'user@example.com', new Date());
    const visitor = '__Host-qrelay-visitor=somebody';
    const session = `__Host-qrelay-session=${await startSession(db, user.id, new Date())}`;
    cookies = { nobody: visitor, user: `${visitor}; ${session}` };
    const page = await fetch(`${service.url}/signin`, { headers: { Cookie: visitor } });
    csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    expect(csrfToken).not.to.equal('');
  });
  after(() => service.stop());

  function ask(asker: Asker, method: string, path: string): Promise<RawAnswer> {
    requests += 1;
    const isForm = method !== 'GET';
    return sendRaw(service.url, {
      method,
      path,
      headers: [
        ['Cookie', cookies[asker]],
        ['Accept', 'text/html'],
        ['Sec-Fetch-Site', 'same-origin'],
        ['X-Forwarded-For', `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`],
        ...(isForm ? [['Content-Type', 'application/x-www-form-urlencoded'] as [string, string]] : []),
      ],
      ...(isForm && { body: new URLSearchParams({ csrfToken, plan: 'pro', reason: 'because' }).toString() }),
    });
  }

  /** Whether the response is one that a stranger gets anywhere. */
  function isRefused({ status, headers }: RawAnswer, access: Access): boolean {
    if (status === 400 || status === 404) return true;
    if (access === 'key') return status === 401;
    return isForUsers(access) && status === 303 && headers.get('location')?.startsWith('/signin?') === true;
  }

  async function expectClosed(routes: Route[], spell: (path: string) => string): Promise<void> {
    const open: string[] = [];
    for (const asker of askers) {
      const closed = routes.filter(({ access }) => isClosedTo(asker, access));
      await Promise.all(
        closed.map(async ({ method, path, access }) => {
          const spelled = spell(path.replace(/:\w+/, victim.id).replace(/:\w+/, 'x'));
          const answer = await ask(asker, method, spelled);
          if (!isRefused(answer, access)) open.push(`${asker}: ${method} ${spelled} ${answer.status}`);
        }),
      );
    }
    expect(open).to.deep.equal([]);
  }

  it('stay closed', () => expectClosed(guarded, (path) => path));

  for (const [name, spell] of Object.entries(spellings))
    it(`stay closed ${name}`, () => expectClosed(doors, spell));

  it('answer operators', async () => {
    const { db, url } = service;
    const operator = await findOrCreateUser(db, 'operator@example.com', new Date());
    await setAdmin(db, operator, true, new Date());
    const session = `__Host-qrelay-session=${await startSession(db, operator.id, new Date())}`;
    const pages = guarded.filter(
      ({ access, method, path }) => access === 'operator' && method === 'GET' && !path.includes('static'),
    );
    expect(pages.length).to.be.above(5);
    for (const { path } of pages) {
      const address = url + path.replace(':id', victim.id);
      const { status } = await fetch(address, { headers: { Cookie: session }, redirect: 'manual' });
      expect(status, path).to.be.oneOf([200, 303]);
    }
  });

  it('change nothing when they are tried', async () => {
    const row = (await service.db('users').where({ email: victim.email }).first()) as { plan: string };
    expect(row.plan).to.equal('free');
    expect(await service.db('operator_actions').select()).to.deep.equal([]);
  });
});

describe('The route table', () => {
  const unusedGuards = createGuards({
    authenticateKey: (_ctx, next) => next(),
    metricsToken: undefined,
    viewDemo: async () => false,
    db: undefined as never,
    sessions: undefined as never,
  });

  it('stops the process at start where a route does not declare who may use it', () => {
    const routes = createRoutes('/page');
    routes.get('person', '/', () => undefined);
    routes.post(undefined as never, '/open', () => undefined);
    routes.get('everybody' as never, '/:id', () => undefined);
    const serve = () => serveRoutes(routes.list, unusedGuards);
    expect(serve).to.throw('These routes do not declare who may use them: POST /page/open, GET /page/:id.');
  });

  it('stops the process at start where an operation does not declare the scope that a key needs', () => {
    const routes = createRoutes('/api');
    routes.addForKeys('read', 'GET', '/codes', () => undefined);
    routes.addForKeys(undefined as never, 'POST', '/codes', () => undefined);
    routes.addForKeys('admin' as never, 'GET', '/codes/:id', () => undefined);
    const serve = () => serveRoutes(routes.list, unusedGuards);
    expect(serve).to.throw(
      'These routes do not declare who may use them: POST /api/codes, GET /api/codes/:id.',
    );
  });

  it('has every route once', () => {
    const names = allRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).to.deep.equal([]);
  });
});
