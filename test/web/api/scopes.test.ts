import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { hasScope, type Scope, scopes } from '../../../src/accounts/key-scopes.ts';
import { loadConfig } from '../../../src/config.ts';
import { operations } from '../../../src/web/api/router.ts';
import { listRoutes } from '../../../src/web/route-table.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError } from '../../support/expect-error.ts';
import { startService, type TestService } from '../../support/service.ts';

const someId = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
const newCode = { name: 'Menu', content: 'https://example.com/' };
const newWebhook = { name: 'Shop', url: 'https://example.com/hook', events: ['code.created'] };

const apiRoutes = listRoutes(loadConfig({}))
  .filter(({ access }) => access === 'key')
  .flatMap(({ methods, path, scope }) =>
    methods.map((method) => ({ method, path: path.replace('/api/v1', ''), scope })),
  );

/** What the documentation of the scopes says, without the table. */
function documentedScope(method: string, path: string): Scope {
  if (path.startsWith('/webhook')) return 'webhooks';
  if (path.startsWith('/audit')) return 'audit';
  if (/\/(?:analytics|scans)$/.test(path)) return 'analytics';
  const isPrint = path === '/qrcodes/labels' || path === '/qrcodes/files';
  return method === 'GET' || method === 'HEAD' || isPrint ? 'read' : 'codes';
}

/** Every choice of scopes that a key can have. */
const choices = Array.from({ length: 2 ** scopes.length }, (_, index) =>
  scopes.filter((_scope, bit) => index & (1 << bit)),
);
/** Those that are tried with every route. What the others allow follows from `hasScope`. */
const tried: (Scope[] | null)[] = [null, ...scopes.map((scope) => [scope]), ['read', 'analytics']];

function isGranted(granted: Scope[] | null, needed: Scope): boolean {
  if (granted === null) return true;
  return needed === 'read' ? granted.includes('read') || granted.includes('codes') : granted.includes(needed);
}

describe(`Scopes of API keys (${apiRoutes.length} routes)`, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const email = 'scopes@example.com';
  const clientWith = async (...granted: Scope[]): Promise<ApiClient> =>
    apiClient(service.url, await service.makeKey({ email, scopes: granted }));

  it('are declared for every operation, as documented', () => {
    expect(apiRoutes.length).to.be.above(operations.length);
    for (const { method, path, scope } of apiRoutes)
      expect(scope, `${method} ${path}`).to.equal(documentedScope(method, path));
  });

  it('allow together what each of them allows, in every combination', () => {
    for (const granted of choices)
      for (const needed of scopes)
        expect(hasScope(granted, needed), `${granted.join()} for ${needed}`).to.equal(
          isGranted(granted, needed),
        );
    for (const needed of scopes) expect(hasScope(null, needed), needed).to.equal(true);
    expect(scopes.map((needed) => hasScope([], needed))).to.deep.equal(scopes.map(() => false));
  });

  for (const granted of tried)
    it(`${granted?.join(' and ') ?? 'of an unlimited key'} allow exactly the operations of the table`, async () => {
      const key = await service.makeKey({ scopes: granted });
      const wrong: string[] = [];
      for (const { method, path, scope = 'read' } of apiRoutes) {
        const response = await fetch(`${service.url}/api/v1${path.replace(':id', someId)}`, {
          method,
          headers: { Authorization: `Bearer ${key}` },
        });
        const text = await response.text();
        expect(response.status, `${method} ${path}`).to.be.below(500);
        const isRefused = response.status === 403;
        if (isRefused === isGranted(granted, scope)) wrong.push(`${method} ${path} ${response.status}`);
        if (isRefused && method !== 'HEAD')
          expect(text).to.contain('insufficient_scope').and.to.contain(scope);
      }
      expect(wrong).to.deep.equal([]);
    });

  it('are named by the 403, with the page that makes such a key', async () => {
    const api = await clientWith('read', 'analytics');
    const answer = await api('/qrcodes', { method: 'POST', body: newCode });
    expectError(answer, 403, 'invalid_api_key');
    expect(answer.body.code).to.equal('insufficient_scope');
    expect(answer.body.message).to.equal(
      'This operation needs an API key with the scope codes. Create one at https://qr.test/w/scopes/keys.',
    );
    expect(answer.headers.get('www-authenticate')).to.equal(
      'Bearer error="insufficient_scope", scope="codes"',
    );
  });

  it('are checked before the body is read, and the request counts', async () => {
    const api = await clientWith('read');
    const remaining = async (raw: string) => {
      const { status, headers } = await api('/qrcodes', { method: 'POST', raw });
      expect(status).to.equal(403);
      return Number(headers.get('x-ratelimit-remaining'));
    };
    expect(await remaining('{')).to.equal(99);
    expect(await remaining('x'.repeat(70_000))).to.equal(98);
    expect((await api('/qrcodes')).headers.get('x-ratelimit-remaining')).to.equal('97');
  });

  it('let a key do the work of its scopes: of one who reads, and of one who writes', async () => {
    const writer = await clientWith('codes');
    const created = await writer('/qrcodes', { method: 'POST', body: newCode });
    expect(created.status).to.equal(201);
    const path = `/qrcodes/${created.body.id}`;
    expect((await writer(path)).status).to.equal(200);
    expect((await writer(`${path}/analytics`)).status).to.equal(403);
    const reader = await clientWith('read');
    expect((await reader(path)).body.name).to.equal('Menu');
    expect((await reader('/account')).status).to.equal(200);
    expect((await reader(path, { method: 'DELETE' })).status).to.equal(403);
    const analyst = await clientWith('analytics');
    expect((await analyst(`${path}/analytics`)).status).to.equal(200);
    expect((await analyst(`${path}/scans`)).status).to.equal(200);
    expect((await analyst(path)).status).to.equal(403);
    expect((await writer(path, { method: 'DELETE' })).status).to.equal(204);
  });

  it('do not change what other methods and paths answer', async () => {
    const api = await clientWith('webhooks');
    expectError(await api('/qrcodes', { method: 'PUT' }), 405, 'validation_error');
    expectError(await api('/nothing-here'), 404, 'not_found');
  });

  it('hold for a request that is repeated with the Idempotency-Key of a key with more scope', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const call = { method: 'POST', body: newWebhook, headers };
    const unlimited = apiClient(service.url, await service.makeKey({ email }));
    const first = await unlimited('/webhooks', call);
    expect(first.status).to.equal(201);
    expect(first.body.secret).to.be.a('string');
    for (const granted of [['read'], ['codes'], ['analytics'], ['read', 'codes', 'analytics']] as Scope[][]) {
      const answer = await (await clientWith(...granted))('/webhooks', call);
      expectError(answer, 403, 'invalid_api_key');
      expect(answer.headers.get('idempotency-replayed')).to.equal(null);
      expect(JSON.stringify(answer.body)).not.to.contain(first.body.secret);
    }
    const again = await (await clientWith('webhooks'))('/webhooks', call);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.body).to.deep.equal(first.body);
  });
});
