import { Resolver } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect } from 'chai';
import { createAddressPolicy } from '../../src/net/address-policy.ts';
import {
  createDnsResolve,
  createOutboundRequest,
  RefusedAddressError,
} from '../../src/net/outbound-request.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';

/** The 4 in `http://4/` is that of the server, which listens on every address of this machine. */
const literals = [
  'http://127.0.0.1:4/',
  'http://127.1:4/',
  'http://127.255.255.254:4/',
  'http://2130706433:4/',
  'http://0x7f000001:4/',
  'http://0x7f.0.0.1:4/',
  'http://0177.0.0.1:4/',
  'http://017700000001:4/',
  'http://0177.0.1:4/',
  'http://0:4/',
  'http://0.0.0.0:4/',
  'http://①②⑦.⓪.⓪.①:4/',
  'http://127。0。0。1:4/',
  'http://%31%32%37.0.0.1:4/',
  'http://[::1]:4/',
  'http://[::]:4/',
  'http://[0:0:0:0:0:0:0:1]:4/',
  'http://[::ffff:127.0.0.1]:4/',
  'http://[::ffff:7f00:1]:4/',
  'http://[::127.0.0.1]:4/',
  'http://[64:ff9b::7f00:1]:4/',
  'http://[2002:7f00:1::]:4/',
  'http://[fe80::1]:4/',
  'http://[fd00:ec2::254]:4/latest/meta-data/',
  'http://169.254.169.254:4/latest/meta-data/',
  'http://[::ffff:169.254.169.254]:4/latest/meta-data/',
  'http://2852039166:4/latest/meta-data/',
  'http://0xa9fea9fe:4/computeMetadata/v1/',
  'http://100.100.100.200:4/latest/meta-data/',
  'http://168.63.129.16:4/machine',
  'http://192.0.0.192:4/latest/',
  'http://10.0.0.1:4/',
  'http://172.16.0.1:4/',
  'http://192.168.0.1:4/',
  'http://198.18.0.1:4/',
  'http://224.0.0.1:4/',
  'http://255.255.255.255:4/',
  'http://localhost:4/',
  'http://localhost.:4/',
  'http://LOCALHOST:4/',
  'http://app.localhost:4/',
  'http://metadata.google.internal:4/computeMetadata/v1/',
  'http://user:password@127.0.0.1:4/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:4/',
];

/** Names that the test's DNS server resolves to these addresses. */
const names: Record<string, (times: number) => string> = {
  'loopback.example.com': () => '127.0.0.1',
  'metadata.example.com': () => '169.254.169.254',
  'private.example.com': () => '10.0.0.1',
  'unspecified.example.com': () => '0.0.0.0',
  // A public address at first, such as when the endpoint is saved.
  'rebinding.example.com': (times) => (times === 1 ? '93.184.216.34' : '127.0.0.1'),
};

describe('Requests to addresses that users choose', () => {
  let server: Server;
  let dns: DnsServer;
  let connections = 0;
  let port: number;
  let received: { url: string | undefined; body: string }[] = [];

  before(async () => {
    server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        received.push({ url: req.url, body });
        if (req.url === '/hangs') return;
        if (req.url === '/redirects') res.writeHead(302, { Location: `http://127.0.0.1:${port}/secret` });
        if (req.url === '/endless') {
          const write = () =>
            void (res.destroyed || res.write('x'.repeat(10_000), () => setImmediate(write)));
          write();
        } else res.end('received');
      });
    });
    server.on('connection', () => (connections += 1));
    server.listen(0);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    dns = await startDnsServer((name, times) =>
      name.startsWith('silent') ? undefined : (names[name]?.(times) ?? '127.0.0.1'),
    );
  });
  beforeEach(() => {
    connections = 0;
    received = [];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    dns.stop();
  });

  function requestWith(networks: string[] = [], timeoutMs = 5_000) {
    return createOutboundRequest({
      policy: createAddressPolicy(networks),
      timeoutMs,
      maxBodyBytes: 1_000,
      resolve: createDnsResolve({ servers: [`127.0.0.1:${dns.port}`] }),
    });
  }
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const post = { method: 'POST', headers: {}, body: '{}' } as const;

  for (const literal of literals) {
    it(`does not connect to ${literal.replace(':4/', '/')}`, async () => {
      const url = literal.replace(':4/', `:${port}/`);
      expect(await failureOf(requestWith()({ url, ...post }))).to.be.instanceOf(RefusedAddressError);
      expect(connections).to.equal(0);
    });
  }

  for (const name of Object.keys(names)) {
    it(`does not connect to ${name}, which resolves to an address that is not public`, async () => {
      const before = dns.asked();
      const request = requestWith();
      if (name.startsWith('rebinding')) {
        const resolver = new Resolver();
        resolver.setServers([`127.0.0.1:${dns.port}`]);
        const first = await new Promise((done) => {
          resolver.resolve4(name, (_error, found) => done(found));
        });
        expect(first).to.deep.equal(['93.184.216.34']);
      }
      const error = await failureOf(request({ url: `http://${name}:${port}/`, ...post }));
      expect(error).to.be.instanceOf(RefusedAddressError);
      expect(dns.asked()).to.be.greaterThan(before);
      expect(connections).to.equal(0);
    });
  }

  it('refuses a name if one of its addresses is not public', async () => {
    const request = createOutboundRequest({
      policy: createAddressPolicy(),
      timeoutMs: 5_000,
      maxBodyBytes: 1_000,
      resolve: (_host, done) =>
        done(null, [
          { address: '93.184.216.34', family: 4 },
          { address: '::1', family: 6 },
        ]),
    });
    const error = await failureOf(request({ url: `http://both.example.com:${port}/`, ...post }));
    expect(error).to.be.instanceOf(RefusedAddressError);
    expect(connections).to.equal(0);
  });

  describe('where the operator allows 127.0.0.0/8', () => {
    const allowed = ['127.0.0.0/8'];

    it('sends the request and returns the response', async () => {
      const response = await requestWith(allowed)({ url: `http://127.0.0.1:${port}/hook`, ...post });
      expect(response).to.deep.equal({ status: 200, body: 'received' });
      expect(received).to.deep.equal([{ url: '/hook', body: '{}' }]);
      await requestWith(allowed)({ url: `http://loopback.example.com:${port}/`, ...post });
    });

    it('follows no redirect', async () => {
      const url = `http://127.0.0.1:${port}/redirects`;
      expect((await requestWith(allowed)({ url, ...post })).status).to.equal(302);
      expect(received.map((request) => request.url)).to.deep.equal(['/redirects']);
    });

    it('gives up after the timeout', async () => {
      const request = requestWith(allowed, 100);
      const error = await failureOf(request({ url: `http://127.0.0.1:${port}/hangs`, ...post }));
      expect((error as Error).message).to.equal('No complete response within 0.1 s');
    });

    it('reads only the start of an endless response', async () => {
      const response = await requestWith(allowed)({ url: `http://127.0.0.1:${port}/endless`, ...post });
      expect(response).to.deep.equal({ status: 200, body: 'x'.repeat(1_000) });
    });

    /** What is sent instead of a usual response. */
    const hostile: Record<string, string> = {
      'switches to another protocol':
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'closes the connection at once': '',
      'closes the connection in the head': 'HTTP/1.1 200 OK\r\nContent-',
      'closes the connection in the body': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx',
      'sends 20 KB of headers': `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'sends two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      'sends no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n',
    };
    for (const [deed, bytes] of Object.entries(hostile)) {
      it(`settles at once where the other side ${deed}`, async () => {
        const raw = createTcpServer((socket) => {
          socket.on('error', () => undefined);
          socket.once('data', () => socket.end(bytes, 'latin1'));
        });
        raw.listen(0, '127.0.0.1');
        await once(raw, 'listening');
        const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`;
        const result = await requestWith(allowed, 20_000)({ url, ...post }).catch((error: unknown) => error);
        expect(String(result), 'not after the timeout').to.not.include('No complete response within');
        if (deed.startsWith('switches')) expect(result).to.deep.equal({ status: 101, body: '' });
        else expect(result).to.be.instanceOf(Error);
        raw.close();
      });
    }

    it('gives up after the timeout where the other side sends one hint after another, and no response', async () => {
      const raw = createTcpServer((socket) => {
        const hint = () =>
          void (
            socket.destroyed || socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => setImmediate(hint))
          );
        socket.on('error', () => undefined);
        socket.once('data', hint);
      });
      raw.listen(0, '127.0.0.1');
      await once(raw, 'listening');
      const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`;
      const error = await failureOf(requestWith(allowed, 300)({ url, ...post }));
      expect((error as Error).message).to.equal('No complete response within 0.3 s');
      raw.close();
    });

    it('does not wait for names whose servers do not answer, to resolve another one', async () => {
      const silent = Array.from({ length: 50 }, (_, index) =>
        failureOf(requestWith(allowed)({ url: `http://silent-${index}.example.com:${port}/`, ...post })),
      );
      let given = 0;
      for (const name of silent) void name.then(() => (given += 1));
      await requestWith(allowed)({ url: `http://loopback.example.com:${port}/`, ...post });
      expect(given, 'names that were given up before').to.be.below(silent.length / 2);
      for (const error of await Promise.all(silent)) expect(error).to.include.keys('code');
    });

    it('still refuses other networks', async () => {
      const error = await failureOf(requestWith(allowed)({ url: `http://10.0.0.1:${port}/`, ...post }));
      expect(error).to.be.instanceOf(RefusedAddressError);
    });
  });

  it('refuses ports of other services', async () => {
    const error = await failureOf(requestWith()({ url: 'http://93.184.216.34:25/', ...post }));
    expect(error).to.be.instanceOf(RefusedAddressError);
  });
});
