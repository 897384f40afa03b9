import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { startService, type TestService } from '../../support/service.ts';

const missing = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
const ofTheRequest = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describe("another owner's code is indistinguishable from a missing one (1, 5.7, 7)", () => {
  let service: TestService;
  let owner: ApiClient;
  let stranger: ApiClient;
  let id: string;
  let untouched: object;

  before(async () => {
    service = await startService();
    owner = ownerClient(service);
    stranger = ownerClient(service);
    const body = { name: 'Secret', content: 'https://example.com/secret' };
    id = (await owner('/qrcodes', { method: 'POST', body })).body.id;
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    untouched = (await owner(`/qrcodes/${id}`)).body;
  });
  after(() => service.stop());

  type Call = Parameters<ApiClient>[1];
  async function answerFor(codeId: string, path: string, call: Call) {
    const { status, headers, body } = await stranger(path.replace(':id', codeId), call);
    const { requestId: _, ...said } = body ?? {};
    const shown = [...headers].filter(([name]) => !ofTheRequest.includes(name));
    return { status, said, headers: Object.fromEntries(shown) };
  }

  const routes: [string, string, Call][] = [
    ['GET', '/qrcodes/:id', {}],
    ['HEAD', '/qrcodes/:id', {}],
    ['GET', '/qrcodes/:id/analytics', {}],
    ['GET', '/qrcodes/:id/analytics?days=365', {}],
    ['GET', '/qrcodes/:id/scans', {}],
    ['GET', `/qrcodes/:id/scans?limit=1&cursor=${missing}`, {}],
    ['PATCH', '/qrcodes/:id', { body: { name: 'Mine now' } }],
    ['PATCH', '/qrcodes/:id', { body: {} }],
    ['PATCH', '/qrcodes/:id', { body: { content: 'javascript:alert(1)', errorCorrection: 'H' } }],
    ['PATCH', '/qrcodes/:id', { body: { size: 1, type: 'text' } }],
    ['DELETE', '/qrcodes/:id', {}],
  ];
  for (const [method, path, call] of routes) {
    const sent = call?.body ? ` with ${JSON.stringify(call.body)}` : '';
    it(`${method} ${path}${sent}: 404, and the same body and headers`, async () => {
      const theirs = await answerFor(id, path, { ...call, method });
      expect(theirs.status).to.equal(404);
      expect(theirs).to.deep.equal(await answerFor(missing, path, { ...call, method }));
    });
  }

  const refusedAlike: [string, string, Call][] = [
    ['GET', '/qrcodes/:id?verbose=1', {}],
    ['GET', '/qrcodes/:id/analytics?days=0', {}],
    ['GET', '/qrcodes/:id/scans?limit=501', {}],
    ['DELETE', '/qrcodes/:id?force=1', {}],
    ['PATCH', '/qrcodes/:id', { raw: '{' }],
    ['PATCH', '/qrcodes/:id', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }],
    ['PUT', '/qrcodes/:id', { body: {} }],
    ['POST', '/qrcodes/:id/scans', { body: {} }],
  ];
  for (const [method, path, call] of refusedAlike) {
    it(`${method} ${path}${call?.raw ? ` with ${String(call.raw)}` : ''}: rejected alike`, async () => {
      const theirs = await answerFor(id, path, { ...call, method });
      expect(theirs.status).to.be.within(400, 415);
      expect(theirs).to.deep.equal(await answerFor(missing, path, { ...call, method }));
    });
  }

  it('is in no list of another owner, nor on a page after its id', async () => {
    expect((await stranger('/qrcodes')).body.data).to.deep.equal([]);
    const cursor = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
    expect((await stranger(`/qrcodes?cursor=${cursor}`)).body.data).to.deep.equal([]);
  });

  it('cannot be reached through the scans of another owner', async () => {
    const body = { name: 'Mine', content: 'https://example.com/' };
    const mine = (await stranger('/qrcodes', { method: 'POST', body })).body;
    const [scan] = (await owner(`/qrcodes/${id}/scans`)).body.data as { id: string }[];
    const after = scan?.id.replace(/^./, 'f');
    expect((await stranger(`/qrcodes/${mine.id}/scans?cursor=${after}`)).body.data).to.deep.equal([]);
  });

  it('is unchanged by all that, and readable with any key of its owner (5.7)', async () => {
    expect((await owner(`/qrcodes/${id}`)).body).to.deep.equal(untouched);
    expectError(await stranger(`/qrcodes/${id}`), 404, 'not_found');
  });
});
