import { expect } from 'chai';
import { type Brand, readBrand } from '../../../src/brand.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { formClient, signedIn } from '../../support/form-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';
import { addBlock } from '../../../src/codes/blocks.ts';
import { png } from '../../codes/files/logo-files.ts';

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30"><script>alert(1)</script></svg>',
);

function brandOf(): Brand {
  const env: Record<string, string> = { BRAND_NAME: 'Harbor & Co', BRAND_COLOR: '#c2185b' };
  const brand = readBrand(
    (name) => env[name],
    (error) => expect.fail(error),
  );
  const logo = {
    path: '/brand/logo-0123456789ab.svg',
    mediaType: 'image/svg+xml',
    bytes: svg,
    width: 120,
    height: 30,
  };
  return { ...brand, logo };
}

describe('Pages with the brand of the operator', () => {
  let service: TestService;
  let api: ApiClient;
  const brand = brandOf();

  before(async () => {
    service = await startService({ config: { brand } });
    api = ownerClient(service);
  });
  after(() => service.stop());

  const read = async (path: string) => (await formClient(service.url).get(path)).text();

  it('have its name, logo, icon and color, and nowhere ours', async () => {
    const user = await signedIn(service, 'brand@example.com');
    for (const path of ['/', '/signin', '/signup', '/nothing', '/codes', '/account']) {
      const page = await (await (path.startsWith('/sign') ? formClient(service.url) : user).get(path)).text();
      expect(page, path).to.match(/<title>(?:[^<]+ · )?Harbor &amp; Co<\/title>/);
      expect(page, path).to.contain(
        'src="/brand/logo-0123456789ab.svg" width="112" height="28" alt="Harbor &amp; Co"',
      );
      expect(page, path).to.contain(`<link rel="icon" href="${brand.icon?.path}"`);
      expect(page.replaceAll(/qrelay-|Qrelay-Warning/g, ''), path).not.to.contain('Qrelay');
    }
    const sheet = /href="([^"]+\/ui\.css)"/.exec(await read('/'))?.[1] ?? '';
    expect(await read(sheet)).to.contain('--accent:#c2185b');
  });

  it('serve its pictures forever, and run nothing that is in them', async () => {
    for (const path of [brand.logo?.path ?? '', brand.icon?.path ?? '']) {
      const answer = await fetch(service.url + path);
      expect(answer.status, path).to.equal(200);
      expect(answer.headers.get('content-type')).to.contain('image/svg+xml');
      expect(answer.headers.get('cache-control')).to.contain('immutable');
      expect(answer.headers.get('content-security-policy'))
        .to.contain('sandbox')
        .and.not.to.contain('script-src');
    }
    expect((await fetch(`${service.url}/brand/logo-other.svg`)).status).to.equal(404);
  });

  it('include the share pages, which show its name and color unless the owner has chosen one', async () => {
    const plain = await createCode(api, { type: 'text', content: 'Hello' });
    const page = await openShare(service.url, plain.shareToken);
    const text = await page.text();
    expect(text)
      .to.contain('<footer>Harbor &amp; Co')
      .and.to.contain('--accent:#c2185b')
      .and.not.to.contain('Qrelay');
    expect(text).to.contain(`<link rel="icon" href="${brand.icon?.path}">`);
    const missing = await (await openShare(service.url, 'aaaaaaaaaa')).text();
    expect(missing).to.contain('--accent:#c2185b').and.not.to.contain('Qrelay');
    const own = await createCode(api, { type: 'text', content: 'Hello' });
    await api(`/qrcodes/${own.id}/page`, { method: 'PATCH', body: { color: '#0a66c2' } });
    expect(await (await openShare(service.url, own.shareToken)).text()).to.contain('--accent:#0a66c2');
  });

  it('show the title, color and logo of the owner on the page of an expired code, not of a blocked one', async () => {
    const { id, shareToken } = await createCode(api, { type: 'text', content: 'Hello' });
    await api(`/qrcodes/${id}/page`, { method: 'PATCH', body: { title: 'Summer <sale>', color: '#0a66c2' } });
    const logo = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    await api(`/qrcodes/${id}/page/logo?alt=Our%20logo`, logo);
    await api(`/qrcodes/${id}/ending`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00.000Z' } });
    const answer = await openShare(service.url, shareToken);
    expect(answer.status).to.equal(410);
    const text = await answer.text();
    expect(text)
      .to.contain('Summer &lt;sale&gt;')
      .and.to.contain('--accent:#0a66c2')
      .and.not.to.contain('Qrelay');
    const style = /<style>(@media screen[^<]+)<\/style>/.exec(text)?.[1];
    expect(style).to.be.a('string');
    expect(answer.headers.get('content-security-policy')?.match(/'sha256-/g)).to.have.length(3);
    const source = /<img class="logo" src="([^"]+)" alt="Our logo">/.exec(text)?.[1] ?? '';
    const picture = await fetch(service.url + source);
    expect([picture.status, picture.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    await addBlock(service.db, { kind: 'code', value: id, reason: null, createdAt: new Date() });
    service.passTime(10_000);
    const blocked = await (await openShare(service.url, shareToken)).text();
    expect(blocked).to.contain('--accent:#c2185b').and.not.to.contain('Summer');
    expect((await fetch(service.url + source)).status).to.equal(410);
  });
});
