import { expect } from 'chai';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the rate limit headers (8)', () => {
  let service: TestService;
  let api: ApiClient;
  beforeEach(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey({ plan: 'free' }));
  });
  afterEach(() => service.stop());

  function expectFigures(headers: Headers, limit: number, remaining: number): void {
    expect(headers.get('x-ratelimit-limit')).to.equal(String(limit));
    expect(headers.get('x-ratelimit-remaining')).to.equal(String(remaining));
    const reset = headers.get('x-ratelimit-reset') ?? '';
    expect(reset).to.match(/^\d{10}$/);
    expect(Number(reset)).to.be.within(Date.now() / 1000 - 1, Date.now() / 1000 + 3_601);
  }

  it('are on 200, 201, 204, 400, 404, 405, 413, 415 and 429 (8)', async () => {
    const created = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/' },
    });
    expect(created.status).to.equal(201);
    expectFigures(created.headers, 20, 19);
    const calls: [number, ...Parameters<ApiClient>][] = [
      [200, `/qrcodes/${created.body.id}`],
      [200, `/qrcodes/${created.body.id}`, { method: 'HEAD' }],
      [400, '/qrcodes', { method: 'POST', raw: '{' }],
      [404, '/qrcodes/none'],
      [404, '/none'],
      [405, '/qrcodes', { method: 'OPTIONS' }],
      [413, '/qrcodes', { method: 'POST', raw: `"${'x'.repeat(70_000)}"` }],
      [415, '/qrcodes', { method: 'POST', raw: 'x', headers: { 'Content-Type': 'text/plain' } }],
      [204, `/qrcodes/${created.body.id}`, { method: 'DELETE' }],
    ];
    for (const [index, [status, ...call]] of calls.entries()) {
      const answer = await api(...call);
      expect(answer.status, JSON.stringify(call)).to.equal(status);
      expectFigures(answer.headers, 20, 18 - index);
    }
    for (let left = 20 - 1 - calls.length; left > 0; left -= 1) await api('/qrcodes');
    const refused = await api('/qrcodes');
    expect(refused.status).to.equal(429);
    expectFigures(refused.headers, 20, 0);
  });

  it('are on 401, with the figures of the client address (decisions: Limits)', async () => {
    const nobody = apiClient(service.url, undefined);
    for (const left of [59, 58]) {
      const { status, headers } = await nobody('/qrcodes');
      expect(status).to.equal(401);
      expectFigures(headers, 60, left);
    }
  });

  it('are on every path below /api/, whether it exists or not (decisions: Limits)', async () => {
    for (const path of ['/api', '/api/', '/api/v2/qrcodes', '/api/v1', '/api/v1/qrcodes/%E0%A4%A']) {
      const { headers } = await fetch(service.url + path);
      expect(headers.get('x-ratelimit-limit'), path).to.equal('60');
    }
  });

  it('are on every response of the API, however its path is spelled (8)', async () => {
    for (const path of [
      '/API/v1/qrcodes',
      '/Api/V1/openapi.json',
      '/api/V1/qrcodes',
      '/api/v1/openapi.json/',
    ]) {
      const { status, headers } = await fetch(service.url + path);
      if (status === 404) continue;
      expect(headers.get('x-ratelimit-limit'), path).to.equal('60');
    }
  });

  it('are on a 500, which is counted as well (8)', async () => {
    await service.db.raw('ALTER TABLE qr_codes RENAME TO away');
    const { status, headers, body } = await api('/qrcodes');
    expect(status).to.equal(500);
    expect(body.error).to.equal('internal_error');
    expectFigures(headers, 20, 19);
    await service.db.raw('ALTER TABLE away RENAME TO qr_codes');
    expectFigures((await api('/qrcodes')).headers, 20, 18);
  });

  it('are on a 500 from the key lookup itself: it does not fail open (8)', async () => {
    await service.db.raw('ALTER TABLE request_windows RENAME TO away');
    const { status, headers } = await api('/qrcodes');
    expect(status).to.equal(500);
    expect(headers.get('x-ratelimit-remaining')).to.equal('0');
  });

  it('are on openapi.json, which needs no key and is not counted (decisions: Limits)', async () => {
    await apiClient(service.url, undefined)('/qrcodes');
    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status, headers } = await fetch(`${service.url}/api/v1/openapi.json`, { method });
      expect(status).to.equal(200);
      expectFigures(headers, 60, 60);
    }
    const rows: { recent: unknown[] }[] = await service.db('request_windows').select('recent');
    expect(rows.map(({ recent }) => recent.length)).to.deep.equal([1]);
  });

  it('are on openapi.json for a new caller, and store nothing (decisions: Limits)', async () => {
    const { headers } = await fetch(`${service.url}/api/v1/openapi.json`);
    expectFigures(headers, 60, 60);
    expect(await service.db('request_windows')).to.deep.equal([]);
  });
});
