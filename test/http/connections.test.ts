import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { openHttpServer } from '../../src/http/http-server.ts';
import { Scan } from '../../src/scans/scan.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';

const idleConnections = 5_000;
const email = 'reader@example.com';

describe('Connections', () => {
  let service: TestService;
  let key: string;
  let code: SharedCode;
  let port: number;
  const sockets: Socket[] = [];

  before(async () => {
    service = await startService({ worker: true, eagerQueue: true });
    key = await service.makeKey({ email });
    code = await createCode(apiClient(service.url, key));
    port = Number(new URL(service.url).port);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => service.stop());

  async function open(to = port): Promise<Socket> {
    const socket = connect(to, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  }

  /** Everything received until the connection is closed. */
  async function send(text: string): Promise<string> {
    const socket = await open();
    let answer = '';
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  }

  /** The first one arrives while the others are still waited for: it did not wait until they were closed. */
  async function expectRedirects(waitedFor: Socket[]): Promise<void> {
    for (let number = 0; number < 100; number += 1) {
      expect((await openShare(service.url, code.shareToken)).status).to.equal(302);
      if (number === 0) expect(waitedFor.filter((socket) => socket.destroyed)).to.deep.equal([]);
    }
  }

  it(`do not hold up redirects: ${idleConnections} of them without a request`, async () => {
    while (sockets.length < idleConnections) await Promise.all(Array.from({ length: 250 }, () => open()));
    await expectRedirects(sockets);
    expect(sockets.filter((socket) => socket.destroyed)).to.deep.equal([]);
  });

  it('do not hold up redirects: two hundred that send their request a byte at a time', async () => {
    const head = `POST /api/v1/qrcodes HTTP/1.1\r\nHost: q\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`;
    const writers = await Promise.all(Array.from({ length: 200 }, () => open()));
    for (const writer of writers) writer.write(head);
    const dripping = setInterval(() => {
      for (const writer of writers) writer.write(' ');
    }, 100);
    try {
      await expectRedirects(writers);
    } finally {
      clearInterval(dripping);
    }
  });

  it('do not hold up redirects: twelve that request a long response and do not read it', async () => {
    const day = '2026-11-01T12:00:00.000Z';
    for (let batch = 0; batch < 10; batch += 1)
      await Scan.record(
        service.db,
        Array.from({ length: 500 }, () => scanRow(code.id, day)),
      );
    const user = await findOrCreateUser(service.db, email, new Date());
    const session = await startSession(service.db, user.id, new Date());
    const request = `GET /codes/${code.id}/scans.csv HTTP/1.1\r\nHost: q\r\nCookie: __Host-qrelay-session=${session}\r\n\r\n`;
    for (let number = 0; number < 12; number += 1) {
      const reader = await open();
      reader.write(request);
      const [begin] = (await once(reader, 'data')) as [Buffer];
      expect(begin.toString()).to.match(/^HTTP\/1\.1 200 OK/);
      reader.pause();
    }
    await expectRedirects(sockets);
  });

  it('do not stop redirects or fill the memory: forty with 400 pipelined pages each, and thirty-two with 30, none read', async () => {
    const page = 'GET /docs HTTP/1.1\r\nHost: q\r\n\r\n';
    const before = process.memoryUsage().rss;
    const tooMany = await Promise.all(Array.from({ length: 40 }, () => open()));
    const silent = await Promise.all(Array.from({ length: 32 }, () => open()));
    for (const socket of [...tooMany, ...silent]) socket.pause();
    for (const socket of tooMany) socket.write(page.repeat(400));
    for (const socket of silent) socket.write(page.repeat(30));
    // The client shares its process with the service, which renders a page of each connection in between.
    await expectRedirects(silent);
    for (const socket of tooMany) socket.resume();
    await eventually(() => expect(tooMany.filter((socket) => !socket.destroyed)).to.deep.equal([]));
    expect(process.memoryUsage().rss - before).to.be.below(200 * 1024 * 1024);
    // A client that reads in the end gets every response.
    const reader = silent[0] as Socket;
    let text = '';
    reader.on('data', (part: Buffer) => (text += part.toString('latin1')));
    reader.resume();
    await eventually(() => expect(text.match(/HTTP\/1\.1 200 OK/g)).to.have.length(30));
  });

  it('are kept longer than load balancers keep theirs, and get Strict-Transport-Security with every response', async () => {
    for (const path of [
      `/r/${code.shareToken}`,
      '/r/nothing',
      `/r/${code.shareToken}.svg`,
      '/',
      '/healthz',
      '/api/v1/no',
    ]) {
      const answer = await fetch(service.url + path, { redirect: 'manual' });
      expect(answer.headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
      expect(answer.headers.get('keep-alive'), path).to.equal('timeout=75');
    }
  });

  it('without a request, or with an incomplete one, are closed', async () => {
    const limits = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };
    const server = await openHttpServer((req, res) => req.resume().on('end', () => res.end('done')), {
      port: 0,
      host: '127.0.0.1',
      idleGraceMs: 0,
      limits,
    });
    const silent = await open(server.port);
    const unfinished = await open(server.port);
    unfinished.write('POST / HTTP/1.1\r\nHost: q\r\nContent-Length: 10\r\n\r\n123');
    let answer = '';
    unfinished.setEncoding('utf8').on('data', (part: string) => (answer += part));
    silent.resume();
    await eventually(() => {
      expect(silent.destroyed).to.equal(true);
      expect(unfinished.destroyed).to.equal(true);
    });
    expect(answer)
      .to.match(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      .and.to.contain('took too long');
    await server.drain();
  });

  const longHeader = `X-Long: ${'x'.repeat(20_000)}`;
  const malformed: [what: string, sent: string, status: number][] = [
    ['what is no HTTP at all', 'hello\r\n\r\n', 400],
    ['a method that does not exist', 'SCAN /r/x HTTP/1.1\r\nHost: q\r\n\r\n', 400],
    ['an address with a space in it', 'GET /r/a b HTTP/1.1\r\nHost: q\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: q\r\n: x\r\n\r\n', 400],
    ['a header with a control character', 'GET / HTTP/1.1\r\nHost: q\r\nX: a\0b\r\n\r\n', 400],
    ['headers of more than 16 KB', `GET / HTTP/1.1\r\nHost: q\r\n${longHeader}\r\n\r\n`, 431],
    [
      'two lengths',
      'POST /signin HTTP/1.1\r\nHost: q\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length and chunks',
      'POST /signin HTTP/1.1\r\nHost: q\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'an invalid chunk length',
      'POST /signin HTTP/1.1\r\nHost: q\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['a version that does not exist', 'GET / HTTP/7.7\r\nHost: q\r\n\r\n', 400],
  ];
  for (const [what, sent, status] of malformed) {
    it(`get a clear ${status} for ${what}, and are closed`, async () => {
      const answer = await send(sent);
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).to.contain('Content-Type: application/json').and.to.contain('X-Request-Id: ');
      expect(Object.keys(JSON.parse(body) as object)).to.deep.equal(['error', 'message', 'requestId']);
    });
  }

  it('serve one request after the other, and a malformed one after a good one', async () => {
    const socket = await open();
    for (const [sent, status] of [
      ['GET /healthz HTTP/1.1\r\nHost: q\r\n\r\n', 200],
      ['GET /healthz HTTP/1.1\r\nHost: q\r\n\r\n', 200],
      ['nonsense\r\n\r\n', 400],
    ] as const) {
      socket.write(sent);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });
});
