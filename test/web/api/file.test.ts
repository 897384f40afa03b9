import { expect } from 'chai';
import { maxFileBytes } from '../../../src/codes/files/upload.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { jpeg, png, webp } from '../../codes/files/logo-files.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode, openShare } from '../../support/share.ts';

const megabyte = 1024 * 1024;

describe('The file of a QR code, /api/v1/qrcodes/:id/file', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService({ ...quickImages, worker: true });
    api = ownerClient(service);
  });
  after(() => service.stop());

  const upload = (
    id: string,
    file: Buffer,
    { client = api, type = 'application/octet-stream', query = '', headers = {} } = {},
  ) =>
    client(`/qrcodes/${id}/file${query}`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': type, ...headers },
    });
  const download = (url: string, init: RequestInit = {}) =>
    fetch(url.replace('https://qr.test', service.url), { redirect: 'manual', ...init });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const countChunks = async () => Number((await service.db('code_file_chunks').count())[0]?.['count']);

  for (const [type, make] of [
    ['application/pdf', () => pdf()],
    ['image/png', () => png()],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
  ] as const)
    it(`is stored as ${type}, and opened by a scan, which is counted`, async () => {
      const { id, shareToken } = await createCode(api);
      const file = await make();
      const { status, body } = await upload(id, file, { type, query: '?name=Summer%20menu' });
      expect(status).to.equal(200);
      const extension = type === 'image/jpeg' ? 'jpg' : type.split('/')[1];
      expect(body).to.include({
        name: `Summer menu.${extension}`,
        mediaType: type,
        url: `https://qr.test/f/${shareToken}/Summer-menu.${extension}`,
      });
      const code = (await api(`/qrcodes/${id}`)).body;
      expect(code).to.include({ type: 'url', content: body.url });
      const scan = await openShare(service.url, shareToken);
      expect(scan.status).to.equal(302);
      expect(scan.headers.get('location')).to.equal(body.url);
      const served = await download(body.url);
      expect(served.status).to.equal(200);
      expect(served.headers.get('content-type')).to.equal(type);
      expect(served.headers.get('content-length')).to.equal(String(body.bytes));
      expect((await bytesOf(served)).length).to.equal(body.bytes);
      if (type === 'application/pdf') expect(body.bytes).to.equal(file.length);
      await eventually(async () => expect((await api(`/qrcodes/${id}`)).body.scanCount).to.equal(1));
    });

  it('is served with headers that make it harmless, and a name that cannot break them', async () => {
    const { id } = await createCode(api);
    const name = encodeURIComponent('Menü "2027"; x=/../a.pdf');
    const { url } = (await upload(id, pdf(), { query: `?name=${name}` })).body;
    const { headers } = await download(url);
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    expect(headers.get('content-security-policy'))
      .to.match(/^default-src 'none';/)
      .and.to.include("frame-ancestors 'none'")
      .and.to.match(/; sandbox(?: allow-scripts)?$/);
    expect(headers.get('content-disposition')).to.match(/^inline; filename="?[\w.]+"?/);
    expect(headers.get('cache-control')).to.equal('no-cache');
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    const { url: image } = (await upload(id, png())).body;
    expect((await download(image)).headers.get('content-security-policy')).to.match(/; sandbox$/);
  });

  it('answers HEAD, If-None-Match and ranges, across the borders of chunks', async () => {
    const { id } = await createCode(api);
    const file = pdf({ bytes: 500_000 });
    const { url } = (await upload(id, file)).body;
    const head = await download(url, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    expect(etag).to.match(/^"[\w-]+"$/);
    expect(head.headers.get('accept-ranges')).to.equal('bytes');
    expect(head.headers.get('content-length')).to.equal(String(file.length));
    expect((await download(url, { headers: { 'If-None-Match': `"x", W/${etag}` } })).status).to.equal(304);
    for (const [range, start, end] of [
      ['bytes=0-99', 0, 100],
      ['bytes=131000-131200', 131_000, 131_201],
      ['bytes=131072-262143', 131_072, 262_144],
      ['bytes=400000-', 400_000, file.length],
      ['bytes=-5', file.length - 5, file.length],
    ] as const) {
      const part = await download(url, { headers: { Range: range, 'If-Range': etag } });
      expect(part.status, range).to.equal(206);
      expect(part.headers.get('content-range')).to.equal(`bytes ${start}-${end - 1}/${file.length}`);
      expect((await bytesOf(part)).equals(file.subarray(start, end)), range).to.equal(true);
    }
    const missed = await download(url, { headers: { Range: `bytes=${file.length}-` } });
    expect([missed.status, missed.headers.get('content-range')]).to.deep.equal([
      416,
      `bytes */${file.length}`,
    ]);
    const changed = await download(url, { headers: { Range: 'bytes=0-9', 'If-Range': '"another"' } });
    expect(changed.status).to.equal(200);
    expect((await bytesOf(changed)).equals(file)).to.equal(true);
    const posted = await download(url, { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
  });

  it('is replaced at the same address, with another ETag, and its old bytes are kept for its version', async () => {
    const { id, shareUrl } = await createCode(api);
    const first = await upload(id, pdf({ comment: 'first', bytes: 300_000 }), { query: '?name=Menu' });
    const before = await download(first.body.url);
    await before.arrayBuffer();
    await eventually(async () => expect(await service.db('deleted_files').select()).to.deep.equal([]));
    const chunks = await countChunks();
    const second = await upload(id, pdf({ comment: 'second' }));
    expect(second.body).to.include({ name: 'Menu.pdf', url: first.body.url });
    expect((await api(`/qrcodes/${id}`)).body).to.include({ shareUrl, content: first.body.url });
    const after = await download(first.body.url);
    expect(after.headers.get('etag')).to.not.equal(before.headers.get('etag'));
    expect((await bytesOf(after)).includes('second')).to.equal(true);
    expect(await countChunks()).to.equal(chunks + 1);
    await service.db('removed_files').where({ code_id: id }).delete();
    await eventually(async () => expect(await countChunks()).to.equal(chunks - 2));
    const renamed = await upload(id, png(), { query: '?name=Drinks' });
    expect(renamed.body.url).to.match(/\/Drinks\.png$/);
    expect((await download(first.body.url)).headers.get('content-type')).to.equal('image/png');
  });

  it('is versioned: If-Match with another version changes nothing', async () => {
    const { id } = await createCode(api);
    const none = (await api(`/qrcodes/${id}/file`)).headers.get('etag') ?? '';
    const made = await upload(id, pdf(), { headers: { 'If-Match': none } });
    expect(made.status).to.equal(200);
    expectError(await upload(id, png(), { headers: { 'If-Match': none } }), 412, 'validation_error');
    const etag = made.headers.get('etag') ?? '';
    const stale = { method: 'DELETE', headers: { 'If-Match': none } };
    expectError(await api(`/qrcodes/${id}/file`, stale), 412, 'validation_error');
    expect((await api(`/qrcodes/${id}/file`, { headers: { 'If-None-Match': etag } })).status).to.equal(304);
    expect((await api(`/qrcodes/${id}/file`)).body.mediaType).to.equal('application/pdf');
  });

  it('that was deleted leaves no dead link: scans show a page that says so, and DELETE warns of it', async () => {
    const { id, shareToken } = await createCode(api);
    const { body } = await upload(id, pdf());
    const removed = await api(`/qrcodes/${id}/file`, { method: 'DELETE' });
    expect(removed.status).to.equal(204);
    expect(removed.headers.get('Qrelay-Warning')).to.match(/^Scans now show a page .* removed\./);
    const scan = await openShare(service.url, shareToken);
    const page = await download(scan.headers.get('location') ?? '', { headers: { 'Accept-Language': 'de' } });
    expect(page.status).to.equal(410);
    expect(page.headers.get('content-type')).to.match(/^text\/html/);
    expect(await page.text()).to.include('Diese Datei wurde entfernt');
    const again = await api(`/qrcodes/${id}/file`, { method: 'DELETE' });
    expect([again.status, again.headers.get('Qrelay-Warning')]).to.deep.equal([204, null]);
    expect((await upload(id, pdf())).status).to.equal(200);
    expect((await download(body.url)).status).to.equal(200);
    const never = await createCode(api);
    expect((await download(`https://qr.test/f/${never.shareToken}/x.pdf`)).status).to.equal(404);
  });

  it('is deleted by DELETE, by another content, with its code and with its account', async () => {
    const key = await service.makeKey({ email: 'leaver@example.com' });
    const client = apiClient(service.url, key);
    const make = async () => {
      const code = await createCode(client);
      const { body } = await upload(code.id, pdf(), { client });
      return { id: code.id, url: body.url as string };
    };
    const [removed, moved, deleted, left] = [await make(), await make(), await make(), await make()];
    expect((await client(`/qrcodes/${removed.id}/file`, { method: 'DELETE' })).status).to.equal(204);
    expect((await client(`/qrcodes/${removed.id}/file`)).body).to.include({ name: null, url: null });
    expect((await client(`/qrcodes/${removed.id}`)).body.content).to.equal(removed.url);
    const elsewhere = { method: 'PATCH', body: { content: 'https://example.com/elsewhere' } };
    expect((await client(`/qrcodes/${moved.id}`, elsewhere)).status).to.equal(200);
    await client(`/qrcodes/${deleted.id}?permanently=true`, { method: 'DELETE' });
    expect((await download(removed.url)).status).to.equal(410);
    for (const { url } of [moved, deleted]) expect((await download(url)).status).to.equal(404);
    expect((await download(left.url)).status).to.equal(200);
    const user = { email: 'leaver@example.com' };
    const { id } = (await service.db('users').where(user).first('id')) as { id: string };
    const ids = (await service.db('code_files').where({ user_id: id }).select('id')) as { id: string }[];
    expect(ids).to.have.length(1);
    await service.db('users').where({ id }).delete();
    await eventually(async () => {
      expect(await service.db('deleted_files').select()).to.deep.equal([]);
      expect(await service.db('code_file_chunks').where({ file_id: ids[0]?.id }).select()).to.deep.equal([]);
    });
  });

  it('answers as the share link does while the code is private, expired or blocked', async () => {
    const { id, shareToken } = await createCode(api);
    const { url } = (await upload(id, pdf())).body;
    const patch = (body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
    const statuses = async () => [
      (await openShare(service.url, shareToken)).status,
      (await download(url)).status,
    ];
    await patch({ isPublic: false });
    expect(await statuses()).to.deep.equal([404, 404]);
    await patch({ isPublic: true, expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(await statuses()).to.deep.equal([410, 410]);
    await patch({ expiresAt: '2099-01-01T00:00:00.000Z' });
    expect(await statuses()).to.deep.equal([302, 200]);
    await service.db('blocks').insert({ kind: 'code', value: id, created_at: new Date() });
    service.passTime(10_000);
    expect(await statuses()).to.deep.equal([410, 410]);
    expect(await (await download(url)).text()).to.include('<h1>');
    await service.db('blocks').delete();
    for (const path of ['/f/', '/f/aaaaaaaaaa', '/f/aaaaaaaaaa/x.pdf', '/f/../r/x/y', `/f/${shareToken}`])
      expect((await fetch(service.url + path)).status, path).to.equal(404);
  });

  it('has room by plan, also for parallel uploads, and says how much is used', async () => {
    const key = await service.makeKey({ email: 'full@example.com', plan: 'free' });
    const client = apiClient(service.url, key);
    const codes = [await createCode(client), await createCode(client), await createCode(client)];
    const large = pdf({ bytes: 8 * megabyte });
    const answers = await Promise.all(codes.map(({ id }) => upload(id, large, { client })));
    expect(answers.map(({ status }) => status)).to.have.members([200, 200, 400]);
    const refused = answers.find(({ status }) => status === 400) as (typeof answers)[number];
    expectInvalid(refused, ['file']);
    expect(refused.body.message).to.match(
      /has 8\.1 MB, and the other files of the workspace have 16\.1 of 20 MB .*: delete one, make this one smaller, or ask/,
    );
    const used = answers.findIndex(({ status }) => status === 200);
    const { body } = await client(`/qrcodes/${codes[used]?.id}/file`);
    expect(body).to.include({ usedBytes: 2 * large.length, quotaBytes: 20 * megabyte });
    // A replacement needs room for itself only.
    expect((await upload(codes[used]?.id ?? '', large, { client })).status).to.equal(200);
  });

  it('has at most 10 MB, of which not a byte is read where the client says more', async () => {
    const { id } = await createCode(api);
    expect((await upload(id, pdf({ bytes: maxFileBytes - 2_000 }))).status).to.equal(200);
    expectError(await upload(id, Buffer.alloc(maxFileBytes + 1)), 413, 'validation_error');
  });
});
