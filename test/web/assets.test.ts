import { readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

interface Received {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  bytes: Buffer;
}

const sheets = ['ui.css', 'codes.css', 'docs.css'];
const files = [
  'codes/detail/chart.browser.js',
  'codes/detail/detail.browser.js',
  'codes/form/form.browser.js',
  'ui/icon.svg',
  'ui/app.browser.js',
];
const fileOf = (name: string) => readFile(new URL(`../../src/web/${name}`, import.meta.url));

describe('Style sheets, scripts and icon', () => {
  let service: TestService;
  let path: string;

  before(async () => {
    service = await startService();
    path = /href="(\/assets\/\w+)\/ui\.css"/.exec(await (await fetch(service.url)).text())?.[1] ?? '';
    expect(path).to.not.equal('');
  });
  after(() => service.stop());

  /** The bytes as they were sent: `fetch` would decompress them. */
  function send(address: string, headers: Record<string, string>, method = 'GET'): Promise<Received> {
    return new Promise((resolve, reject) => {
      const sent = request(service.url + address, { headers, method }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      });
      sent.on('error', reject).end();
    });
  }

  it('are sent compressed as the browser accepts, and decompress to the same bytes', async () => {
    for (const name of [...sheets, ...files]) {
      const answers = await Promise.all(
        ['gzip, deflate, br', 'gzip', 'identity'].map((accepted) =>
          send(`${path}/${name}`, { 'Accept-Encoding': accepted }),
        ),
      );
      const [brotli, gzip, plain] = answers as [Received, Received, Received];
      const source = files.includes(name) ? await fileOf(name) : plain.bytes;
      expect(answers.map(({ headers }) => headers['content-encoding'])).to.deep.equal([
        'br',
        'gzip',
        undefined,
      ]);
      expect(brotliDecompressSync(brotli.bytes).equals(source), name).to.equal(true);
      expect(gunzipSync(gzip.bytes).equals(source), name).to.equal(true);
      expect(plain.bytes.equals(source), name).to.equal(true);
      expect(brotli.bytes.length, name).to.be.below(gzip.bytes.length);
      expect(gzip.bytes.length, name).to.be.below(source.length);
      for (const { status, headers, bytes } of answers) {
        expect(status).to.equal(200);
        expect(headers['vary']).to.equal('Accept-Encoding');
        expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
        expect(headers['content-length']).to.equal(String(bytes.length));
        expect(headers['content-type']).to.match(
          /^(?:text\/css|text\/javascript|image\/svg\+xml); charset=utf-8$/,
        );
      }
    }
  });

  it('are sent uncompressed to a client that accepts none of the encodings', async () => {
    const source = await fileOf('ui/icon.svg');
    for (const headers of [{}, { 'Accept-Encoding': 'br;q=0, gzip;q=0' }, { 'Accept-Encoding': 'zstd' }]) {
      const answer = await send(`${path}/ui/icon.svg`, headers);
      expect(answer.headers['content-encoding'], JSON.stringify(headers)).to.equal(undefined);
      expect(answer.bytes.equals(source)).to.equal(true);
    }
  });

  /** As sent: comments and indentation would be a fifth of the bytes. */
  const asSent = (sheet: Buffer) =>
    String(sheet)
      .replaceAll(/\/\*.*?\*\//gs, '')
      .replaceAll(/^\s+/gm, '');

  it('put all style sheets of a folder into one, and the layers and the theme before the shared ones', async () => {
    const [shared = '', codes] = await Promise.all(
      ['ui.css', 'codes.css'].map(async (name) => String((await send(`${path}/${name}`, {})).bytes)),
    );
    expect(shared).to.match(/^@layer tokens, base, controls, layout, features, utilities;\n/);
    expect(shared.indexOf('@layer tokens {')).to.be.within(1, shared.indexOf('@layer base {'));
    for (const name of ['ui/base.css', 'ui/controls.css', 'ui/layout.css'])
      expect(shared, name).to.contain(asSent(await fileOf(name)));
    for (const name of [
      'codes/star.css',
      'codes/list/list.css',
      'codes/form/form.css',
      'codes/detail/detail.css',
    ])
      expect(codes, name).to.contain(asSent(await fileOf(name)));
  });

  it('respond to HEAD with the headers of GET', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const [get, head] = [
      await send(`${path}/ui/icon.svg`, headers),
      await send(`${path}/ui/icon.svg`, headers, 'HEAD'),
    ];
    expect(head.bytes).to.have.length(0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'vary', 'cache-control'])
      expect(head.headers[name], name).to.equal(get.headers[name]);
  });

  it('include the fonts, as they are: woff2 is compressed', async () => {
    const sheet = String((await send(`${path}/ui.css`, {})).bytes);
    const names = [...sheet.matchAll(/url\((ui\/[\w-]+\.woff2)\)/g)].map(([, name]) => name);
    expect(names).to.include('ui/inter-latin-wght-normal.woff2').and.have.length.above(4);
    for (const name of names) {
      const { status, headers, bytes } = await send(`${path}/${name}`, { 'Accept-Encoding': 'br, gzip' });
      expect([status, headers['content-type'], headers['content-encoding']], name).to.deep.equal([
        200,
        'font/woff2',
        undefined,
      ]);
      expect(bytes.subarray(0, 4).toString(), name).to.equal('wOF2');
    }
    // Text that is drawn in another font first would move.
    expect(sheet).to.contain('font-display: optional').and.not.contain('font-display: swap');
    expect(await (await fetch(service.url)).text()).to.contain(
      `<link rel="preload" href="${path}/ui/inter-latin-wght-normal.woff2" as="font" type="font/woff2" crossorigin="anonymous"`,
    );
  });

  it("do not include the server's own modules, which are in the same folders", async () => {
    for (const name of [
      'app.js',
      'app.ts',
      'asset-files.js',
      'ui/layout.js',
      'ui/layout.tsx',
      'keys/keys-routes.ts',
      'keys/keys.css',
    ]) {
      expect((await send(`${path}/${name}`, {})).status, name).to.equal(404);
    }
  });
});
