import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

interface Code {
  id: string;
  shareToken: string;
  shareUrl: string;
  deletedAt?: string;
  [field: string]: unknown;
}

describe('The trash of the API', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(() => {
    api = ownerClient(service);
  });

  async function create(fields: object = {}): Promise<Code> {
    const body = { name: 'Menu', content: 'https://example.com/menu', ...fields };
    return (await api('/qrcodes', { method: 'POST', body })).body as Code;
  }
  const remove = (id: string, query = '') => api(`/qrcodes/${id}${query}`, { method: 'DELETE' });
  const restore = (id: string) => api(`/qrcodes/${id}/restore`, { method: 'POST' });
  const read = async (id: string) => (await api(`/qrcodes/${id}`)).body;
  const list = async (query = '') =>
    (await api(`/qrcodes${query}`)).body as { data: Code[]; nextCursor: string };
  const follow = async (token: string) => {
    const { status, headers } = await fetch(`${service.url}/r/${token}`, { redirect: 'manual' });
    return `${status} ${headers.get('Location') ?? ''}`.trim();
  };

  it('lists deleted codes with the time of deletion, and the others without', async () => {
    const [gone, stays] = [await create(), await create({ category: 'Bar' })];
    const before = await read(gone.id);
    const time = async () => {
      const { rows } = await service.db.raw('SELECT clock_timestamp() AS now');
      return (rows as [{ now: Date }])[0].now.getTime();
    };
    const startedAt = await time();
    await remove(gone.id);
    const endedAt = await time();
    const { data } = await list('?state=trashed');
    expect(data).to.have.length(1);
    const { deletedAt, ...rest } = data[0] as Code;
    expect(rest).to.deep.equal(before);
    expect(Date.parse(String(deletedAt))).to.be.within(startedAt, endedAt);
    const active = await read(stays.id);
    for (const query of ['', '?state=active']) expect((await list(query)).data).to.deep.equal([active]);
  });

  it('is listed page by page, newest first, with the filters of the list', async () => {
    const codes = [await create(), await create({ type: 'text', content: 'Hi' }), await create()];
    for (const { id } of codes) await remove(id);
    const first = await list('?state=trashed&limit=2');
    expect(first.data.map(({ id }) => id)).to.deep.equal([codes[2]?.id, codes[1]?.id]);
    const second = await list(`?state=trashed&limit=2&cursor=${first.nextCursor}`);
    expect(second.data.map(({ id }) => id)).to.deep.equal([codes[0]?.id]);
    expect(second.nextCursor).to.equal(null);
    const texts = await list('?state=trashed&type=text');
    expect(texts.data.map(({ id }) => id)).to.deep.equal([codes[1]?.id]);
  });

  it('is the only state beside active: another one is an error that names the field', async () => {
    const answer = await api('/qrcodes?state=archived');
    expectError(answer, 400, 'validation_error');
    const { details } = answer.body as { details: { field: string; message: string }[] };
    expect(details.map(({ field }) => field)).to.deep.equal(['state']);
    expect(details[0]?.message).to.match(/active.*trashed/);
  });

  it('gives back link, scans, page, ending, design and file', async () => {
    const code = await create();
    await api(`/qrcodes/${code.id}/page`, { method: 'PATCH', body: { title: 'Welcome' } });
    await api(`/qrcodes/${code.id}/ending`, {
      method: 'PATCH',
      body: { afterExpiryUrl: 'https://example.com/closed' },
    });
    await api(`/qrcodes/${code.id}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
    const headers = { 'Content-Type': 'application/pdf' };
    const uploaded = await api(`/qrcodes/${code.id}/file?name=menu.pdf`, {
      method: 'PUT',
      raw: new Uint8Array(pdf()),
      headers,
    });
    expect(uploaded.status).to.equal(200);
    await Scan.record(service.db, [scanRow(code.id, new Date().toISOString())]);
    const parts = ['', '/page', '/ending', '/design', '/file', '/analytics', '/scans'];
    const state = () =>
      Promise.all(parts.map(async (part) => (await api(`/qrcodes/${code.id}${part}`)).body));
    const before = await state();
    const etag = (await api(`/qrcodes/${code.id}`)).headers.get('ETag');
    const opened = await follow(code.shareToken);
    expect(opened).to.match(/^302 /);

    await remove(code.id);
    expect(await follow(code.shareToken)).to.equal('404');
    expect((await fetch(service.url + new URL(opened.slice(4)).pathname)).status).to.equal(404);
    const restored = await restore(code.id);
    expect(restored.status).to.equal(200);
    expect(restored.body).to.deep.equal(before[0]);
    expect(restored.headers.get('ETag')).to.equal(etag);
    expect(await state()).to.deep.equal(before);
    expect(await follow(code.shareToken)).to.equal(opened);
    expect((await fetch(service.url + new URL(opened.slice(4)).pathname)).status).to.equal(200);
    expect((await list('?state=trashed')).data).to.deep.equal([]);
  });

  it('sends scanners a 404 at once, and redirects them at once after a restore, whatever was cached', async () => {
    const code = await create();
    for (let round = 0; round < 3; round += 1) {
      expect(await follow(code.shareToken)).to.equal('302 https://example.com/menu');
      await remove(code.id);
      expect(await follow(code.shareToken)).to.equal('404');
      await restore(code.id);
    }
    expect(await follow(code.shareToken)).to.equal('302 https://example.com/menu');
  });

  it('restores an expired code as expired', async () => {
    const code = await create();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00.000Z' } });
    await remove(code.id);
    expect((await restore(code.id)).body).to.include({ expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(await follow(code.shareToken)).to.equal('410');
  });

  it('restores only what is in the trash, once', async () => {
    const code = await create();
    expectError(await restore(code.id), 404, 'not_found');
    expectError(await restore('not-an-id'), 404, 'not_found');
    await remove(code.id);
    expectError(
      await ownerClient(service)(`/qrcodes/${code.id}/restore`, { method: 'POST' }),
      404,
      'not_found',
    );
    const answers = await Promise.all([restore(code.id), restore(code.id)]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 404]);
  });

  it('restores and deletes only the version that If-Match names', async () => {
    const code = await create();
    const etag = String((await api(`/qrcodes/${code.id}`)).headers.get('ETag'));
    await remove(code.id);
    const send = (method: string, path: string, ifMatch: string) =>
      api(`/qrcodes/${code.id}${path}`, { method, headers: { 'If-Match': ifMatch } });
    expectError(await send('POST', '/restore', '"other"'), 412, 'validation_error');
    expectError(await send('DELETE', '?permanently=true', '"other"'), 412, 'validation_error');
    expect((await send('POST', '/restore', etag)).status).to.equal(200);
    await remove(code.id);
    expect((await send('DELETE', '?permanently=true', etag)).status).to.equal(204);
  });

  it('needs room under the limit of codes to restore one, and says so', async () => {
    const [first, second] = [await create(), await create(), await create()];
    await remove(first.id);
    const row = (await service.db('qr_codes').where({ id: second.id }).first('user_id')) as {
      user_id: string;
    };
    await service
      .db('workspaces')
      .where({ id: row.user_id })
      .update({ limits: { codes: 2 } });
    const refused = await restore(first.id);
    expectError(refused, 400, 'validation_error');
    const { message, code } = refused.body as Record<string, string>;
    expect(code).to.equal('quota_exceeded');
    expect(message).to.include('Delete codes that you no longer need');
    await remove(second.id);
    expect((await restore(first.id)).status).to.equal(200);
  });

  it('deletes a code for good with permanently=true, from the trash or not, and 404 then', async () => {
    for (const isTrashed of [true, false]) {
      const { id, shareToken } = await create();
      if (isTrashed) await remove(id);
      expect((await remove(id, '?permanently=true')).status).to.equal(204);
      expectError(await remove(id, '?permanently=true'), 404, 'not_found');
      expectError(await restore(id), 404, 'not_found');
      expect(await follow(shareToken)).to.equal('404');
      expect(await service.db('qr_codes').where({ id })).to.deep.equal([]);
    }
    const { id } = await create();
    expectError(await remove(id, '?permanently=maybe'), 400, 'validation_error');
  });

  it('takes many codes at once', async () => {
    const codes = [await create(), await create()];
    const qrCodeIds = codes.map(({ id }) => id);
    expect((await api('/qrcodes/bulk', { method: 'DELETE', body: { qrCodeIds } })).status).to.equal(204);
    expect((await list('?state=trashed')).data.map(({ id }) => id)).to.have.members(qrCodeIds);
    for (const { shareToken } of codes) expect(await follow(shareToken)).to.equal('404');
  });

  it('sends webhooks what deletion sends, what creation sends for a restore, and nothing when a code is purged', async () => {
    const { id } = await create({ category: 'Bar' });
    const body = {
      name: 'Mine',
      url: 'https://example.com/hook',
      events: ['code.created', 'code.updated', 'code.deleted'],
    };
    const created = await api('/webhooks', { method: 'POST', body });
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    const endpoint = created.body as { id: string };
    const before = (await read(id)) as Code;
    await remove(id);
    await restore(id);
    await remove(id);
    await remove(id, '?permanently=true');
    const deliveries = (await service
      .db('webhook_deliveries')
      .where({ endpoint_id: endpoint.id })
      .orderBy('id')
      .select('event', 'data')) as { event: string; data: Record<string, unknown> }[];
    expect(deliveries.map(({ event }) => event)).to.deep.equal([
      'code.deleted',
      'code.created',
      'code.deleted',
    ]);
    for (const { data } of deliveries)
      expect(data).to.include({ id, share_token: before.shareToken, name: 'Menu', category: 'Bar' });
  });

  it('hides what the log of a webhook endpoint has of a code, except its deletion, until it is restored', async () => {
    const { id } = await create();
    const body = {
      name: 'Mine',
      url: 'https://example.com/hook',
      events: ['code.created', 'code.updated', 'code.deleted'],
    };
    const hook = ((await api('/webhooks', { method: 'POST', body })).body as { id: string }).id;
    const log = async () =>
      ((await api(`/webhooks/${hook}/deliveries`)).body as { data: { id: string; type: string }[] }).data;
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    const [updated] = await log();
    expect(updated?.type).to.equal('code.updated');
    await remove(id);
    expect((await log()).map(({ type }) => type)).to.deep.equal(['code.deleted']);
    expectError(await api(`/webhook-deliveries/${updated?.id}`), 404, 'not_found');
    await restore(id);
    const types = (await log()).map(({ type }) => type);
    expect(types).to.deep.equal(['code.created', 'code.deleted', 'code.updated']);
    expect((await api(`/webhook-deliveries/${updated?.id}`)).status).to.equal(200);
  });
});
