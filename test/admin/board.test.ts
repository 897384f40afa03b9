import type { Job } from 'bullmq';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectToQueues } from '../../src/queue/queue-connection.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { listActions } from '../../src/accounts/operator-actions.ts';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser, setAdmin } from '../../src/accounts/users.ts';
import { packScans, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { hourMs } from '../../src/runtime/units.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { inABrowser } from '../support/in-a-browser.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

const userAgent = 'NobodysBrowser/7.0 (Kitchen Table)';
const address = '81.2.69.142';
const fromHere = { Origin: 'https://qr.test', 'Sec-Fetch-Site': 'same-origin' };
const failedJobs = '/admin/board/api/queues?activeQueue=scans&status=failed&page=1&jobsPerPage=10';

interface BoardAnswer {
  queues: [
    {
      name: string;
      counts: Record<string, number>;
      jobs: { id: string; data: object; failedReason: string; stacktrace: string[] }[];
    },
  ];
}

type Ask = (path: string, init?: { method?: string; headers?: Record<string, string> }) => Promise<Response>;

interface BoardUse {
  service(): TestService;
  operator: Ask;
  board(path?: string): Promise<BoardAnswer>;
  makeFailedJob(): Promise<{ jobId: string; codeId: string; repair(): Promise<void> }>;
  expectLanded(codeId: string): Promise<void>;
}

/** With the session cookie of a user, or without one. */
async function askAs(service: TestService, email?: string, isAdmin = false): Promise<Ask> {
  const cookies = ['__Host-qrelay-visitor=known'];
  if (email) {
    const user = await findOrCreateUser(service.db, email, new Date());
    await setAdmin(service.db, user, isAdmin, new Date());
    cookies.push(`__Host-qrelay-session=${await startSession(service.db, user.id, new Date())}`);
  }
  return (path, { method = 'GET', headers = {} } = {}) =>
    fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: { Accept: 'text/html', ...headers, Cookie: cookies.join('; ') },
    });
}

/** A service with a worker and an operator, for the tests of a suite. */
function useBoard(redisUrl: () => string | undefined): BoardUse {
  let service: TestService;
  let operator: Ask;

  before(async () => {
    service = await startService({ redisUrl: redisUrl(), worker: true });
    operator = await askAs(service, 'operator@example.com', true);
  });
  after(() => service?.stop());

  async function board(path = failedJobs): Promise<BoardAnswer> {
    const answer = await operator(path);
    expect(answer.status).to.equal(200);
    return (await answer.json()) as BoardAnswer;
  }

  /** A job of two scans, encrypted with a key that the worker does not get within a day: the job fails. */
  async function makeFailedJob(): Promise<{ jobId: string; codeId: string; repair(): Promise<void> }> {
    const { id: codeId } = await createCode(apiClient(service.url, await service.makeKey()));
    const { sealingKey } = await loadSecrets(service.db);
    const scan = { userAgent, address };
    const scans = [
      { ...scan, id: newScanId(Date.now() - 25 * hourMs), codeId: 'no-uuid' },
      { ...scan, id: newScanId(Date.now()), codeId },
    ];
    const place = { redisUrl: redisUrl(), databaseUrl: service.databaseUrl };
    const queue = connectToQueues(place, testLog());
    const job = await eventually(() =>
      queue.queue(scanQueue).add(scanQueue.jobName, packScans(scans, randomBytes(32)), { attempts: 1 }),
    );
    await eventually(async () => expect(await job.getState()).to.equal('failed'));
    await queue.close();
    return {
      jobId: String(job.id),
      codeId,
      async repair() {
        const repairing = connectToQueues(place, testLog());
        const failed = await eventually(() => repairing.queue(scanQueue).getJob(String(job.id)));
        await (failed as Job<ScanJob> | undefined)?.updateData(packScans(scans, sealingKey));
        await repairing.close();
      },
    };
  }

  async function expectLanded(codeId: string): Promise<void> {
    await eventually(async () => {
      expect(await service.db('scans').where({ qr_code_id: codeId })).to.have.length(1);
      expect((await board()).queues[0].counts['failed']).to.equal(0);
    });
    expect(await service.db('dead_scans').where('job', 'like', '%no-uuid%')).to.have.length.greaterThan(0);
  }

  return {
    service: () => service,
    operator: (path, init) => operator(path, init),
    board,
    makeFailedJob,
    expectLanded,
  };
}

function itRetriesJobs({ service, operator, board, makeFailedJob, expectLanded }: BoardUse): void {
  it('retries a failed job, whose scans are then recorded, and shows no personal data', async () => {
    const { jobId, codeId, repair } = await makeFailedJob();
    const shown = await board();
    const [job] = shown.queues[0].jobs;
    expect(shown.queues[0].counts).to.include({ failed: 1, waiting: 0 });
    expect(job?.data).to.deep.equal({ scans: 2, codes: ['no-uuid', codeId] });
    expect(job?.failedReason).to.equal(
      'the client addresses of the job were encrypted with a root secret that this process does not have: add it to the end of QRELAY_SECRET',
    );
    const everything = JSON.stringify([shown, await board(`/admin/board/api/queues/scans/${jobId}`)]);
    expect(everything).to.contain('encrypted with a root secret');
    for (const hidden of ['Kitchen', address, 'sealedAddresses', 'insert into'])
      expect(everything).not.to.contain(hidden);

    const late = await operator(`/admin/board/api/queues/scans/${jobId}/promote`, {
      method: 'PUT',
      headers: fromHere,
    });
    expect(late.status).to.equal(409);
    expect(await late.text()).to.contain('Reload the page');

    await repair();
    const path = `/admin/board/api/queues/scans/${jobId}/retry`;
    const elsewhere: Record<string, string>[] = [
      {},
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'https://qr.test' },
      { 'Sec-Fetch-Site': 'none' },
    ];
    for (const headers of elsewhere) {
      const refused = await operator(path, { method: 'PUT', headers });
      expect(refused.status, JSON.stringify(headers)).to.equal(403);
    }
    expect((await board()).queues[0].counts['failed']).to.equal(1);
    expect((await operator(path, { method: 'PUT', headers: fromHere })).status).to.equal(204);
    await expectLanded(codeId);
    const [recorded] = await listActions(service().db, { limit: 1 });
    expect(recorded).to.include({
      operatorEmail: 'operator@example.com',
      action: 'queue.retry',
      target: 'scans',
      note: `Job ${jobId}`,
    });
  });
}

describe('The queue board (queue on Postgres)', () => {
  const use = useBoard(() => undefined);
  const { service, operator, board, makeFailedJob, expectLanded } = use;

  itRetriesJobs(use);

  it('is for operators: everyone else gets a 404 for each of its URLs', async () => {
    const formerOperator = await askAs(service(), 'former@example.com', true);
    expect((await formerOperator('/admin/board')).status).to.equal(200);
    await setAdmin(
      service().db,
      await findOrCreateUser(service().db, 'former@example.com', new Date()),
      false,
      new Date(),
    );
    const script = /static\/js\/main[^"]+/.exec(await (await operator('/admin/board')).text())?.[0];
    expect((await operator(`/admin/board/${script}`)).status).to.equal(200);
    const paths = ['/admin', '/admin/', '/admin/board', '/admin/board/', '/admin/board/queue/scans'];
    paths.push(failedJobs, `/admin/board/${script}`, '/admin/board/api/queues/scans/retry/failed');

    async function whatIsSeen(ask: Ask, path: string, method: string, accept: string): Promise<object> {
      const sent = { ...fromHere, Accept: accept, 'Accept-Encoding': 'identity' };
      const answer = await ask(path, { method, headers: sent });
      const headers = Object.fromEntries(answer.headers);
      const requestId = headers['x-request-id'] ?? 'none';
      delete headers['x-request-id'];
      delete headers['date'];
      const body = (await answer.text()).replaceAll(/(?<=name="csrfToken" value=")[^"]+/g, '');
      return { status: answer.status, headers, body: body.replace(requestId, '') };
    }
    const others = [
      { ask: await askAs(service(), 'user@example.com'), methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] },
      { ask: await askAs(service()), methods: ['GET', 'PUT'] },
      { ask: formerOperator, methods: ['GET', 'PUT'] },
    ];
    for (const { ask, methods } of others) {
      for (const accept of ['text/html', 'application/json']) {
        for (const method of accept === 'text/html' ? methods : ['GET']) {
          const missing = await whatIsSeen(ask, '/nothing-here', method, accept);
          expect(missing).to.include({ status: 404 });
          const seen = await Promise.all(paths.map((path) => whatIsSeen(ask, path, method, accept)));
          for (const [index, path] of paths.entries())
            expect(seen[index], `${method} ${path}`).to.deep.equal(missing);
        }
      }
    }
  });

  it('serves only its own files', async () => {
    for (const path of [
      '../index.ejs',
      '..%2findex.ejs',
      '%2e%2e/index.ejs',
      'js',
      'js/',
      '',
      'no.js',
      'constructor',
    ])
      expect((await operator(`/admin/board/static/${path}`)).status, path).to.equal(404);
    const picture = await operator('/admin/board/static/images/logo.svg');
    expect(picture.headers.get('content-type')).to.equal('image/svg+xml; charset=utf-8');
    expect(picture.headers.get('cache-control')).to.match(/^private, max-age=/);
  });

  it('records a change before it is made, under the name of its route', async () => {
    const { jobId, codeId, repair } = await makeFailedJob();
    await repair();
    const change = (path: string) =>
      operator(`/admin/board/api/queues/scans/${path}`, { method: 'PUT', headers: fromHere });
    await service().db.schema.renameTable('operator_actions', 'hidden_actions');
    expect((await change(`${jobId}/retry`)).status).to.equal(500);
    await service().db.schema.renameTable('hidden_actions', 'operator_actions');
    await eventually(async () => expect((await board()).queues[0].counts['failed']).to.equal(1));
    await change('promote/retry');
    const [recorded] = await listActions(service().db, { limit: 1 });
    expect(recorded).to.include({ action: 'queue.retry', target: 'scans', note: 'Job promote' });
    await change(`${jobId}/retry`);
    await expectLanded(codeId);
  });

  it('rejects every action that would lose, change or stop scans', async () => {
    const { jobId, codeId, repair } = await makeFailedJob();
    const forbidden = [
      ['PUT', `scans/${jobId}/clean`],
      ['PUT', 'scans/clean/failed'],
      ['PUT', 'scans/empty'],
      ['PUT', 'scans/obliterate'],
      ['PUT', 'scans/pause'],
      ['PUT', 'pause'],
      ['PUT', 'scans/concurrency'],
      ['PUT', 'scans/rate-limit'],
      ['POST', 'scans/add'],
      ['PATCH', `scans/${jobId}/update-data`],
    ] as const;
    for (const [method, path] of forbidden) {
      const answer = await operator(`/admin/board/api/queues/${path}`, { method, headers: fromHere });
      expect(answer.status, path).to.equal(403);
      expect(await answer.text()).to.contain('can only retry and promote jobs');
    }
    expect(
      (await operator('/admin/board/api/queues/scans', { method: 'DELETE', headers: fromHere })).status,
    ).to.equal(404);
    expect((await board()).queues[0].counts['failed']).to.equal(1);
    await repair();
    const all = '/admin/board/api/queues/scans/retry/failed';
    expect((await operator(all, { method: 'PUT', headers: fromHere })).status).to.equal(200);
    await expectLanded(codeId);
  });
});

describe('The queue board (queue on Redis)', () => {
  let url: string | undefined;
  before(async function () {
    url = await emptyRedisDatabase();
    if (!url) return this.skip();
  });
  const use = useBoard(() => url);
  const { service, makeFailedJob, expectLanded } = use;

  itRetriesJobs(use);

  inABrowser('The board', service, (site) => {
    it('is linked in the header for users made operators with `qrelay user admin`, and retries by a click', async () => {
      const { page, provoked } = await site.visitAs('chief@example.com', {
        viewport: { width: 1280, height: 800 },
      });
      await page.goto('/keys');
      const admin = page.getByRole('banner').getByRole('link', { name: 'Admin' });
      expect(await admin.count()).to.equal(0);
      const settings = { DATABASE_URL: service().databaseUrl };
      const made = await runQrelayHere(['user', 'admin', '--email', 'Chief@example.com'], settings);
      expect(made).to.deep.equal({
        code: 0,
        stdout: '',
        stderr: 'chief@example.com is now an operator: see /admin.\n',
      });

      const { codeId, repair } = await makeFailedJob();
      await repair();
      await page.reload();
      await admin.click();
      await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Queues' }).click();
      await page.getByRole('link', { name: 'Queue board' }).click();
      await page.waitForURL('**/admin/board');
      expect(await page.title()).to.equal('Qrelay queues');
      await page.getByRole('main').getByRole('link', { name: 'scans' }).first().waitFor();
      await eventually(async () =>
        expect(await page.getByRole('main').innerText()).to.match(/scans\s+FAILED\s+1\s+1 Job/),
      );
      await page.getByRole('main').getByRole('link', { name: 'scans' }).first().click();
      await page.getByRole('link', { name: 'Failed 1' }).click();
      await page
        .getByText(
          'the client addresses of the job were encrypted with a root secret that this process does not have: add it to the end of QRELAY_SECRET',
        )
        .first()
        .waitFor();
      expect(await page.content()).not.to.contain('Kitchen');
      provoked.push(/^403 .*\/clean\/failed/, /preloaded using link preload but not used/);
      await page.getByRole('button', { name: 'Clean all' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('This board can only retry and promote jobs.').waitFor();
      await page.getByRole('button', { name: 'Retry all' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expectLanded(codeId);

      // The board that is still open asks again.
      provoked.push(/^404 .*\/admin\/board\/api\//);
      const ended = await runQrelayHere(['user', 'admin', '--email', 'chief@example.com', '--off'], settings);
      expect(ended.stderr).to.equal('chief@example.com is no longer an operator.\n');
      expect((await page.goto('/admin/board'))?.status()).to.equal(404);
      expect(await admin.count()).to.equal(0);
    });
  });
});

describe('The queue board while Redis is down', () => {
  let folder: string;
  let redis: RedisServer | undefined;
  let service: TestService;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-board-'));
  });
  after(async () => {
    await service?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('says so at once, works when Redis is back, and does not wait for a server that hangs [timed]', async function () {
    const port = await freePort();
    service = await startService({ redisUrl: `redis://127.0.0.1:${port}` });
    const operator = await askAs(service, 'operator@example.com', true);
    async function expectAway(path: string): Promise<void> {
      const startedAt = Date.now();
      const answer = await operator(path);
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('5');
      expect(await answer.text()).to.contain('The queue cannot be reached.');
      expect(Date.now() - startedAt).to.be.below(8_000);
    }
    await expectAway('/admin/board');

    redis = await startOwnRedis(folder, port);
    if (!redis) return this.skip();
    await eventually(async () => expect((await operator('/admin/board')).status).to.equal(200));
    expect((await operator(failedJobs)).status).to.equal(200);

    redis.process?.kill('SIGSTOP');
    await expectAway(failedJobs);
    redis.process?.kill('SIGCONT');
    await eventually(async () => expect((await operator(failedJobs)).status).to.equal(200));

    await redis.stop();
    await expectAway(failedJobs);
    expect((await operator('/healthz')).status).to.equal(200);
  });
});
