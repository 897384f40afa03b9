import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError, expectWindow } from '../../support/expect-error.ts';
import { formClient } from '../../support/form-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const someId = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
const code = { name: 'Menu', content: 'https://example.com/' };

const routes: [string, string, object | undefined][] = [
  ['POST', '/qrcodes', code],
  ['GET', '/qrcodes', undefined],
  ['GET', `/qrcodes/${someId}`, undefined],
  ['PATCH', `/qrcodes/${someId}`, { name: 'Other' }],
  ['DELETE', `/qrcodes/${someId}`, undefined],
  ['GET', `/qrcodes/${someId}/analytics`, undefined],
  ['GET', `/qrcodes/${someId}/scans`, undefined],
];

/** For paths that the client for `/api/v1` cannot reach. */
async function ask(url: string, key?: string, init: RequestInit = {}) {
  const headers = { ...(key && { Authorization: `Bearer ${key}` }), 'Content-Type': 'application/json' };
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

describe('errors (7; decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  it('have a unique X-Request-Id on every response, which an error repeats as requestId', async () => {
    const answers = [await api('/qrcodes'), await api('/qrcodes/x'), await api('/qrcodes/x')];
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'));
    expect(new Set(ids).size).to.equal(3);
    expect(answers[1]?.body.requestId).to.equal(ids[1]);
    expect(answers[2]?.body.requestId).to.equal(ids[2]);
  });

  it('have details with field and message for a validation error, and a message that names the field', async () => {
    const { status, body } = await api('/qrcodes', { method: 'POST', body: { ...code, size: 2049 } });
    expect(status).to.equal(400);
    const { requestId, ...said } = body;
    expect(requestId).to.be.a('string');
    expect(said.error).to.equal('validation_error');
    expect(said.details).to.deep.equal([{ field: 'size', message: 'must be at most 2048' }]);
    expect(said.message).to.include('size');
  });

  describe('401 invalid_api_key (5.3)', () => {
    for (const [method, path, body] of routes) {
      it(`${method} ${path} without a key, with WWW-Authenticate: Bearer`, async () => {
        const answer = await apiClient(service.url, undefined)(path, { method, body });
        expectError(answer, 401, 'invalid_api_key');
        expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
      });
    }

    it('is the same for a missing, a malformed and an unknown key', async () => {
      const unknown = (await service.makeKey()).replace(/^qrl_.{8}/, 'qrl_00000000');
      const answers = await Promise.all(
        [undefined, 'nonsense', unknown].map((key) => apiClient(service.url, key)('/qrcodes')),
      );
      const said = answers.map(({ status, body: { error, message, details } }) => ({
        status,
        error,
        message,
        details,
      }));
      expect(said[0]?.status).to.equal(401);
      expect(said[1]).to.deep.equal(said[0]);
      expect(said[2]).to.deep.equal(said[0]);
    });

    it('takes precedence over errors of the path, the method or the body', async () => {
      const nobody = apiClient(service.url, undefined);
      expectError(await nobody('/nowhere'), 401, 'invalid_api_key');
      expectError(await nobody('/qrcodes', { method: 'PUT', body: {} }), 401, 'invalid_api_key');
      expectError(await nobody('/qrcodes', { method: 'POST', raw: '{' }), 401, 'invalid_api_key');
      expectError(await nobody('/qrcodes?limit=0'), 401, 'invalid_api_key');
    });
  });

  describe('404 not_found for a path that does not exist', () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/',
      '/api/v1/nowhere',
      '/api/v1/qrcode',
      `/api/v1/qrcodes/${someId}/scan`,
      `/api/v1/qrcodes/${someId}/scans/1`,
      '/api/v2/qrcodes',
      '/api/qrcodes',
      '/api/v1/%zz',
      '/api/v1/%00',
    ]) {
      it(path, async () => {
        expectError(await ask(service.url + path, await service.makeKey()), 404, 'not_found');
      });
    }

    it('whatever the method', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        expectError(await api('/nowhere', { method }), 404, 'not_found');
      }
    });

    for (const spelling of ['/API/v1/qrcodes', '/Api/v1/qrcodes', '/api/V1/QRCODES', '//api/v1/qrcodes']) {
      it(`${spelling}: no other spelling bypasses the key or causes a 500`, async () => {
        const { id } = (await api('/qrcodes', { method: 'POST', body: code })).body;
        for (const [method, path, body] of routes) {
          const url = service.url + path.replace('/qrcodes', spelling).replace(someId, id);
          const answer = await ask(url, undefined, { method, body: body ? JSON.stringify(body) : null });
          expect(answer.status, `${method} ${JSON.stringify(answer.body)}`).to.be.oneOf([401, 404]);
          expect(answer.body.error).to.be.oneOf(['invalid_api_key', 'not_found']);
        }
        expect((await api(`/qrcodes/${id}`)).body).to.include(code);
      });
    }
  });

  describe('405 validation_error with Allow, for a method that a path does not accept', () => {
    const allowed: Record<string, string[]> = {
      '/qrcodes': ['GET', 'HEAD', 'POST'],
      [`/qrcodes/${someId}`]: ['GET', 'HEAD', 'PATCH', 'DELETE'],
      [`/qrcodes/${someId}/analytics`]: ['GET', 'HEAD'],
      [`/qrcodes/${someId}/design`]: ['GET', 'HEAD', 'PUT', 'DELETE'],
      [`/qrcodes/${someId}/scans`]: ['GET', 'HEAD'],
      '/openapi.json': ['GET', 'HEAD'],
    };
    for (const [path, methods] of Object.entries(allowed)) {
      const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
        (method) => !methods.includes(method),
      );
      for (const method of others) {
        it(`${method} ${path}`, async () => {
          const answer = await api(path, { method });
          expectError(answer, 405, 'validation_error');
          expect(answer.headers.get('Allow')?.split(', ')).to.have.members(methods);
        });
      }
    }
  });

  describe('413 and 415 validation_error', () => {
    it('have the error body, and the headers of every response', async () => {
      const large = { ...code, content: 'x'.repeat(1_000_000) };
      expectError(await api('/qrcodes', { method: 'POST', body: large }), 413, 'validation_error');
      const text = { method: 'POST', raw: 'Menu', headers: { 'Content-Type': 'text/plain' } };
      expectError(await api('/qrcodes', text), 415, 'validation_error');
    });
  });
});

describe('errors of the service itself (7; decisions: Bodies and errors)', () => {
  it('are a 500 internal_error without internal details', async () => {
    const service = await startService();
    const api = ownerClient(service);
    await service.db.raw('DROP TABLE scan_counters, scans, qr_codes CASCADE');
    const answers = [];
    for (const [method, path, body] of routes) answers.push(await api(path, { method, body }));
    await service.stop();
    for (const answer of answers) {
      expectError(answer, 500, 'internal_error');
      expect(JSON.stringify(answer.body)).to.not.match(/qr_codes|relation|select|insert/i);
    }
  });

  it('are a 503 internal_error with Retry-After while the database is down', async () => {
    const service = await startService();
    const api = apiClient(service.url, await service.makeKey());
    expect((await api('/qrcodes')).status).to.equal(200);
    const owner = formClient(service.url);
    await owner.get('/signup');
    await owner.post('/signup', { email: 'zoe@example.com', password: 'correct horse battery' });
    const name = new URL(service.databaseUrl).pathname.slice(1);
    await service.db.raw(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
    const endConnections = () =>
      service.db.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'qrelay web %'`,
      );
    try {
      await endConnections();
      const answer = await eventually(async () => {
        const tried = await api('/qrcodes');
        expect(tried.status).to.equal(503);
        return tried;
      });
      expectError(answer, 503, 'internal_error');
      expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/);
      expectWindow(answer.headers);
      // In a browser: a page that can be reloaded.
      const page = await owner.get('/codes?search=menu');
      expect(page.status).to.equal(503);
      expect(await page.text()).to.match(/<a class="button" href(?:="")?>Try again<\/a>/);
    } finally {
      await service.db.raw(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    }
    await eventually(async () => expect((await api('/qrcodes')).status).to.equal(200));
    await service.stop();
  });
});
