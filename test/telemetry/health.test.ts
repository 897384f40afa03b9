import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import Koa from 'koa';
import { Client } from 'pg';
import { loadConfig } from '../../src/config.ts';
import { startProbe } from '../../src/runtime/probe.ts';
import { healthRoutes } from '../../src/web/operations/monitoring-routes.ts';
import { serveRoutes } from '../../src/web/routes.ts';
import { createGuards } from '../../src/web/middleware/guards.ts';
import { openWebService } from '../../src/web-service.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/figures.ts';
import { freePort } from '../support/free-port.ts';
import { startOwnRedis } from '../support/redis-server.ts';
import { servers } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const token = 'a-token-for-the-figures';

interface Readiness {
  status: string;
  draining: boolean;
  checks: Record<'database' | 'queue', { ok: boolean; ms: number }>;
}

/** Asked again and again: a result is cached for a second, and a busy machine slows down single answers. */
async function expectReady(
  url: string,
  status: number,
  word: string,
  oks: { database: boolean; queue: boolean },
): Promise<void> {
  await eventually(async () => {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/readyz`);
    expect(performance.now() - startedAt, 'ms for an answer').to.be.below(3_000);
    expect(answer.status).to.equal(status);
    const body = (await answer.json()) as Readiness;
    expect(body).to.include({ status: word, draining: false });
    for (const name of ['database', 'queue'] as const) {
      expect(body.checks[name].ok, name).to.equal(oks[name]);
      expect(body.checks[name].ms, name).to.be.a('number').within(0, 1_500);
    }
  });
}

describe('/healthz and /readyz', () => {
  it('report alive, and ready while Postgres and the queue respond; degraded with 200 once Postgres does not, because known links are still redirected', async () => {
    const service = await startService({ eagerQueue: true, config: { metricsToken: token } });
    try {
      const alive = await fetch(`${service.url}/healthz`);
      expect([alive.status, await alive.json()]).to.deep.equal([200, { status: 'alive' }]);
      await expectReady(service.url, 200, 'ready', { database: true, queue: true });

      const figures = () => scrape(`${service.url}/metrics`, token);
      expect((await figures()).get('qrelay_database_up')).to.equal(1);
      expect((await figures()).get('qrelay_web_processes_ready')).to.equal(1);

      await dropDatabase(service.databaseUrl);
      await expectReady(service.url, 200, 'degraded', { database: false, queue: false });
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
      expect((await figures()).get('qrelay_database_up')).to.equal(0);
      expect((await figures()).get('qrelay_web_processes_ready')).to.equal(1);
    } finally {
      await service.stop();
    }
  });

  it('report degraded with 200 while Redis is down or hangs, because redirects still work, and so do the metrics', async function () {
    if (!servers().redisUrl) return this.skip();
    const redis = await startOwnRedis(tmpdir(), await freePort());
    if (!redis) return this.skip();
    const service = await startService({ redisUrl: redis.url, config: { metricsToken: token } });
    const figures = () => scrape(`${service.url}/metrics`, token);
    try {
      await expectReady(service.url, 200, 'ready', { database: true, queue: true });
      await eventually(async () => {
        const told = await figures();
        expect(told.get('qrelay_queue_up')).to.equal(1);
        expect(told.get('qrelay_queue_jobs', { queue: 'scans', state: 'waiting' })).to.equal(0);
      });

      for (const fail of [() => void redis.process?.kill('SIGSTOP'), () => redis.stop()]) {
        await fail();
        await expectReady(service.url, 200, 'degraded', { database: true, queue: false });
        const asked = await eventually(async () => {
          const startedAt = performance.now();
          const told = await figures();
          expect(performance.now() - startedAt, 'ms for a scrape').to.be.below(2_500);
          expect(told.get('qrelay_queue_up')).to.equal(0);
          return told;
        });
        expect(asked.get('qrelay_queue_jobs')).to.equal(undefined);
        expect(asked.get('qrelay_queue_oldest_job_seconds')).to.equal(undefined);
      }
    } finally {
      await service.stop();
      await redis.stop();
    }
  });

  it('respond at once while Postgres hangs, and query it no more often however many requests arrive', async () => {
    let hangs = false;
    let hanging = 0;
    let answer: () => void = () => undefined;
    const database = startProbe(
      () => {
        if (!hangs) return Promise.resolve();
        hanging += 1;
        return new Promise<void>((resolve) => (answer = resolve));
      },
      { everyMs: 20, timeoutMs: 20 },
    );
    const queue = { latest: async () => ({ ok: true, ms: 1 }), stop: () => undefined };
    const parts = { database, queue, spool: { isWritable: () => true }, isDraining: () => false };
    const guards = createGuards({
      authenticateKey: (_ctx, next) => next(),
      metricsToken: undefined,
      viewDemo: async () => false,
      db: undefined as never,
      sessions: undefined as never,
    });
    const app = new Koa().use(serveRoutes(healthRoutes(parts, loadConfig({})).list, guards));
    const server = createServer((req, res) => void app.callback()(req, res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const state = async () => {
      const response = await fetch(`${url}/readyz`);
      const { status, checks } = (await response.json()) as Readiness;
      return [response.status, status, checks.database.ok];
    };
    try {
      await eventually(async () => expect(await state()).to.deep.equal([200, 'ready', true]));
      hangs = true;
      await eventually(async () => expect(await state()).to.deep.equal([200, 'degraded', false]));
      // The query that hangs holds a connection, so there is no second one.
      await Promise.all(Array.from({ length: 100 }, () => state()));
      expect(hanging).to.equal(1);
      hangs = false;
      answer();
      await eventually(async () => expect(await state()).to.deep.equal([200, 'ready', true]));
    } finally {
      database.stop();
      server.closeAllConnections();
      server.close();
    }
  });

  it('accept GET and HEAD only', async () => {
    const service = await startService({ eagerQueue: true });
    try {
      for (const path of ['/healthz', '/readyz']) {
        expect((await fetch(service.url + path, { method: 'HEAD' })).status).to.equal(200);
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const answer = await fetch(service.url + path, { method });
          expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'HEAD, GET']);
          expect(await answer.json()).to.include({ error: 'validation_error' });
        }
      }
    } finally {
      await service.stop();
    }
  });

  it('report 503 and draining on a connection that is still open during shutdown', async () => {
    const database = await createTestDatabase();
    const service = await openWebService({
      config: { ...loadConfig({}), host: '127.0.0.1', port: 0 },
      databaseUrl: database.url,
      log: testLog(),
      nowMs: Date.now,
      drainGraceMs: 5_000,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        get(`http://127.0.0.1:${service.port}/readyz`, { agent }, (res) => {
          let body = '';
          res.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          res.on('end', () => resolve({ status: res.statusCode, body }));
        }).on('error', reject);
      });
    await eventually(async () => expect((await ask()).status).to.equal(200));
    const closed = service.close();
    const { status, body } = await ask();
    expect(status).to.equal(503);
    expect(JSON.parse(body)).to.deep.include({ status: 'not ready', draining: true });
    agent.destroy();
    await closed;
    await database.drop();
  });
});

async function dropDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: servers().postgres.superuserUrl });
  await client.connect();
  await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await client.end();
}
