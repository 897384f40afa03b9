import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type HttpServer, openHttpServer } from '../../src/http/http-server.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { startNginx } from '../support/nginx.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, iPhoneSafari, type SharedCode } from '../support/share.ts';

/** Far below the 30 s after which a request that does not arrive is answered with 408. */
const soonMs = 10_000;
const next = 'GET /healthz HTTP/1.1\r\nHost: q\r\n\r\n';
const big = 'x'.repeat(3_000_000);
/** Bytes that a decompressor refuses at once. */
const noise = Buffer.alloc(400_000, 0xa5);
const chunked = 'Transfer-Encoding: chunked';
const json = 'Content-Type: application/json';
const urlencoded = 'Content-Type: application/x-www-form-urlencoded';
const multipart = 'Content-Type: multipart/form-data; boundary=b';
const gzip = 'Content-Encoding: gzip';
const brotli = 'Content-Encoding: br';

/** In chunks of 16 KB. */
function inChunks(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 16_384) {
    const part = bytes.subarray(at, at + 16_384);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

interface Client extends Socket {
  text(): string;
}

async function open(port: number): Promise<Client> {
  let text = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
  await once(socket, 'connect');
  return Object.assign(socket, { text: () => text });
}

/** Sends a request whose body is not read to its end, and then another one on the same connection. */
async function sendTwo(port: number, head: string[], body: string | Buffer): Promise<string> {
  const socket = await open(port);
  const length = head.includes(chunked) ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write([head[0], 'Host: q', ...head.slice(1), ...length, '', ''].join('\r\n'));
  socket.write(head.includes(chunked) ? inChunks(body) : body);
  socket.write(next);
  try {
    return await eventually(() => {
      const text = socket.text();
      const [, second] = statusesIn(text);
      expect(socket.closed || second !== undefined, `only ${text.slice(0, 500)}`).to.equal(true);
      return text;
    }, soonMs);
  } finally {
    socket.destroy();
  }
}

describe('A body that is not read to its end', () => {
  let service: TestService;
  let port: number;
  let code: SharedCode;
  let key: string;
  let cookie: string;

  before(async () => {
    service = await startService({ eagerQueue: true });
    port = Number(new URL(service.url).port);
    const token = await service.makeKey({ email: 'sender@example.com' });
    key = `Authorization: Bearer ${token}`;
    code = await createCode(apiClient(service.url, token));
    const user = await findOrCreateUser(service.db, 'sender@example.com', new Date());
    cookie = `Cookie: __Host-qrelay-session=${await startSession(service.db, user.id, new Date())}`;
  });
  after(() => service.stop());

  type Row = [what: string, status: number, head: () => string[], body: string | Buffer];
  const toApi = () => ['POST /api/v1/qrcodes HTTP/1.1', key, json];
  const toForm = () => ['POST /signin HTTP/1.1', urlencoded];
  const toFile = () => [`PUT /api/v1/qrcodes/${code.id}/file HTTP/1.1`, key, 'Content-Type: application/pdf'];
  const toFileForm = () => [`POST /codes/${code.id}/file HTTP/1.1`, cookie, multipart];
  const validCode = JSON.stringify({ name: 'Trailing', content: 'https://example.com/' });
  /** Ignored by the decompressor, which has come to its end. */
  const trailing = Buffer.concat([gzipSync(validCode), Buffer.alloc(noise.length)]);
  const compressed = gzipSync(big, { level: 0 });
  const file = Buffer.alloc(12_000_000);
  const rows: Row[] = [
    ['JSON that is too large', 413, toApi, big],
    ['JSON that is too large, in chunks', 413, () => [...toApi(), chunked], big],
    ['JSON that is too large, by gzip', 413, () => [...toApi(), gzip], compressed],
    ['JSON that is too large, by gzip in chunks', 413, () => [...toApi(), gzip, chunked], compressed],
    [
      'JSON that is too large, by br',
      413,
      () => [...toApi(), brotli],
      Buffer.concat([brotliCompressSync(big), noise]),
    ],
    ['JSON as invalid gzip', 400, () => [...toApi(), gzip], noise],
    ['JSON as invalid gzip in chunks', 400, () => [...toApi(), gzip, chunked], noise],
    ['JSON as invalid br', 400, () => [...toApi(), brotli], noise],
    [
      'JSON as gzip with other bytes after its end',
      400,
      () => [...toApi(), gzip],
      Buffer.concat([gzipSync(validCode), noise]),
    ],
    ['JSON as gzip with bytes after its end', 201, () => [...toApi(), gzip], trailing],
    ['JSON as gzip with bytes after its end, in chunks', 201, () => [...toApi(), gzip, chunked], trailing],
    ['JSON in an unknown encoding', 415, () => [...toApi(), 'Content-Encoding: zip'], noise],
    ['JSON that says it is something else', 415, () => [...toApi().slice(0, 2), 'Content-Type: text/x'], big],
    [
      'JSON for many codes that is too large',
      413,
      () => ['POST /api/v1/qrcodes/bulk HTTP/1.1', key, json, chunked],
      big,
    ],
    ['a form that is too large', 413, toForm, big],
    ['a form that is too large, in chunks', 413, () => [...toForm(), chunked], big],
    ['a form that is too large, by gzip', 413, () => [...toForm(), gzip], compressed],
    ['a form as invalid gzip', 400, () => [...toForm(), gzip], noise],
    ['a form as invalid br in chunks', 400, () => [...toForm(), brotli, chunked], noise],
    ['a form from another site', 403, () => [...toForm(), 'Origin: https://other.example'], big],
    ['a form that is none', 415, () => ['POST /signin HTTP/1.1', 'Content-Type: text/plain'], big],
    ['a form with a file that is too large', 413, toFileForm, file],
    ['a form with a file that is too large, in chunks', 413, () => [...toFileForm(), chunked], file],
    [
      'a form with a file of somebody who is not signed in',
      303,
      () => [toFileForm()[0] ?? '', multipart],
      file,
    ],
    ['a file that is too large', 413, toFile, file],
    ['a file that is too large, in chunks', 413, () => [...toFile(), chunked], file],
    ['a file in an encoding', 415, () => [...toFile(), gzip], compressed],
    ['a file without a key', 401, () => toFile().toSpliced(1, 1), file],
    ['JSON without a key, in chunks', 401, () => [...toApi().toSpliced(1, 1), chunked], big],
    [
      'what mail programs send to an unsubscribe link',
      404,
      () => ['POST /unsubscribe/x HTTP/1.1', chunked],
      big,
    ],
    ['a POST to a share link', 405, () => [`POST /r/${code.shareToken} HTTP/1.1`], big],
    ['a POST to a share link, in chunks', 405, () => [`POST /r/${code.shareToken} HTTP/1.1`, chunked], big],
    ['a scan with a body', 302, () => [`GET /r/${code.shareToken} HTTP/1.1`, chunked], big],
    ['a picture with a body', 200, () => [`GET /r/${code.shareToken}.svg HTTP/1.1`], big],
    ['a POST to a file', 405, () => ['POST /f/x HTTP/1.1', chunked], big],
    ['a POST to a page that has no form', 405, () => ['POST /docs HTTP/1.1', urlencoded, chunked], big],
    ['a page with a body', 200, () => ['GET /docs HTTP/1.1'], big],
    ['a POST to an operator page', 404, () => ['POST /admin/users HTTP/1.1', urlencoded], big],
    ['a POST to a path that does not exist', 404, () => ['POST /api/v1/nothing HTTP/1.1', key, chunked], big],
    ['an operation that has no body', 204, () => [`DELETE /api/v1/qrcodes/${code.id} HTTP/1.1`, key], big],
    ['a health check with a body', 200, () => ['GET /healthz HTTP/1.1'], big],
    ['metrics with a body', 404, () => ['GET /metrics HTTP/1.1', chunked], big],
    ['a request with two hosts', 400, () => ['POST /signin HTTP/1.1', 'Host: q'], big],
  ];
  for (const [what, status, head, body] of rows) {
    it(`does not hold up the connection: ${what}`, async () => {
      const text = await sendTwo(port, head(), body);
      const isLast = /^connection: close\r$/im.test(text);
      expect(statusesIn(text)).to.deep.equal(
        isLast ? [`${status}`] : [`${status}`, '200'],
        text.slice(0, 500),
      );
    });
  }

  it('causes no uncaught error where it is too large and then turns out not to be brotli', async () => {
    const uncaught: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      for (const head of [toForm(), toApi()]) {
        const text = await sendTwo(port, [...head, brotli], 'a'.repeat(70_000));
        expect(statusesIn(text)[0]).to.equal('413');
      }
      // What fails after the response does so before another request is answered.
      expect(statusesIn(await sendTwo(port, [...toApi(), brotli], 'not compressed'))).to.deep.equal([
        '400',
        '200',
      ]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    }
    expect(uncaught).to.deep.equal([]);
  });

  it('keeps the connection for the next request where all of it has arrived', async () => {
    for (const encoding of [gzip, brotli]) {
      const text = await sendTwo(port, [...toApi(), encoding], 'not compressed');
      expect(statusesIn(text)).to.deep.equal(['400', '200']);
    }
  });

  it('does not delay the scans of others behind nginx, which sends them on the same connections', async function () {
    if (!findProgram('nginx')) return this.skip();
    const other = await createCode(apiClient(service.url, key.replace(/.* /, '')));
    const nginx = await startNginx([port, port]);
    try {
      const post = () =>
        fetch(`${nginx.url}/signin`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' },
          body: noise,
        });
      const scan = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { 'User-Agent': iPhoneSafari };
          get(`${nginx.url}/r/${other.shareToken}`, { agent: false, headers, timeout: soonMs }, (res) => {
            res.resume();
            resolve(res.statusCode);
          })
            .on('timeout', () => reject(new Error('A scan waited.')))
            .on('error', reject);
        });
      for (let round = 0; round < 5; round += 1) {
        const refused = await Promise.all(Array.from({ length: 20 }, post));
        const scanned = await Promise.all(Array.from({ length: 12 }, scan));
        expect([...new Set(refused.map(({ status }) => status)), ...new Set(scanned)]).to.deep.equal([
          400, 302,
        ]);
      }
      expect(await nginx.errors()).to.deep.equal([]);
    } finally {
      await nginx.stop();
    }
  });
});

describe('A connection that is closed before the body has arrived', () => {
  let server: HttpServer;
  let handled: string[];
  const sockets: Socket[] = [];
  const limits = { lingerMs: 60_000, lingerBytes: 1_000_000 };
  const post = `POST /first HTTP/1.1\r\nHost: q\r\n${chunked}\r\n\r\n`;
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;

  async function serve(changes: Partial<typeof limits> = {}): Promise<Client> {
    handled = [];
    server = await openHttpServer(
      (req, res) => {
        handled.push(req.url ?? '');
        if (req.url === '/throws') throw new Error('made to fail');
        res.end('refused');
      },
      { port: 0, host: '127.0.0.1', idleGraceMs: 0, limits: { ...limits, ...changes } },
    );
    const socket = await open(server.port);
    sockets.push(socket);
    return socket;
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.drain();
  });

  const answered = (socket: Client) =>
    eventually(() => {
      expect(socket.text()).to.match(/^Connection: close\r$/m);
      expect(socket.text()).to.match(/refused$|"internal_error"/);
    });
  const closed = (socket: Socket) => eventually(() => expect(socket.closed).to.equal(true), soonMs);

  it('delivers its response to a client that goes on sending', async () => {
    const socket = await serve();
    socket.write(post + chunk);
    await answered(socket);
    let failure: unknown;
    socket.on('error', (error) => (failure = error));
    for (let sent = 0; sent < 20; sent += 1) socket.write(chunk);
    socket.end('0\r\n\r\n');
    await closed(socket);
    expect(failure).to.equal(undefined);
  });

  it('is closed when the client sends more than the limit, or keeps silent', async () => {
    const flooding = await serve();
    flooding.write(post + chunk);
    await answered(flooding);
    while (!flooding.closed) {
      flooding.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await server.drain();
    const silent = await serve({ lingerMs: 200 });
    silent.write(post + chunk);
    await answered(silent);
    await closed(silent);
  });

  it('handles no request that follows, neither before nor after the response', async () => {
    const socket = await serve();
    socket.write(`${post}${chunk}`);
    await answered(socket);
    socket.write(`0\r\n\r\nPOST /second HTTP/1.1\r\nHost: q\r\nContent-Length: 0\r\n\r\n`);
    await closed(socket);
    const pipelined = await open(server.port);
    sockets.push(pipelined);
    pipelined.write(`${post}${chunk}0\r\n\r\nPOST /second HTTP/1.1\r\nHost: q\r\nContent-Length: 0\r\n\r\n`);
    await closed(pipelined);
    expect(handled).to.deep.equal(['/first', '/first']);
  });

  it('gets a 500 when the handler throws, and is closed', async () => {
    const socket = await serve();
    socket.write(post.replace('/first', '/throws') + chunk);
    await answered(socket);
    expect(socket.text()).to.match(/^HTTP\/1\.1 500 /);
    socket.end('0\r\n\r\n');
    await closed(socket);
  });

  it('does not keep a server that shuts down', async () => {
    const socket = await serve({ lingerMs: 200 });
    socket.write(post + chunk);
    await answered(socket);
    await server.drain();
    await closed(socket);
  });
});
