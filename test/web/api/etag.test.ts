import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { lockCode } from '../../support/row-lock.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';

describe('ETag of a QR code', () => {
  let service: TestService;
  let api: ApiClient;
  let id: string;
  let etag: string;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    api = apiClient(service.url, await service.makeKey({ email: `etag-${randomUUID()}@example.com` }));
    const body = { name: 'Menu', content: 'https://example.com/menu' };
    const created = await api('/qrcodes', { method: 'POST', body });
    id = created.body.id as string;
    etag = created.headers.get('ETag') ?? '';
  });

  const read = (headers: Record<string, string> = {}) => api(`/qrcodes/${id}`, { headers });
  const patch = (body: object, ifMatch?: string) =>
    api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body,
      ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
    });
  const remove = (ifMatch: string) =>
    api(`/qrcodes/${id}`, { method: 'DELETE', headers: { 'If-Match': ifMatch } });
  const scan = () => Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
  const nameNow = async () => (await read()).body.name as string;

  it('is strong, the same for POST and GET, and changes with every change', async () => {
    expect(etag).to.match(/^"[^"]+"$/);
    expect((await read()).headers.get('ETag')).to.equal(etag);
    const changed = (await patch({ name: 'Changed' })).headers.get('ETag');
    expect(changed).to.not.equal(etag);
    expect((await read()).headers.get('ETag')).to.equal(changed);
    expect((await patch({})).headers.get('ETag')).to.equal(changed);
  });

  it('gives 304 without a body to If-None-Match, weak or in a list, until something changes', async () => {
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, body, headers } = await read({ 'If-None-Match': known });
      expect([status, body], known).to.deep.equal([304, undefined]);
      expect(headers.get('ETag')).to.equal(etag);
    }
    expect((await read({ 'If-None-Match': '"other"' })).status).to.equal(200);
    await patch({ isFavorite: true });
    expect((await read({ 'If-None-Match': etag })).status).to.equal(200);
  });

  it('is not sent with lists, which never answer 304', async () => {
    for (const path of ['/qrcodes', `/qrcodes/${id}/scans`, `/qrcodes/${id}/analytics`]) {
      const { status, headers } = await api(path, { headers: { 'If-None-Match': '*' } });
      expect([status, headers.get('ETag')], path).to.deep.equal([200, null]);
    }
  });

  it('shows a new number of scans to If-None-Match', async () => {
    await scan();
    const { status, body } = await read({ 'If-None-Match': etag });
    expect([status, body.scanCount]).to.deep.equal([200, 1]);
  });

  it('lets PATCH with the current version succeed, and answers a stale one with 412', async () => {
    expect((await patch({ name: 'First' }, etag)).status).to.equal(200);
    expectError(await patch({ name: 'Second' }, etag), 412, 'validation_error');
    expectError(await patch({}, etag), 412, 'validation_error');
    expect(await nameNow()).to.equal('First');
  });

  it('is not made stale by scans', async () => {
    await scan();
    expect((await patch({ name: 'Scanned' }, etag)).status).to.equal(200);
  });

  it('lets DELETE with a stale version fail, with the current one succeed', async () => {
    await patch({ name: 'Changed' });
    expectError(await remove(etag), 412, 'validation_error');
    const { status, headers } = await read();
    expect(status).to.equal(200);
    expect((await remove(headers.get('ETag') ?? '')).status).to.equal(204);
    expectError(await remove(etag), 404, 'not_found');
  });

  it('matches in a list and by *, never as a weak tag', async () => {
    expect((await patch({ size: 600 }, `"other", ${etag}`)).status).to.equal(200);
    expect((await patch({ size: 700 }, '*')).status).to.equal(200);
    const current = (await read()).headers.get('ETag') ?? '';
    expectError(await patch({ size: 800 }, `W/${current}`), 412, 'validation_error');
    expectError(await patch({ size: 800 }, ''), 412, 'validation_error');
  });

  it('is compared after the body was checked: an invalid body is a 400', async () => {
    expectInvalid(await patch({ size: 1 }, '"stale"'), ['size']);
  });

  it('lets exactly one of ten parallel changes of the same version succeed', async () => {
    const lock = await lockCode(service.db, id);
    const answers = Promise.all([...Array(10)].map((_, n) => patch({ name: `Change ${n}` }, etag)));
    await lock.waiters(5);
    await lock.release();
    const statuses = (await answers).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, ...Array(9).fill(412)]);
    const winner = (await answers).find(({ status }) => status === 200);
    expect(await nameNow()).to.equal(winner?.body.name);
  });

  it('is repeated with an Idempotency-Key, although If-Match is stale by then', async () => {
    const rename = () =>
      api(`/qrcodes/${id}`, {
        method: 'PATCH',
        body: { name: 'Once' },
        headers: { 'If-Match': etag, 'Idempotency-Key': 'rename' },
      });
    const [first, second] = [await rename(), await rename()];
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(second.headers.get('ETag')).to.equal(first.headers.get('ETag'));
  });
});
