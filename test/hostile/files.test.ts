import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { readFile } from '../../src/codes/files/read-upload.ts';
import { maxFileBytes } from '../../src/codes/files/upload.ts';
import { pdf } from '../codes/files/pdf-file.ts';
import { png } from '../codes/files/logo-files.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { formClient, signedIn } from '../support/form-client.ts';
import { ownerClient } from '../support/owner-client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { createCode } from '../support/share.ts';
import { decodeHere, reasonsOf } from './decode-here.ts';
import { activePdfs, type HostileFile, hostileFiles } from './hostile-files.ts';
import { hostileImages } from './hostile-logos.ts';

const megabyte = 1024 * 1024;
/** The pixels of the largest image three times, and the code of a thread. */
const maxGrowthMb = 400;
/** What is left of these is a plain image. */
const isCleaned = (name: string) => /behind|more than it says|animated PNG|megapixels of nothing/.test(name);

/** One of each kind, and those that would take most memory: they are sent to the service. */
const isSent = (name: string) =>
  [
    'HTML declared as PDF',
    'PDF, truncated',
    'PNG with a million chunks',
    'JPEG with a million segments',
    'PNG of 50,000 × 50,000',
    'PNG of 10 megapixels of nothing',
    'PNG with more data than pixels',
    'JPEG with a script behind it',
    'JPEG with two frames',
  ].includes(name);
const contains = (file: Buffer) => file.includes('<script>') || file.includes('PK\x03\x04');

/** Those of logos, too, which are described in other words. */
async function allFiles(): Promise<HostileFile[]> {
  const images = (await hostileImages()).map(([name, file]) => ({ name, file, message: /: |must be/ }));
  return [...(await hostileFiles()), ...images];
}

describe('Files that should not be served', () => {
  let service: TestService;
  let api: ApiClient;
  let id: string;
  let files: HostileFile[];

  before(async () => {
    files = await allFiles();
    service = await startService();
    api = ownerClient(service);
    ({ id } = await createCode(api));
  });
  after(() => service.stop());

  const put = (file: Buffer, { type = 'application/octet-stream', query = '', headers = {} } = {}) =>
    api(`/qrcodes/${id}/file${query}`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': type, ...headers },
    });
  const download = (url: string) => fetch(url.replace('https://qr.test', service.url));

  it('are refused by the service, or are nothing but an image afterwards, in bounded memory', async function () {
    this.timeout(240_000);
    const sent = files.filter(({ name }) => isSent(name));
    expect(sent).to.have.length(9);
    await put(pdf({ comment: 'stays' }));
    const startRss = process.memoryUsage.rss();
    let peak = startRss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    for (const { name, file, type, message } of sent) {
      const answer = await put(file, type ? { type } : {});
      if (isCleaned(name)) {
        expect(answer.status, name).to.equal(200);
        const served = Buffer.from(await (await download(answer.body.url)).arrayBuffer());
        expect(contains(served), name).to.equal(false);
      } else {
        expect(answer.status, name).to.equal(400);
        expectInvalid(answer, ['file']);
        expect(answer.body.details[0].message, name).to.match(message);
      }
    }
    clearInterval(watch);
    expect((peak - startRss) / megabyte).to.be.below(maxGrowthMb);
  });

  it('are refused with a reason and a remedy, or are nothing but an image afterwards', async function () {
    this.timeout(120_000);
    expect(files.length).to.be.at.least(70);
    const wrong: string[] = [];
    for (const { name, file, type, message } of files) {
      const upload = { bytes: file, declared: type ?? 'application/octet-stream', name: '' };
      let stored: Uint8Array | undefined;
      const reading = readFile(decodeHere, { key: 'owner' }, upload).then(({ data }) => (stored = data));
      const reasons = await reasonsOf(reading);
      if (stored) {
        if (!isCleaned(name)) wrong.push(`${name}: accepted`);
        else if (contains(Buffer.from(stored))) wrong.push(`${name}: not cleaned`);
      } else if (reasons?.length !== 1 || reasons[0]?.field !== 'file' || !message.test(reasons[0].message))
        wrong.push(`${name}: ${JSON.stringify(reasons)}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  for (const [name, file] of Object.entries(activePdfs))
    it(`a PDF with a ${name} is served as a document without an origin`, async () => {
      const { status, body } = await put(file, { type: 'application/pdf' });
      expect(status).to.equal(200);
      const { headers } = await download(body.url);
      expect(headers.get('content-type')).to.equal('application/pdf');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy'))
        .to.include("default-src 'none'")
        .and.to.match(/; sandbox allow-scripts$/)
        .and.to.not.include('allow-same-origin');
      expect(headers.get('set-cookie')).to.equal(null);
    });

  it('names of files are bounded, and cannot leave their header or folder', async () => {
    for (const name of [
      '%00',
      'a%0D%0ASet-Cookie:%20x=1',
      'menu%E2%80%AEfdp.exe',
      'x'.repeat(101),
      '%20',
      '',
    ])
      expectInvalid(await put(pdf(), { query: `?name=${name}` }), ['name']);
    expectInvalid(await put(pdf(), { query: '?name=a&name=b' }), ['name']);
    for (const name of [
      '../../../etc/passwd',
      '..\\..\\x',
      'a"; filename="b.exe',
      '<img src=x>',
      'CON',
      "x'y;z=%41",
    ]) {
      const { status, body } = await put(pdf(), { query: `?name=${encodeURIComponent(name)}` });
      expect(status, name).to.equal(200);
      expect(body.url).to.match(/^https:\/\/qr\.test\/f\/\w{10}\/[\w-]+\.pdf$/);
      const disposition = (await download(body.url)).headers.get('content-disposition') ?? '';
      expect(disposition).to.match(
        /^inline; filename="?[^"/\\<>]+\.pdf"?(?:; filename\*=UTF-8''[\w%.!~-]+)?$/,
      );
    }
  });

  it('a body that says it is huge is not read, and one that grows too large is cut', async () => {
    const key = await service.makeKey();
    const headers = (more: [string, string][]): [string, string][] => [
      ['Authorization', `Bearer ${key}`],
      ['Content-Type', 'application/pdf'],
      ...more,
    ];
    const code = await createCode(apiClient(service.url, key));
    const path = `/api/v1/qrcodes/${code.id}/file`;
    for (const length of ['1099511627776', '9007199254740991', String(maxFileBytes + 1)]) {
      const said = headers([['Content-Length', length]]);
      expect((await sendRaw(service.url, { method: 'PUT', path, headers: said })).status, length).to.equal(
        413,
      );
    }
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const grown = headers([['Transfer-Encoding', 'chunked']]);
    const answer = await sendRaw(service.url, {
      method: 'PUT',
      path,
      headers: grown,
      body: `${chunk.repeat(12)}0\r\n\r\n`,
    });
    expect(answer.status).to.equal(413);
    expectError(await put(pdf(), { headers: { 'Content-Encoding': 'gzip' } }), 415, 'validation_error');
  });

  it('a form of 100,000 parts is refused before it is parsed', async () => {
    const client = await signedIn(service, 'parts@example.com');
    const body = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100_000);
    const answer = await fetch(`${service.url}/codes/new/file`, {
      method: 'POST',
      body: `${body}--x--`,
      headers: {
        Accept: 'application/json',
        Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Content-Type': 'multipart/form-data; boundary=x',
      },
    });
    expect(answer.status).to.equal(400);
    expect(await answer.json()).to.include({ message: 'The form is malformed.' });
  });

  it('a text of more than 64 KB in the place of a file is refused', async () => {
    const client = await signedIn(service, 'long-text@example.com');
    const form = new FormData();
    form.set('name', '\u0301'.repeat(500_000) + '\u0323'.repeat(500_000));
    const answer = await fetch(`${service.url}/codes/new/file`, {
      method: 'POST',
      body: form,
      headers: {
        Accept: 'application/json',
        Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    expect(answer.status).to.equal(413);
    expect(await answer.json()).to.include({ message: 'The form is too large.' });
  });

  it('an upload that hardly moves is cut, and leaves its slot', async function () {
    this.timeout(30_000);
    const key = await service.makeKey({ email: 'trickle@example.com' });
    const code = await createCode(apiClient(service.url, key));
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = `PUT /api/v1/qrcodes/${code.id}/file HTTP/1.1\r\nHost: qr.test\r\nAuthorization: Bearer ${key}`;
    socket.write(`${head}\r\nContent-Type: application/pdf\r\nContent-Length: 1000000\r\n\r\n%PDF-`);
    const trickle = setInterval(() => socket.write('x'), 500);
    const answer = await text(socket).finally(() => clearInterval(trickle));
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.include('The upload was too slow. Try again with a faster connection.');
  });

  it('slow uploads of one account do not keep another one waiting, and hold nothing when they end', async () => {
    const key = await service.makeKey({ email: 'slow@example.com' });
    const slow = apiClient(service.url, key);
    const code = await createCode(slow);
    const sockets: Socket[] = [];
    for (let index = 0; index < 2; index += 1) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      const head = `PUT /api/v1/qrcodes/${code.id}/file HTTP/1.1\r\nHost: qr.test\r\nAuthorization: Bearer ${key}`;
      socket.write(`${head}\r\nContent-Type: application/pdf\r\nContent-Length: 1000000\r\n\r\n%PDF-1.4`);
      sockets.push(socket);
    }
    expect((await put(png())).status).to.equal(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      const sent = {
        method: 'PUT',
        raw: new Uint8Array(pdf()),
        headers: { 'Content-Type': 'application/pdf' },
      };
      expect((await slow(`/qrcodes/${code.id}/file`, sent)).status).to.equal(200);
    });
  });

  it('slow bodies of many accounts make room for others that wait', async function () {
    this.timeout(60_000);
    const sockets = new Set<Socket>();
    let isOver = false;
    let sent = 0;
    const trickle = setInterval(() => {
      for (const socket of sockets) socket.write('x'.repeat(450));
    }, 100);
    const head = (request: string, key: string, type: string) =>
      `${request} HTTP/1.1\r\nHost: qr.test\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: 1000000\r\n\r\n`;
    /** Sends it again whenever it is cut. */
    const attack = (start: string) => {
      if (isOver) return;
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
        socket.write(start);
        sockets.add(socket);
        sent += 1;
      });
      socket.on('error', () => undefined);
      socket.resume();
      socket.once('close', () => {
        sockets.delete(socket);
        attack(start);
      });
    };
    try {
      for (let index = 0; index < 8; index += 1) {
        const key = await service.makeKey({ email: `attacker-${index}@example.com` });
        if (index % 2 === 0) {
          const code = await createCode(apiClient(service.url, key));
          attack(head(`PUT /api/v1/qrcodes/${code.id}/file`, key, 'application/pdf'));
        } else attack(head('POST /api/v1/qrcodes/bulk', key, 'application/json'));
      }
      await eventually(() => expect(sent).to.be.at.least(8));
      const other = apiClient(service.url, await service.makeKey({ email: 'bulk-victim@example.com' }));
      // One at once with the other: neither leaves its slot to the other before all slots are taken.
      const body = { qrCodes: [{ name: 'Menu', content: 'https://example.com/menu' }] };
      const answers = await Promise.all([put(png()), other('/qrcodes/bulk', { method: 'POST', body })]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    } finally {
      isOver = true;
      clearInterval(trickle);
      for (const socket of sockets) socket.destroy();
    }
  });

  it('a bulk request that hardly moves is cut, and leaves its slot', async function () {
    this.timeout(30_000);
    const key = await service.makeKey({ email: 'bulk-trickle@example.com' });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = `POST /api/v1/qrcodes/bulk HTTP/1.1\r\nHost: qr.test\r\nAuthorization: Bearer ${key}`;
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`);
    const trickle = setInterval(() => socket.write(' '), 500);
    const answer = await text(socket).finally(() => clearInterval(trickle));
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.include('The upload was too slow. Try again with a faster connection.');
  });

  it('forms with files count before they are received', async function () {
    this.timeout(120_000);
    const client = await signedIn(service, 'unread@example.com');
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = '/codes/new/file';
    // Its length is refused before its body is read, and so before its CSRF token is.
    const send = () =>
      sendRaw(service.url, {
        method: 'POST',
        path,
        headers: [
          ['Cookie', cookie],
          ['Accept', 'application/json'],
          ['Content-Type', 'multipart/form-data; boundary=x'],
          ['Content-Length', '99999999'],
        ],
      });
    // Most of what the address may send in an hour, as forms that cost less: nobody is signed in.
    const visitor = formClient(service.url);
    await visitor.get('/signin');
    const fill = async () => expect((await visitor.post('/signout', {})).status).to.equal(303);
    for (let batch = 0; batch < 19; batch += 1) await Promise.all(Array.from({ length: 100 }, fill));
    const statuses = new Set<number>();
    for (let batch = 0; batch < 10 && !statuses.has(429); batch += 1)
      for (const { status } of await Promise.all(Array.from({ length: 20 }, send))) statuses.add(status);
    expect([...statuses]).to.deep.equal([413, 429]);
  });
});

describe('A form whose parts take long to parse is refused before', () => {
  const post = async (type: string, body: string) => {
    const service = await sharedService();
    const client = await signedIn(service, 'slow-parts@example.com');
    return fetch(`${service.url}/codes/00000000-0000-7000-8000-000000000000/file`, {
      method: 'POST',
      headers: {
        Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Content-Type': `multipart/form-data; ${type}`,
      },
      body,
    });
  };
  const part = (boundary: string, header: string, value = '') =>
    `--${boundary}\r\n${header}\r\n\r\n${value}\r\n`;
  const field = 'Content-Disposition: form-data; name="a"';
  const many = `${part('real', field).repeat(300)}--real--\r\n`;
  const forms: Record<string, [type: string, body: string]> = {
    'many parts behind another parameter': ['xboundary=z; boundary=real', many],
    'many parts behind a parameter that quotes a boundary': ['x="boundary=zzz"; boundary=real', many],
    'many parts behind the first of two boundaries': ['boundary=real; boundary=other', many],
    'a part with many headers': [
      'boundary=real',
      `${part('real', field + '\r\nX: a'.repeat(1_000))}--real--\r\n`,
    ],
    'a part with a long name': [
      'boundary=real',
      `${part('real', `Content-Disposition: form-data; name="${'%22'.repeat(5_000)}"`)}--real--\r\n`,
    ],
    'a part whose headers never end': ['boundary=real', `--real\r\n${'X: a\r\n'.repeat(2_000)}--real--\r\n`],
    'no boundary': ['x=y', many],
  };
  for (const [name, [type, body]] of Object.entries(forms)) {
    it(name, async () => {
      const answer = await post(type, body);
      expect(answer.status).to.equal(400);
      expect(await answer.text()).to.contain('The form is malformed.');
    });
  }
});
