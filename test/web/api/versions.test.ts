import { expect } from 'chai';
import { png } from '../../codes/files/logo-files.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';

interface Resource {
  path: string;
  valid: object;
  changes: object;
}

const resources: Record<string, Resource> = {
  style: { path: '/styles', valid: { name: 'Ours' }, changes: { name: 'Theirs' } },
  'webhook endpoint': {
    path: '/webhooks',
    valid: { url: 'https://example.com/hook', name: 'Ours', events: ['scan.recorded'] },
    changes: { name: 'Theirs' },
  },
};

for (const [name, { path, valid, changes }] of Object.entries(resources))
  describe(`ETag of a ${name}`, () => {
    let service: TestService;
    let api: ApiClient;
    let at: string;
    let etag: string;

    before(async () => {
      service = await sharedService();
    });
    beforeEach(async () => {
      api = ownerClient(service);
      const created = await api(path, { method: 'POST', body: valid });
      at = `${path}/${created.body.id}`;
      etag = created.headers.get('ETag') ?? '';
    });

    const patch = (body: object, ifMatch: string) =>
      api(at, { method: 'PATCH', body, headers: { 'If-Match': ifMatch } });
    const remove = (ifMatch: string, part = '') =>
      api(`${at}${part}`, { method: 'DELETE', headers: { 'If-Match': ifMatch } });

    it('is the same for POST and GET, changes with every change, and gives 304', async () => {
      expect(etag).to.match(/^"[^"]+"$/);
      expect((await api(at)).headers.get('ETag')).to.equal(etag);
      expect((await api(at, { headers: { 'If-None-Match': etag } })).status).to.equal(304);
      const changed = await patch(changes, etag);
      expect(changed.status).to.equal(200);
      expect(changed.headers.get('ETag')).to.be.a('string').and.not.equal(etag);
      expect((await api(at)).headers.get('ETag')).to.equal(changed.headers.get('ETag'));
    });

    it('lets a stale PATCH and DELETE fail with 412, and changes nothing', async () => {
      const changed = await patch(changes, etag);
      expectError(await patch({ name: 'Third' }, etag), 412, 'validation_error');
      expectError(await remove(etag), 412, 'validation_error');
      expect((await api(at)).body).to.deep.equal(changed.body);
      expect((await remove(changed.headers.get('ETag') ?? '')).status).to.equal(204);
    });

    it('lets exactly one of several parallel changes of the same version succeed', async () => {
      const answers = await Promise.all([1, 2, 3, 4].map((n) => patch({ name: `Change ${n}` }, etag)));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).to.deep.equal([200, 412, 412, 412]);
    });
  });

describe('ETag of a resource with parts', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await sharedService();
    api = ownerClient(service);
  });

  it('guards the logo of a style', async () => {
    const { body } = await api('/styles', { method: 'POST', body: { name: 'Logo' } });
    const put = (ifMatch: string) =>
      api(`/styles/${body.id}/logo`, {
        method: 'PUT',
        raw: new Uint8Array(png()),
        headers: { 'Content-Type': 'image/png', 'If-Match': ifMatch },
      });
    expectError(await put('"other"'), 412, 'validation_error');
    const etag = (await api(`/styles/${body.id}`)).headers.get('ETag') ?? '';
    const saved = await put(etag);
    expect(saved.status).to.equal(200);
    const remove = { method: 'DELETE', headers: { 'If-Match': etag } };
    expectError(await api(`/styles/${body.id}/logo`, remove), 412, 'validation_error');
    expect((await api(`/styles/${body.id}`)).headers.get('ETag')).to.equal(saved.headers.get('ETag'));
  });

  it('answers alike for a file, a photo and a logo that are not there', async () => {
    const code = (
      await api('/qrcodes', { method: 'POST', body: { name: 'Plain', content: 'https://example.com/' } })
    ).body;
    const style = (await api('/styles', { method: 'POST', body: { name: 'Plain' } })).body;
    const parts = ['file', 'photo', 'page/logo', 'design/logo'].map((part) => `/qrcodes/${code.id}/${part}`);
    for (const path of [...parts, `/styles/${style.id}/logo`]) {
      const { status, body, headers } = await api(path);
      const { usedBytes: _used, quotaBytes: _quota, ...fields } = body;
      expect([status, new Set(Object.values(fields))], path).to.deep.equal([200, new Set([null])]);
      const etag = headers.get('ETag') ?? '';
      const remove = (ifMatch: string) => api(path, { method: 'DELETE', headers: { 'If-Match': ifMatch } });
      expect([(await remove(etag)).status, (await remove(etag)).status], path).to.deep.equal([204, 204]);
      expectError(await remove('"other"'), 412, 'validation_error');
    }
  });

  it('guards the secret of a webhook endpoint, and is not made stale by failing calls', async () => {
    const valid = { url: 'https://example.com/hook', name: 'Ours', events: ['scan.recorded'] };
    const created = await api('/webhooks', { method: 'POST', body: valid });
    const etag = created.headers.get('ETag') ?? '';
    await service
      .db('webhook_endpoints')
      .where({ id: created.body.id })
      .update({ failing_since: new Date(), failures: 1 });
    expect((await api(`/webhooks/${created.body.id}`)).headers.get('ETag')).to.not.equal(etag);
    const rotate = (ifMatch: string) =>
      api(`/webhooks/${created.body.id}/rotate-secret`, { method: 'POST', headers: { 'If-Match': ifMatch } });
    expect((await rotate(etag)).status).to.equal(200);
    expectError(await rotate(etag), 412, 'validation_error');
  });
});

describe('Headers of responses', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await sharedService();
    api = ownerClient(service);
  });
  const menu = { name: 'Menu', content: 'https://example.com/menu' };
  const follow = (location: string | null) => api((location ?? '').replace(/^.*\/api\/v1/, ''));

  it('have the Location of what was created, also in a repeated response', async () => {
    for (const [path, body] of [
      ['/qrcodes', menu],
      ...Object.values(resources).map((each) => [each.path, each.valid] as const),
    ] as const) {
      const create = () => api(path, { method: 'POST', body, headers: { 'Idempotency-Key': path } });
      const created = await create();
      expect(created.status).to.equal(201);
      const location = created.headers.get('Location');
      expect(location).to.equal(`https://qr.test/api/v1${path}/${created.body.id}`);
      expect((await follow(location)).body.id).to.equal(created.body.id);
      expect((await create()).headers.get('Location')).to.equal(location);
    }
  });

  it('have the Location of what a 202 has begun', async () => {
    const { body: code } = await api('/qrcodes', { method: 'POST', body: menu });
    const { body: style } = await api('/styles', { method: 'POST', body: { name: 'Applied' } });
    const apply = { method: 'POST', body: { qrCodeIds: [code.id] } };
    const applied = await api(`/styles/${style.id}/apply`, apply);
    expect((await follow(applied.headers.get('Location'))).body.id).to.equal(applied.body.id);
    const { body: hook } = await api('/webhooks', {
      method: 'POST',
      body: { url: 'https://example.com/', name: 'Ping', events: ['scan.recorded'] },
    });
    const ping = await api(`/webhooks/${hook.id}/test`, { method: 'POST' });
    expect((await follow(ping.headers.get('Location'))).body.id).to.equal(ping.body.id);
  });

  it('have a file name for PDF and ZIP', async () => {
    const key = await service.makeKey();
    const own = await fetch(`${service.url}/api/v1/qrcodes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(menu),
    });
    const { id } = (await own.json()) as { id: string };
    for (const [path, more, name] of [
      ['labels', { sheet: 'L7160' }, 'labels.pdf'],
      ['files', { format: 'svg' }, 'qr-codes.zip'],
    ] as const) {
      const response = await fetch(`${service.url}/api/v1/qrcodes/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ qrCodeIds: [id], ...more }),
      });
      await response.arrayBuffer();
      expect(response.status).to.equal(200);
      expect(response.headers.get('Content-Disposition')).to.equal(`attachment; filename="${name}"`);
    }
  });
});
