import { expect } from 'chai';
import { basePathOf, mountAt, ownSegments } from '../../src/http/base-path.ts';
import { apiRoutes, pageRoutes } from '../hostile/routes.ts';
import { apiClient } from '../support/api-client.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import { openPathProxy, type PathProxy } from '../support/path-proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, iPhoneSafari } from '../support/share.ts';

const ownLinks = / (?:href|src|action)="(\/[^"]*)"/g;

describe('BASE_URL with a path', () => {
  /** Every link of every page is followed behind two of them, which are unlike in all respects. */
  const crawled = new Set(['/tools/qr stripped', '/codes forwarded']);
  const proxies: [path: string, strips: boolean[]][] = [
    ['/qr', [false]],
    ['/tools/qr', [true]],
    // One of our own.
    ['/codes', [false, true]],
  ];
  for (const [path, ways] of proxies) {
    describe(`such as https://qr.test${path}`, () => {
      let service: TestService;
      before(async () => {
        service = await startService({ config: { baseUrl: `https://qr.test${path}` } });
      });
      after(() => service.stop());

      for (const strips of ways) {
        describe(`behind a proxy that ${strips ? 'strips it' : 'forwards it'}`, () => {
          let proxy: PathProxy;
          let visitor: FormClient;
          before(async () => {
            proxy = await openPathProxy(service.url, path, { strips });
            visitor = formClient(proxy.url);
          });
          after(() => proxy.close());

          const get = (address: string) =>
            fetch(proxy.url + address, { redirect: 'manual', headers: { 'User-Agent': iPhoneSafari } });

          it('responds at the share link, and its pages link to existing URLs', async () => {
            const api = apiClient(service.url, await service.makeKey());
            const link = await createCode(api);
            expect(link.shareUrl).to.equal(`https://qr.test${path}/r/${link.shareToken}`);
            expect((await get(new URL(link.shareUrl).pathname)).status).to.equal(302);
            for (const [type, content, wanted] of [
              ['wifi', 'WIFI:T:WPA;S:Guests;P:let me in;;', 'image/svg+xml'],
              ['vcard', 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD', 'text/vcard'],
            ] as const) {
              const { shareToken } = await createCode(api, { type, content });
              for (const end of ['', '/']) {
                const page = await (await get(`${path}/r/${shareToken}${end}`)).text();
                const [address, ...more] = [...page.matchAll(ownLinks)].map(([, found = '']) => found);
                expect(more).to.deep.equal([]);
                const answer = await get(address ?? '');
                expect(answer.status, address).to.equal(200);
                expect(answer.headers.get('Content-Type')).to.include(wanted);
              }
            }
          });

          it('responds to API requests there', async () => {
            const key = await service.makeKey();
            const answer = await fetch(`${proxy.url}${path}/api/v1/qrcodes`, {
              headers: { Authorization: `Bearer ${key}` },
            });
            expect(answer.status).to.equal(200);
          });

          it('lets a user sign up and create a code, and every link on the pages works', async () => {
            await visitor.get(`${path}/signup`);
            const email = `path-${strips}@example.com`;
            const signedUp = await visitor.post(`${path}/signup`, {
              email,
              password: 'a fine long password',
            });
            expect(signedUp.status).to.equal(303);
            expect(signedUp.headers.get('Location')).to.equal(`${path}/codes`);
            await visitor.get(`${path}/codes/new`);
            const code = { type: 'url', content: 'https://example.com/', name: 'Menu', size: '512' };
            const look = { foregroundColor: '#000000', backgroundColor: '#ffffff', errorCorrection: 'M' };
            const made = await visitor.post(`${path}/codes/new`, { ...code, ...look });
            const ownPage = made.headers.get('Location') ?? '';
            expect(ownPage).to.match(new RegExp(`^${path}/codes/[0-9a-f-]{36}$`));

            expect(await (await visitor.get(`${path}/codes`)).text()).to.include('<title>QR codes · Qrelay');
            expect(await (await visitor.get(`${path}/`)).text()).to.include('<title>Qrelay</title>');

            if (!crawled.has(`${path} ${strips ? 'stripped' : 'forwarded'}`)) return;
            // Follows links only, so it does not sign out, which is a form.
            const open = [ownPage, `${path}/`, `${path}/nothing-here`];
            const seen = new Set<string>();
            for (let next = open.pop(); next !== undefined; next = open.pop()) {
              const [address = ''] = next.split('#');
              if (seen.has(address) || seen.size > 100) continue;
              seen.add(address);
              const answer = await visitor.get(address);
              expect(answer.status, address).to.equal(address.endsWith('/nothing-here') ? 404 : 200);
              if (!answer.headers.get('Content-Type')?.includes('html')) continue;
              const links = [...(await answer.text()).matchAll(/ (href|src)="(\/[^"]*)"/g)];
              for (const [, , found = ''] of links) {
                expect(found, address).to.match(new RegExp(`^${path}/`));
                open.push(found.replaceAll('&amp;', '&'));
              }
            }
            expect(seen).to.include(`${path}/codes`).and.include(`${path}/docs`).and.include(`${path}/keys`);
            expect(seen.size).to.be.above(20);
          });

          it('redirects a signed-out user to the sign-in page, and back', async () => {
            const answer = await get(`${path}/keys`);
            expect(answer.headers.get('Location')).to.equal(`${path}/signin?next=%2Fkeys`);
          });
        });
      }
    });
  }

  it('is distinguished from our own path segments, all of which are listed', () => {
    // `/w/<slug>` stands in front of the routes of members.
    const names = ['w', ...[...apiRoutes, ...pageRoutes].map(({ path }) => path.split('/')[1] ?? '')];
    const missing = new Set(names.filter((name) => !ownSegments.has(name)));
    expect([...missing], 'add to ownSegments in src/http/base-path.ts').to.deep.equal([]);
  });

  it('leaves other URLs alone', () => {
    const seen: (string | undefined)[] = [];
    const mounted = mountAt('/qr', (req) => seen.push(req.url));
    const ask = (url: string) => mounted({ url } as never, {} as never);
    for (const url of ['/qrcode', '/r/qr', '/qr/qr/codes', 'http://qr.test/qr/r/A?x=1', '/qr?days=7', '/qr'])
      ask(url);
    expect(seen).to.deep.equal(['/qrcode', '/r/qr', '/qr/qr/codes', '/r/A?x=1', '/?days=7', '/']);
    expect(basePathOf('https://qr.test')).to.equal('');
  });
});
