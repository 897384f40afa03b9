import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readText } from '../deploy/files.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, type Program, startFixture } from '../support/fixture.ts';
import { signalTree, stopProcess } from '../support/process-tree.ts';
import { proxiedHost, proxyKinds, type ReverseProxy, startReverseProxy } from '../support/reverse-proxy.ts';
import { iPhoneSafari, type SharedCode } from '../support/share.ts';

type ProxyName = keyof typeof proxyKinds;
const proxyNames = Object.keys(proxyKinds) as ProxyName[];

/** How long PostgreSQL is away: longer than a cached target is fresh (9 s), or than the checks of any proxy take (3 s). */
const outages = { SIGSTOP: 12_000, SIGKILL: 6_000 };
/** For a longer one, by hand. */
const longerMs = Number(process.env['OUTAGE_SECONDS'] ?? 0) * 1_000;
const processOutageMs = 9_000;
const perSecond = 20;
/** A scanner gives up. */
const patienceMs = 8_000;
/** Until each proxy has noticed that a process does not respond. */
const noticedAfterMs = 5_000;

interface Request {
  /** Since the load began. */
  atMs: number;
  ms: number;
  /** Status, or the code of the error. */
  outcome: string;
}

describe('The documented proxies, with two web processes', () => {
  let fixture: Fixture;
  let code: SharedCode;
  let key: string;
  let ports: [number, number];
  let proxies: [ProxyName, ReverseProxy][] = [];

  before(async () => {
    fixture = await startFixture({
      webs: 2,
      settings: { BASE_URL: `https://${proxiedHost}`, TRUST_PROXY_HOPS: '1' },
    });
    code = await fixture.makeCode();
    key = await fixture.makeKey();
    ports = fixture.addresses(code).map((address) => Number(new URL(address).port)) as [number, number];
    for (const name of proxyNames) proxies.push([name, await startReverseProxy(name, ports)]);
  });
  after(async () => {
    for (const [, proxy] of proxies) await proxy.stop();
    proxies = [];
    await fixture.stop();
  });

  /** Requests through every proxy while `outage` runs, with a second before and after it. */
  async function requestsDuring(outage: () => Promise<void>): Promise<Map<ProxyName, Request[]>> {
    const loads = proxies.map(
      ([name, proxy]) => [name, startRequests(proxy, `/r/${code.shareToken}`)] as const,
    );
    await pass(1_000);
    await outage();
    await pass(1_000);
    return new Map(await Promise.all(loads.map(async ([name, load]) => [name, await load.stop()] as const)));
  }

  function expectRedirects(found: Map<ProxyName, Request[]>): void {
    for (const [name, requests] of found) console.log(`      ${name}: ${describeRequests(requests)}`);
    for (const [name, requests] of found) {
      expect(requests.length, name).to.be.above(5 * perSecond);
      expect(countOutcomes(requests), name).to.deep.equal({ 302: requests.length });
    }
  }

  for (const [title, signal] of [
    ['stopped', 'SIGSTOP'],
    ['killed', 'SIGKILL'],
  ] as const) {
    it(`redirect a known code without one error while PostgreSQL is ${title}, and the probes of the Helm chart succeed`, async () => {
      for (const address of fixture.addresses(code)) await fetch(address, { redirect: 'manual' });
      const probes = startProbes(ports);
      const { pid = 0 } = fixture.postgres.process;
      const answers: string[] = [];
      const found = await requestsDuring(async () => {
        signalTree(pid, signal);
        await pass(Math.max(outages[signal], longerMs));
        for (const [, proxy] of proxies) {
          const { status, body } = await proxy.send('/api/v1/qrcodes', {
            headers: { Authorization: `Bearer ${key}` },
          });
          answers.push(`${status} ${body}`);
        }
        if (signal === 'SIGSTOP') signalTree(pid, 'SIGCONT');
        else await eventually(() => fixture.postgres.restart(), 20_000);
      });
      expectRedirects(found);
      expect(await probes.stop()).to.deep.equal([]);
      // By the service itself, in the format of its errors, and not by a proxy that has no server left.
      for (const answer of answers) expect(answer).to.match(/^503 \{"error":"internal_error"/);
    });
  }

  const processFaults: Record<string, (web: Program) => Promise<() => Promise<void>>> = {
    'a process hangs': hang,
    // The kernel drops what would open a connection, as the network does when a machine is gone.
    'a process is out of reach': async (web) => {
      const resume = await hang(web);
      const sockets = await fillBacklog(ports[0]);
      return async () => {
        for (const socket of sockets) socket.destroy();
        await resume();
      };
    },
    'a process was killed': async (web) => {
      await web.end('SIGKILL');
      return () => web.restart();
    },
  };
  for (const [fault, start] of Object.entries(processFaults)) {
    it(`redirect without one error while ${fault}, soon without waiting for it, and use it again [timed]`, async () => {
      const found = await requestsDuring(async () => {
        const end = await start(fixture.web[0] as Program);
        await pass(processOutageMs);
        await end();
        await expectShared();
      });
      expectRedirects(found);
      for (const [name, requests] of found) {
        const later = requests.filter(
          ({ atMs }) => atMs > 1_000 + noticedAfterMs && atMs < 1_000 + processOutageMs,
        );
        // Connecting is given up after 1 s. nginx lets one request every 5 s find out whether the process is back.
        const waited = later.filter(({ ms }) => ms >= 1_000);
        expect(waited.length, `${name}: ${JSON.stringify(waited)}`).to.be.at.most(later.length / 20);
      }
    });
  }

  /** That each proxy sends requests to both processes. */
  async function expectShared(): Promise<void> {
    for (const [name, proxy] of proxies)
      await eventually(async () => {
        const counts = async () =>
          (await fixture.figures()).web.map(
            (figures) => figures.get('qrelay_share_answers_total', { outcome: 'head' }) ?? 0,
          );
        const before = await counts();
        for (let sent = 0; sent < 8; sent += 1) await proxy.send(`/r/${code.shareToken}`, { method: 'HEAD' });
        const after = await counts();
        for (const [index, count] of after.entries())
          expect(count, `${name}, process ${index}`).to.be.above(before[index] ?? 0);
      }, 20_000);
  }
});

describe('The documented proxies', () => {
  it('repeat a GET that a process did not respond to, and never a POST', async () => {
    for (const name of proxyNames) {
      const seen: string[] = [];
      const broken = await listen((req, res) => {
        req.resume();
        if (req.url !== '/r/break') return void res.end('{}');
        seen.push(`${req.method} broken`);
        req.once('end', () => req.socket.destroy());
      });
      const sound = await listen((req, res) => {
        req.resume();
        if (req.url === '/r/break') seen.push(`${req.method} sound`);
        res.writeHead(200).end('{}');
      });
      const proxy = await startReverseProxy(name, [broken.port, sound.port]);
      try {
        const statuses: Record<string, Set<number>> = { GET: new Set(), POST: new Set() };
        for (const method of ['GET', 'POST']) {
          for (let sent = 0; sent < 4; sent += 1)
            statuses[method]?.add(
              await proxy.send('/r/break', { method }, method === 'POST' ? 'body' : '').then(
                (answer) => answer.status,
                // Caddy breaks the connection to the client as well.
                () => 0,
              ),
            );
        }
        const count = (what: string) => seen.filter((one) => one === what).length;
        expect([...(statuses['GET'] ?? [])], name).to.deep.equal([200]);
        expect(count('GET broken'), name).to.be.above(0);
        expect(count('GET sound'), name).to.equal(4);
        expect(count('POST broken') + count('POST sound'), `${name}: ${seen.join(', ')}`).to.equal(4);
      } finally {
        await proxy.stop();
        await broken.stop();
        await sound.stop();
      }
    }
  });

  it('ask the processes although none passes the checks', async () => {
    await Promise.all(
      proxyNames.map(async (name) => {
        let checks = 0;
        const servers = await Promise.all(
          [1, 2].map(() =>
            listen((req, res) => {
              req.resume();
              if (req.url === '/readyz') checks += 1;
              res.writeHead(req.url === '/readyz' ? 503 : 200).end('{}');
            }),
          ),
        );
        const [first, second] = servers.map(({ port }) => port) as [number, number];
        const proxy = await startReverseProxy(name, [first, second]);
        try {
          // Two of each process take it out.
          if (name !== 'nginx') await eventually(() => expect(checks).to.be.above(6));
          for (const method of ['GET', 'POST'])
            expect(
              (await proxy.send('/r/break', { method }, method === 'POST' ? 'body' : '')).status,
              name,
            ).to.equal(200);
        } finally {
          await proxy.stop();
          for (const server of servers) await server.stop();
        }
      }),
    );
  });
});

async function hang(web: Program): Promise<() => Promise<void>> {
  const { pid = 0 } = web.process;
  await stopProcess(pid);
  return async () => void process.kill(pid, 'SIGCONT');
}

/** Connections that nobody accepts, more than the backlog of a server has room for (511). */
async function fillBacklog(port: number): Promise<Socket[]> {
  let connected = 0;
  const sockets = Array.from({ length: 800 }, () =>
    connect(port, '127.0.0.1', () => (connected += 1)).on('error', () => undefined),
  );
  await eventually(() => expect(connected).to.be.above(450));
  return sockets;
}

async function listen(handle: RequestListener) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A steady rate, over kept connections. */
function startRequests(proxy: ReverseProxy, path: string) {
  const startedAt = performance.now();
  const requests: Request[] = [];
  const open = new Set<Promise<void>>();
  const send = async () => {
    const sentAt = performance.now();
    const outcome = await proxy
      .send(path, { headers: { 'User-Agent': iPhoneSafari }, signal: AbortSignal.timeout(patienceMs) })
      .then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) =>
          error.name === 'AbortError' ? 'timeout' : (error.code ?? error.message),
      );
    requests.push({ atMs: sentAt - startedAt, ms: performance.now() - sentAt, outcome });
  };
  const ticking = setInterval(() => {
    const request = send().finally(() => open.delete(request));
    open.add(request);
  }, 1_000 / perSecond);
  return {
    async stop(): Promise<Request[]> {
      clearInterval(ticking);
      await Promise.all(open);
      return requests;
    },
  };
}

function countOutcomes(requests: Request[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of requests) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

function describeRequests(requests: Request[]): string {
  const slow = (ms: number) => requests.filter((request) => request.ms > ms).length;
  const slowest = Math.round(Math.max(...requests.map(({ ms }) => ms)));
  return `${JSON.stringify(countOutcomes(requests))}, ${slow(500)} above 0.5 s, ${slow(2_000)} above 2 s, slowest ${slowest} ms`;
}

interface Probe {
  httpGet: { path: string };
  timeoutSeconds?: number;
  failureThreshold?: number;
}

/** What a kubelet would do, more often: the liveness and readiness probes of the web pods, as the chart has them. */
function startProbes(ports: number[]) {
  const template = readText('deploy/helm/qrelay/templates/web.yaml');
  const failures: string[] = [];
  const stopping = new AbortController();
  const running = ['livenessProbe', 'readinessProbe'].flatMap((name) => {
    const [, text = ''] = new RegExp(`^ {10}${name}:\n((?: {12}.*\n)+)`, 'm').exec(template) ?? [];
    const { httpGet, timeoutSeconds = 1, failureThreshold = 3 } = parse(text) as Probe;
    return ports.map(async (port) => {
      let failed = 0;
      while (!stopping.signal.aborted) {
        const status = await fetch(`http://127.0.0.1:${port}${httpGet.path}`, {
          signal: AbortSignal.timeout(timeoutSeconds * 1_000),
        }).then(
          (answer) => answer.status,
          (error: Error) => error.name,
        );
        failed = typeof status !== 'number' || status >= 400 ? failed + 1 : 0;
        if (failed === failureThreshold) failures.push(`${httpGet.path}: ${status}`);
        await pass(500);
      }
    });
  });
  return {
    /** For what a kubelet would have restarted a pod or sent it no more requests. */
    async stop(): Promise<string[]> {
      stopping.abort();
      await Promise.all(running);
      return failures;
    },
  };
}
