import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { type ReverseProxy, proxiedHost, proxyKinds, startReverseProxy } from '../support/reverse-proxy.ts';
import { iPhoneSafari, type SharedCode } from '../support/share.ts';

/** A short idle time of connections to Qrelay, by changes to the configuration. */
const shortIdle: Record<keyof typeof proxyKinds, Record<string, string>> = {
  nginx: { 'keepalive_timeout 500ms': 'keepalive_timeout 1s' },
  Caddy: { 'keepalive 500ms': 'keepalive 1s' },
  HAProxy: { 'http-reuse safe': 'http-reuse safe\n  default-server pool-purge-delay 100ms' },
};
/** Node closes an idle connection a second later. */
const keepAliveSeconds = 2;
const networkMs = 50;
/** Around the moment at which the proxy closes an idle connection, and the moment at which Qrelay does. */
const pausesMs = [950, 1_000, 1_050, 2_850, 2_900, 2_950, 3_000, 3_050];

/** Status → how many. */
type Statuses = Record<string, number>;

for (const name of Object.keys(proxyKinds) as (keyof typeof proxyKinds)[]) {
  describe(`${name} with the documented configuration`, () => {
    let fixture: Fixture;
    let code: SharedCode;
    let proxy: ReverseProxy | undefined;
    let upstreams: [number, number];
    before(async () => {
      fixture = await startFixture({
        webs: 2,
        settings: {
          BASE_URL: `https://${proxiedHost}`,
          TRUST_PROXY_HOPS: '1',
          KEEP_ALIVE_SECONDS: String(keepAliveSeconds),
        },
      });
      code = await fixture.makeCode();
      upstreams = fixture.addresses(code).map((address) => Number(new URL(address).port)) as [number, number];
    });
    afterEach(async () => {
      await proxy?.stop();
      proxy = undefined;
    });
    after(() => fixture.stop());

    it('forwards the host and the address of the client, which cannot forge it', async () => {
      const echo = createServer((req, res) => {
        res.end(JSON.stringify(req.headers));
      });
      await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
      const { port } = echo.address() as AddressInfo;
      try {
        proxy = await startReverseProxy(name, [port, port]);
        const { body } = await proxy.send('/', {
          localAddress: '127.0.0.2',
          agent: false,
          headers: { 'X-Forwarded-For': '81.2.69.142' },
        });
        const headers = JSON.parse(body) as Record<string, string>;
        expect(headers['host']).to.equal(proxiedHost);
        expect(headers['x-forwarded-proto']).to.equal('https');
        expect(headers['x-forwarded-for']?.split(', ').at(-1)).to.equal('127.0.0.2');
      } finally {
        await proxy?.stop();
        proxy = undefined;
        echo.close();
        echo.closeAllConnections();
      }
    });

    it('serves redirects over TLS with HSTS, redirects http to https, and passes events on at once', async () => {
      proxy = await startReverseProxy(name, upstreams);
      const { status, headers } = await proxy.send(`/r/${code.shareToken}`);
      expect([status, headers.location]).to.deep.equal([302, code.content]);
      expect(headers['strict-transport-security']).to.match(/max-age=\d{8}/);
      expect(await locationOverHttp(proxy.ports.http)).to.match(
        new RegExp(`^https://${proxiedHost.replaceAll('.', '\\.')}(:\\d+)?/docs$`),
      );
      const user = await findOrCreateUser(fixture.db, 'rig@example.com', new Date());
      const session = await startSession(fixture.db, user.id, new Date());
      const events = await proxy.open(`/codes/${code.id}/events`, {
        headers: { Cookie: `__Host-qrelay-session=${session}` },
      });
      expect(events.statusCode).to.equal(200);
      const received: string[] = [];
      events.on('data', (chunk: Buffer) => received.push(chunk.toString()));
      // The heartbeat comes after 10 s: a proxy that gathers would show nothing until then.
      await eventually(() => expect(received.join('')).to.contain('retry:'), 3_000);
      await proxy.send(`/r/${code.shareToken}`, { headers: { 'User-Agent': iPhoneSafari } });
      await eventually(() => expect(received.join('')).to.contain('data:'), 5_000);
      events.destroy();
    });

    it('has no 502 while the web processes restart one after the other', async () => {
      proxy = await startReverseProxy(name, upstreams);
      const statuses: Statuses = {};
      let isOver = false;
      const clients = Array.from({ length: 24 }, async (_, number) => {
        while (!isOver) {
          await request(proxy, code, statuses, number % 4 === 0 ? 'POST' : 'GET');
          await sleep(20);
        }
      });
      for (const web of fixture.web) {
        await sleep(1_000);
        expect(await web.end('SIGTERM')).to.equal(0);
        await web.restart();
      }
      await sleep(2_000);
      isOver = true;
      await Promise.all(clients);
      console.log(`      ${JSON.stringify(statuses)}`);
      expect(Object.keys(statuses).toSorted(), proxy.output()).to.deep.equal(['302', '405']);
      expect(statuses['405']).to.be.above(50);
    });

    it('has no 502 when idle connections expire', async () => {
      // A network that takes time: between the close of a connection and its arrival, requests can be lost.
      const network = await Promise.all(upstreams.map((port) => startTcpProxy(port, networkMs)));
      const [first, second] = network.map(({ port }) => port) as [number, number];
      proxy = await startReverseProxy(name, [first, second], shortIdle[name]);
      const statuses: Statuses = {};
      for (const pauseMs of pausesMs) {
        const burst = () =>
          Promise.all(Array.from({ length: 20 }, () => request(proxy, code, statuses, 'POST')));
        await burst();
        await sleep(pauseMs);
        await burst();
      }
      for (const connection of network) await connection.stop();
      console.log(`      ${JSON.stringify(statuses)}`);
      expect(Object.keys(statuses)).to.deep.equal(['405']);
      expect(statuses['405']).to.equal(40 * pausesMs.length);
    });
  });
}

/** A POST changes nothing here, but no proxy may repeat it: one that is lost with its connection becomes a 502. */
async function request(
  proxy: ReverseProxy | undefined,
  { shareToken }: SharedCode,
  statuses: Statuses,
  method: 'GET' | 'POST',
): Promise<void> {
  const status = await proxy?.send(`/r/${shareToken}`, { method }).then(
    (answer) => String(answer.status),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  statuses[status ?? 'none'] = (statuses[status ?? 'none'] ?? 0) + 1;
}

function locationOverHttp(port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/docs', headers: { Host: proxiedHost } }, (res) => {
      res.resume();
      resolve(res.headers.location);
    }).once('error', reject);
  });
}
