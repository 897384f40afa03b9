import { expect } from 'chai';
import { expectWindow } from '../../support/expect-error.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('GET /api/v1/openapi.json is served from memory (decisions: Limits)', () => {
  let service: TestService;
  let url: string;
  before(async () => {
    service = await startService({ config: { abuseContact: 'abuse@example.com' } });
    url = `${service.url}/api/v1/openapi.json`;
  });
  after(() => service.stop());

  it('without a query: also while the table of the rate limit is missing', async () => {
    await service.db.raw('ALTER TABLE request_windows RENAME TO away');
    try {
      for (const headers of [{}, { Authorization: 'Bearer nonsense' }]) {
        const response = await fetch(url, { headers });
        expect(response.status).to.equal(200);
        expectWindow(response.headers);
      }
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const response = await fetch(url, { method });
        expect(response.status, method).to.equal(405);
        expect(response.headers.get('Allow')).to.equal('HEAD, GET');
        expectWindow(response.headers);
      }
    } finally {
      await service.db.raw('ALTER TABLE away RENAME TO request_windows');
    }
  });

  it('with an ETag: 304 while it is unchanged', async () => {
    const first = await fetch(url);
    const etag = first.headers.get('ETag') ?? '';
    expect(etag).to.match(/^"[\w-]+"$/);
    expect(first.headers.get('Cache-Control')).to.equal('no-cache');
    const again = await fetch(url, { headers: { 'If-None-Match': etag } });
    expect(again.status).to.equal(304);
    expect(again.headers.get('ETag')).to.equal(etag);
    expectWindow(again.headers);
    expect((await fetch(url, { headers: { 'If-None-Match': '"other"' } })).status).to.equal(200);
  });

  it('compressed where the client accepts gzip, and plain otherwise; HEAD has the length of GET', async () => {
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('Content-Encoding')).to.equal(null);
    const text = await plain.text();
    const packed = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(packed.headers.get('Content-Encoding')).to.equal('gzip');
    expect(packed.headers.get('Vary')).to.include('Accept-Encoding');
    expect(Number(packed.headers.get('Content-Length'))).to.be.below(text.length / 3);
    expect(packed.headers.get('ETag')).to.not.equal(plain.headers.get('ETag'));
    expect(await packed.text()).to.equal(text);
    const head = await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect(head.headers.get('Content-Length')).to.equal(String(Buffer.byteLength(text)));
  });

  it('with the contact of the operator', async () => {
    const { info } = (await (await fetch(url)).json()) as { info: { contact: object } };
    expect(info.contact).to.deep.equal({ email: 'abuse@example.com' });
  });
});
