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

const names = [
  'assets/app.css',
  'assets/icon.svg',
  'codes/detail/chart.browser.js',
  'codes/detail/detail.browser.js',
  'codes/form/form.browser.js',
  'ui/app.browser.js',
];
const sourceOf = (name: string) => readFile(new URL(`../../src/web/${name}`, import.meta.url));

describe('Stylesheet, scripts and icon', () => {
  let service: TestService;
  let path: string;

  before(async () => {
    service = await startService();
    path =
      /href="(\/assets\/\w+)\/assets\/app\.css"/.exec(await (await fetch(service.url)).text())?.[1] ?? '';
    expect(path).to.not.equal('');
  });
  after(() => service.stop());

  /** The bytes as they come: `fetch` would unpack them. */
  function ask(address: string, headers: Record<string, string>, method = 'GET'): Promise<Received> {
    return new Promise((resolve, reject) => {
      const asked = request(service.url + address, { headers, method }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      });
      asked.on('error', reject).end();
    });
  }

  it('come packed as the browser can unpack them, and are the same when unpacked', async () => {
    for (const name of names) {
      const source = await sourceOf(name);
      const answers = await Promise.all(
        ['gzip, deflate, br', 'gzip', 'identity'].map((accepted) =>
          ask(`${path}/${name}`, { 'Accept-Encoding': accepted }),
        ),
      );
      const [brotli, gzip, plain] = answers as [Received, Received, Received];
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

  it('come as they are to who names no encoding, or refuses those that we have', async () => {
    const source = await sourceOf('assets/app.css');
    for (const headers of [{}, { 'Accept-Encoding': 'br;q=0, gzip;q=0' }, { 'Accept-Encoding': 'zstd' }]) {
      const answer = await ask(`${path}/assets/app.css`, headers);
      expect(answer.headers['content-encoding'], JSON.stringify(headers)).to.equal(undefined);
      expect(answer.bytes.equals(source)).to.equal(true);
    }
  });

  it('tell a HEAD what a GET would get', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const [get, head] = [
      await ask(`${path}/assets/app.css`, headers),
      await ask(`${path}/assets/app.css`, headers, 'HEAD'),
    ];
    expect(head.bytes).to.have.length(0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'vary', 'cache-control'])
      expect(head.headers[name], name).to.equal(get.headers[name]);
  });

  it('are packed alone: a page holds form tokens, and its length must not give them away', async () => {
    const answer = await ask('/signin', { 'Accept-Encoding': 'gzip, deflate, br', Accept: 'text/html' });
    expect(answer.headers['content-encoding']).to.equal(undefined);
    expect(answer.bytes.toString()).to.contain('name="csrfToken"');
  });

  it("are nothing else of what lies in the same folders, such as the server's own modules", async () => {
    for (const name of [
      'app.js',
      'app.ts',
      'asset-files.js',
      'ui/layout.js',
      'ui/layout.tsx',
      'keys/keys-routes.ts',
    ]) {
      expect((await ask(`${path}/${name}`, {})).status, name).to.equal(404);
    }
  });
});
