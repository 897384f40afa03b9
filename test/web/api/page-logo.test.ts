import { expect } from 'chai';
import { plainSvg, png, svg } from '../../codes/files/logo-files.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode, openShare } from '../../support/share.ts';

describe('The logo of a share page, /api/v1/qrcodes/:id/page/logo', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await startService(quickImages);
    api = ownerClient(service);
  });
  after(() => service.stop());

  const upload = (id: string, file: Buffer, query = '?alt=Caf%C3%A9', client = api) =>
    client(`/qrcodes/${id}/page/logo${query}`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'application/octet-stream' },
    });
  const text = () => createCode(api, { type: 'text', content: 'Hello' });
  const logoOf = (token: string, init: RequestInit = {}) => fetch(`${service.url}/r/${token}-logo.png`, init);
  const countLogos = async () => Number((await service.db('logos').count())[0]?.['count']);

  it('is shown on the page, with its text for those who do not see it', async () => {
    const { id, shareToken } = await text();
    expect((await api(`/qrcodes/${id}/page/logo`)).body).to.deep.equal({ logo: null, alt: null });
    expect(await (await openShare(service.url, shareToken)).text()).to.not.include('<img class="logo"');
    expect((await logoOf(shareToken)).status).to.equal(404);
    const saved = await upload(id, png(), '?alt=Caf%C3%A9%20%22%3E%3Cb%3E');
    expect(saved.status).to.equal(200);
    expect(saved.body.alt).to.equal('Café "><b>');
    expect((await api(`/qrcodes/${id}/page/logo`)).body).to.deep.equal(saved.body);
    const page = await (await openShare(service.url, shareToken)).text();
    const [, src = ''] = /<img class="logo" src="([^"]+)" alt="Café &quot;&gt;&lt;b&gt;">/.exec(page) ?? [];
    const logo = await fetch(service.url + src);
    expect(logo.headers.get('content-type')).to.equal('image/png');
    expect(logo.headers.get('cache-control')).to.equal('public, max-age=300');
    const etag = logo.headers.get('etag') ?? '';
    expect(
      Buffer.from(await logo.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).to.equal('PNG');
    expect((await logoOf(shareToken, { headers: { 'If-None-Match': etag } })).status).to.equal(304);
    const head = await logoOf(shareToken, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).to.be.above(50);
    expect((await api(`/qrcodes/${id}/page/logo`, { method: 'DELETE' })).status).to.equal(204);
    expect((await logoOf(shareToken)).status).to.equal(404);
  });

  it('is no scan, and is not shown for a private code', async () => {
    const { id, shareToken } = await text();
    await upload(id, png());
    expect((await logoOf(shareToken)).status).to.equal(200);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    expect((await logoOf(shareToken)).status).to.equal(404);
    expect((await api(`/qrcodes/${id}`)).body.scanCount).to.equal(0);
  });

  it('is stored once with that of the design, and deleted with its last use', async () => {
    const before = await countLogos();
    const { id } = await text();
    const file = png(50, 50);
    const { logo } = (await upload(id, file)).body;
    const designed = await api(`/qrcodes/${id}/design/logo`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'image/png' },
    });
    expect(designed.body.logo).to.equal(logo);
    expect(await countLogos()).to.equal(before + 1);
    await api(`/qrcodes/${id}/design`, { method: 'DELETE' });
    expect(await countLogos()).to.equal(before + 1);
    await upload(id, plainSvg);
    // The former one is kept for its version.
    expect(await countLogos()).to.equal(before + 2);
    await api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
    expect(await countLogos()).to.equal(before);
  });

  it('is deleted with two codes that have the same two logos, at the same time', async () => {
    const before = await countLogos();
    for (let round = 0; round < 5; round += 1) {
      const codes = [await text(), await text()];
      const files = [png(51, 51), png(52, 52)];
      for (const [index, { id }] of codes.entries()) {
        await upload(id, files[index] as Buffer);
        const raw = new Uint8Array(files[1 - index] as Buffer);
        await api(`/qrcodes/${id}/design/logo`, {
          method: 'PUT',
          raw,
          headers: { 'Content-Type': 'image/png' },
        });
      }
      const deleted = await Promise.all(
        codes.map(({ id }) => api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' })),
      );
      expect(deleted.map(({ status }) => status)).to.deep.equal([204, 204]);
    }
    expect(await countLogos()).to.equal(before);
  });

  it('is not replaced or removed with the ETag of an earlier version', async () => {
    const { id } = await text();
    const path = `/qrcodes/${id}/page/logo`;
    const old = (await api(path)).headers.get('etag') ?? '';
    const saved = await upload(id, png());
    const remove = (etag: string) => api(path, { method: 'DELETE', headers: { 'If-Match': etag } });
    expect((await remove(old)).status).to.equal(412);
    expect((await remove(saved.headers.get('etag') ?? '')).status).to.equal(204);
  });

  it('needs a text, and a file that is a logo', async () => {
    const { id } = await text();
    expectInvalid(await upload(id, png(), ''), ['alt']);
    expectInvalid(await upload(id, png(), '?alt='), ['alt']);
    expectInvalid(await upload(id, png(), `?alt=${'x'.repeat(201)}`), ['alt']);
    expectInvalid(await upload(id, png(), '?alt=a%E2%80%AEb'), ['alt']);
    expectInvalid(await upload(id, svg('<script>alert(1)</script>')), ['logo']);
    expectInvalid(await upload(id, Buffer.alloc(0)), ['logo']);
    expect((await upload(id, Buffer.alloc(1024 * 1024 + 1))).status).to.equal(413);
    expect((await api(`/qrcodes/${id}/page/logo`)).body.logo).to.equal(null);
  });

  it('belongs to the owner of the code', async () => {
    const { id } = await text();
    await upload(id, png());
    const stranger = ownerClient(service);
    expectError(await stranger(`/qrcodes/${id}/page/logo`), 404, 'not_found');
    expectError(await upload(id, plainSvg, '?alt=x', stranger), 404, 'not_found');
    expectError(await stranger(`/qrcodes/${id}/page/logo`, { method: 'DELETE' }), 404, 'not_found');
    expect((await api(`/qrcodes/${id}/page/logo`)).body.alt).to.equal('Café');
  });
});
