import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type HttpServer, openHttpServer } from '../../src/http/http-server.ts';
import { eventually } from '../support/eventually.ts';

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: q\r\n\r\n`;
/** More than the kernel buffers for a client that does not read. */
const longBody = Buffer.alloc(32 * 1024 * 1024, 'x');

describe('The HTTP server', () => {
  let server: HttpServer | undefined;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.drain();
  });

  async function serve(
    handle: RequestListener,
    options: Partial<Parameters<typeof openHttpServer>[1]> = {},
  ): Promise<void> {
    server = await openHttpServer(handle, { port: 0, host: '127.0.0.1', idleGraceMs: 0, ...options });
  }

  async function open(options: { allowHalfOpen?: boolean } = {}): Promise<Socket & { text(): string }> {
    let text = '';
    const socket = connect({ port: server?.port ?? 0, host: '127.0.0.1', ...options });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
    return Object.assign(socket, { text: () => text });
  }

  const closed = (socket: Socket) => eventually(() => expect(socket.closed).to.equal(true));
  const answersIn = (text: string) => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

  describe('with pipelined requests', () => {
    it('handles them one at a time, and responds in order', async () => {
      let underWay = 0;
      let most = 0;
      await serve((req, res) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setImmediate(() => {
          underWay -= 1;
          res.end(`<${req.url}>`);
        });
      });
      const socket = await open();
      const paths = Array.from({ length: 20 }, (_, number) => `/${number}`);
      socket.write(paths.map(ask).join(''));
      await eventually(() => expect(answersIn(socket.text())).to.equal(20));
      expect(socket.text().match(/<[^>]+>/g)).to.deep.equal(paths.map((path) => `<${path}>`));
      expect(most).to.equal(1);
    });

    it('closes a connection on which more than 32 wait, and handles no more of them', async () => {
      let handled = 0;
      const cut: string[] = [];
      await serve(() => (handled += 1), { onCut: (reason) => cut.push(reason) });
      let parsed = 0;
      const count = () => (parsed += 1);
      subscribe('http.server.request.start', count);
      const socket = await open();
      socket.write(ask('/').repeat(1_500));
      await closed(socket);
      unsubscribe('http.server.request.start', count);
      expect(handled).to.equal(1);
      // One in progress, 32 waiting and one too many. Node parses no more of them.
      expect(parsed).to.equal(34);
      expect(cut).to.deep.equal(['pipelining']);
    });

    it('serves a client that pipelines 500 at most 30 at a time', async () => {
      await serve((_req, res) => res.end('ok'));
      const socket = await open();
      for (let sent = 0; sent < 500; sent += 25) {
        socket.write(ask('/').repeat(25));
        await eventually(() => expect(answersIn(socket.text())).to.equal(sent + 25));
      }
    });

    it('drops the waiting ones when the client disconnects', async () => {
      let handled = 0;
      await serve((_req, res) => {
        handled += 1;
        res.write('a part of it');
      });
      const socket = await open();
      socket.write(ask('/').repeat(20));
      await eventually(() => expect(answersIn(socket.text())).to.equal(1));
      socket.destroy();
      await server?.drain();
      expect(handled).to.equal(1);
    });
  });

  describe('with a client that does not read', () => {
    const limits = { checkEveryMs: 20, stallMs: 200 };

    it('closes the connection after a time without progress', async () => {
      const cut: string[] = [];
      await serve((_req, res) => res.end(longBody), { limits, onCut: (reason) => cut.push(reason) });
      const socket = await open();
      socket.pause();
      socket.write(ask('/'));
      await eventually(() => expect(cut).to.deep.equal(['stalled']));
    });

    it('closes the connection of one that reads too little, however steadily', async () => {
      const cut: string[] = [];
      await serve((_req, res) => res.end(longBody), {
        limits: { ...limits, minReadBytes: longBody.length },
        onCut: (reason) => cut.push(reason),
      });
      const socket = await open();
      socket.pause();
      socket.write(ask('/'));
      // A turn of the event loop reads up to 2 MB, so all of it takes longer than the limit.
      const sipping = setInterval(() => {
        socket.resume();
        setImmediate(() => socket.pause());
      }, 50);
      await eventually(() => expect(cut).to.deep.equal(['stalled'])).finally(() => clearInterval(sipping));
    });

    it('does not close one that reads slowly, nor an idle stream', async () => {
      const cut: string[] = [];
      await serve((req, res) => (req.url === '/stream' ? res.write('begun') : res.end(longBody)), {
        limits,
        onCut: (reason) => cut.push(reason),
      });
      const silent = await open();
      silent.write(ask('/stream'));
      const slow = await open();
      slow.pause();
      slow.write(ask('/'));
      let read = 0;
      slow.on('data', (part: Buffer) => (read += part.length));
      const startedAt = Date.now();
      // Reads a little at a time, for several times the stall limit.
      const sipping = setInterval(() => {
        slow.resume();
        setImmediate(() => slow.pause());
      }, 10);
      await eventually(() => expect(Date.now() - startedAt).to.be.above(5 * limits.stallMs));
      clearInterval(sipping);
      slow.resume();
      await eventually(() => expect(read).to.be.above(longBody.length), 20_000);
      expect(cut).to.deep.equal([]);
      expect(silent.destroyed).to.equal(false);
    });

    it('bounds the unsent bytes over all connections', async () => {
      const cut: string[] = [];
      await serve((_req, res) => res.end(Buffer.alloc(16 * 1024 * 1024)), {
        limits: { checkEveryMs: 20, stallMs: 600_000, maxUnsentBytes: 64 * 1024 * 1024 },
        onCut: (reason) => cut.push(reason),
      });
      for (let number = 0; number < 8; number += 1) {
        const socket = await open();
        socket.pause();
        socket.write(ask('/'));
      }
      await eventually(() => expect(cut).to.have.length.of.at.least(3));
      expect(new Set(cut)).to.deep.equal(new Set(['memory']));
      expect(cut.length).to.be.below(8);
    });
  });

  it('closes a connection whose request gets no response', async () => {
    const cut: string[] = [];
    await serve(() => undefined, {
      limits: { checkEveryMs: 20, responseMs: 100 },
      onCut: (reason) => cut.push(reason),
    });
    const socket = await open();
    socket.write(ask('/'));
    await closed(socket);
    expect(cut).to.deep.equal(['unanswered']);
  });

  describe('at the connection limit', () => {
    const limits = { maxConnections: 20 };

    it('accepts a new connection and closes the oldest one without a request', async () => {
      await serve((_req, res) => res.end('ok'), { limits });
      const asking = await open();
      asking.write(ask('/'));
      await eventually(() => expect(answersIn(asking.text())).to.equal(1));
      const silent: Socket[] = [];
      while (silent.length < 19) silent.push(await open());
      const newcomer = await open();
      newcomer.write(ask('/'));
      await eventually(() => expect(answersIn(newcomer.text())).to.equal(1));
      expect(silent[0]?.destroyed).to.equal(true);
      expect(silent.slice(1).filter((socket) => socket.destroyed)).to.deep.equal([]);
      expect(asking.destroyed).to.equal(false);
    });

    it('then closes idle ones, and never one with a response in progress', async () => {
      await serve((req, res) => (req.url === '/stream' ? res.write('begun') : res.end('ok')), { limits });
      const all: Awaited<ReturnType<typeof open>>[] = [];
      for (let number = 0; number < 20; number += 1) {
        const socket = await open();
        all.push(socket);
        socket.write(ask(number < 19 ? '/stream' : '/'));
        await eventually(() => expect(answersIn(socket.text())).to.equal(1));
      }
      const newcomer = await open();
      newcomer.write(ask('/stream'));
      await eventually(() => expect(answersIn(newcomer.text())).to.equal(1));
      expect(all.map((socket) => socket.destroyed)).to.deep.equal([...Array(19).fill(false), true]);
      const tooMany = await open();
      await closed(tooMany);
      expect(all.filter((socket) => socket.destroyed)).to.have.length(1);
    });

    const letsNewcomerIn = () =>
      eventually(async () => {
        const newcomer = await open();
        newcomer.write(ask('/'));
        try {
          await eventually(() => expect(answersIn(newcomer.text())).to.equal(1), 500);
        } finally {
          newcomer.destroy();
        }
      });

    it('closes one with an incomplete request if all others are busy', async () => {
      let begun = 0;
      await serve(
        (req, res) => {
          begun += 1;
          if (req.url === '/stream') res.write('begun');
          else req.resume().on('end', () => res.end('ok'));
        },
        { limits },
      );
      const stream = await open();
      stream.write(ask('/stream'));
      const slow: Socket[] = [];
      while (slow.length < 19) slow.push(await open());
      for (const socket of slow) socket.write('POST / HTTP/1.1\r\nHost: q\r\nContent-Length: 10\r\n\r\n123');
      await eventually(() => expect(begun).to.equal(20));
      await letsNewcomerIn();
      expect(slow.filter((socket) => socket.destroyed)).to.have.length(1);
      expect(stream.destroyed).to.equal(false);
    });

    it('closes one that does not read if all others are busy', async () => {
      let begun = 0;
      await serve(
        (req, res) => {
          begun += 1;
          res.end(req.url === '/long' ? longBody : 'ok');
        },
        { limits: { maxConnections: 3, checkEveryMs: 10, maxUnsentBytes: 4 * longBody.length } },
      );
      for (let number = 0; number < 3; number += 1) {
        const socket = await open();
        socket.pause();
        socket.write(ask('/long'));
      }
      await eventually(() => expect(begun).to.equal(3));
      await letsNewcomerIn();
    });
  });

  describe('with a request that it refuses', () => {
    const isRefused = (text: string, status: number) => {
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head)
        .to.match(/^Content-Type: application\/json; charset=utf-8\r$/im)
        .and.match(/^X-Request-Id: /im)
        .and.match(/^Cache-Control: no-store\r$/im)
        .and.match(/^Connection: close\r?$/im)
        .and.match(/^Strict-Transport-Security: max-age=31536000\r?$/im);
      expect(Object.keys(JSON.parse(body) as object)).to.deep.equal(['error', 'message', 'requestId']);
    };
    const many = (count: number) =>
      Array.from({ length: count }, (_, number) => `X-${number}: a\r\n`).join('');
    const rows: [what: string, sent: string, status: number][] = [
      ['without Host', 'GET / HTTP/1.1\r\n\r\n', 400],
      ['with two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['with the same Host twice', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400],
      ['with two Hosts in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['with 101 headers', `GET / HTTP/1.1\r\nHost: a\r\n${many(100)}\r\n`, 431],
      ['with 2,000 headers', `GET / HTTP/1.1\r\nHost: a\r\n${many(1_600)}\r\n`, 431],
      [
        'with a megabyte of headers',
        `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`,
        431,
      ],
    ];
    for (const [what, sent, status] of rows) {
      it(`responds with ${status} in the format of all errors: ${what}`, async () => {
        await serve((_req, res) => res.end('ok'), { hsts: true });
        const socket = await open();
        socket.write(sent);
        await closed(socket);
        isRefused(socket.text(), status);
      });
    }

    it('accepts a request with 100 headers, and HTTP/1.0 without Host', async () => {
      await serve((_req, res) => res.end('ok'));
      for (const sent of [`GET / HTTP/1.1\r\nHost: a\r\n${many(99)}\r\n`, 'GET / HTTP/1.0\r\n\r\n']) {
        const socket = await open();
        socket.write(sent);
        await eventually(() => expect(socket.text()).to.match(/^HTTP\/1\.1 200 /));
      }
    });

    it('does not keep the connection of a client that leaves its half open', async () => {
      await serve((_req, res) => res.end('ok'));
      const socket = await open({ allowHalfOpen: true });
      socket.write('nonsense\r\n\r\n');
      await once(socket, 'end');
      await eventually(() => {
        socket.write('x');
        expect(socket.destroyed).to.equal(true);
      });
    });
  });

  it('sends Strict-Transport-Security with every response if configured, and not otherwise', async () => {
    const handle: RequestListener = (req, res) => {
      if (req.url === '/array') res.writeHead(302, ['Location', '/', 'Content-Length', '0']);
      else if (req.url === '/object') res.writeHead(200, 'Fine', { 'Content-Length': 0 });
      else res.setHeader('Content-Length', 0);
      res.end();
    };
    for (const hsts of [true, false]) {
      await serve(handle, { hsts });
      const socket = await open();
      for (const [number, path] of ['/array', '/object', '/implicit'].entries()) {
        socket.write(ask(path));
        await eventually(() => expect(answersIn(socket.text())).to.equal(number + 1));
      }
      const told = socket.text().match(/^Strict-Transport-Security: max-age=31536000\r$/gm) ?? [];
      expect(told).to.have.length(hsts ? 3 : 0);
      expect(socket.text()).to.match(/^Location: \/\r$/m);
      socket.destroy();
      await server?.drain();
    }
  });

  it('keeps an idle connection for keepAliveTimeout, however short headersTimeout is', async () => {
    await serve((_req, res) => res.end('ok'), {
      limits: { keepAliveTimeout: 1_000, headersTimeout: 50, connectionsCheckingInterval: 10 },
    });
    const socket = await open();
    socket.write(ask('/'));
    await eventually(() => expect(answersIn(socket.text())).to.equal(1));
    expect(socket.text()).to.match(/^Keep-Alive: timeout=1\r$/m);
    const idleSince = Date.now();
    await closed(socket);
    expect(Date.now() - idleSince).to.be.above(900);
  });

  it('drains at once even though idle connections are kept for long [timed]', async () => {
    await serve((_req, res) => res.end('ok'), { limits: { keepAliveTimeout: 75_000 } });
    const socket = await open();
    socket.write(ask('/'));
    await eventually(() => expect(answersIn(socket.text())).to.equal(1));
    const startedAt = Date.now();
    await server?.drain();
    expect(Date.now() - startedAt).to.be.below(5_000);
  });

  it('responds with 500 when the handler throws, and keeps running', async () => {
    const failures: unknown[] = [];
    await serve(
      (req, res) => {
        if (req.url === '/late') res.write('begun');
        if (req.url !== '/') throw new Error('made to fail');
        res.end('ok');
      },
      { onFailure: (error) => failures.push(error) },
    );
    const socket = await open();
    socket.write(ask('/throws') + ask('/'));
    await eventually(() => expect(answersIn(socket.text())).to.equal(2));
    expect(socket.text())
      .to.match(/^HTTP\/1\.1 500 /)
      .and.match(/"error":"internal_error"/)
      .and.match(/HTTP\/1\.1 200 /)
      .and.not.match(/made to fail/);
    socket.write(ask('/late'));
    await closed(socket);
    expect(failures.map(String)).to.deep.equal(['Error: made to fail', 'Error: made to fail']);
  });
});
