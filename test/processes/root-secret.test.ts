import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { hashPassword } from '../../src/accounts/password-hash.ts';
import { createUser } from '../../src/accounts/users.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { removeStoredSecret } from '../../src/store/root-secrets.ts';
import { apiClient } from '../support/api-client.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { jsonLines } from '../support/json-lines.ts';
import { eventually } from '../support/eventually.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import {
  ensureBuilt,
  outcomeOf,
  startProgram,
  startWebProcess,
  startWorkerProcess,
} from '../support/programs.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const newSecret = 'a-new-root-secret-of-thirty-two-characters';
const password = 'correct horse battery';

describe('Moving the root secret from the database to QRELAY_SECRET, with running processes [processes]', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let db: Database;
  let folder: string;
  let settings: Record<string, string>;
  let code: SharedCode;
  const started: { stop(): Promise<void> }[] = [];

  before(async function () {
    const redisUrl = await emptyRedisDatabase();
    if (!redisUrl) return this.skip();
    await ensureBuilt();
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    folder = await mkdtemp(join(tmpdir(), 'qrelay-secret-'));
    settings = {
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      DATA_DIR: folder,
      BASE_URL: 'http://qr.test',
      HANG_LIMIT_SECONDS: '60',
      LOG_LEVEL: 'info',
    };
    await createUser(db, { email: 'owner@example.com', passwordHash: hashPassword(password) }, new Date());
  });
  after(async () => {
    await Promise.all(started.map((process) => process.stop()));
    await db?.destroy();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const env = (secret: string) => ({ ...settings, QRELAY_SECRET: secret });
  async function web(secret: string) {
    const process = await startWebProcess(env(secret));
    started.push(process);
    return process;
  }
  async function worker(secret: string) {
    const process = await startWorkerProcess(env(secret));
    started.push(process);
    return process;
  }
  const scan = async (url: string) =>
    expect((await openShare(url, code.shareToken)).status).to.be.oneOf([200, 302]);
  const recorded = async () =>
    Number((await db('scans').where({ qr_code_id: code.id }).count({ count: '*' }).first())?.['count']);
  const secretFindings = async (secret: string) => {
    const { stdout } = await runQrelayHere(['doctor', '--json'], env(secret));
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    expect(stdout).to.not.include(newSecret);
    return findings
      .filter(({ subject }) => subject === 'secret')
      .map((one) => `${one.state}: ${one.finding}`);
  };
  /** The client goes on at another web process, with its cookies and the form that it has open. */
  const signIn = (client: FormClient, given = password) =>
    client.post('/signin', { email: 'owner@example.com', password: given });
  function moveTo(url: string, from: FormClient): FormClient {
    const client = formClient(url);
    for (const [name, value] of from.cookies) client.cookies.set(name, value);
    return client;
  }

  it('records every scan and keeps sessions, open forms and devices, although a web process gets it before the workers', async () => {
    const oldWeb = await web('');
    const oldWorker = await worker('');
    const user = (await db('users').first('id')) as { id: string };
    code = await createCode(
      apiClient(oldWeb.url, await createApiKey(db, ownWorkspaceId(user), 'test', new Date())),
    );
    await scan(oldWeb.url);
    await eventually(async () => expect(await recorded()).to.equal(1));
    const [place, processes] = await secretFindings('');
    expect(place).to.match(/^ok: The root secret is in the database /);
    expect(processes).to.equal('ok: All processes that are connected use the secret of the database.');

    // Signed in, with a form open.
    const visitor = formClient(oldWeb.url);
    await visitor.get('/signin');
    expect((await signIn(visitor)).status).to.equal(303);
    const page = await visitor.get('/keys');
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    expect(csrfToken).to.have.length.above(80);

    // A web process gets the new secret first: the worker cannot decrypt its jobs, and loses none.
    const newWeb = await web(newSecret);
    await scan(newWeb.url);
    await scan(oldWeb.url);
    await eventually(async () => expect(await recorded()).to.equal(2));
    await eventually(() =>
      expect(oldWorker.output()).to.include('encrypted with a root secret that this process does not have'),
    );
    const failures = (await secretFindings(newSecret)).slice(-2);
    for (const [index, role] of ['worker', 'web'].entries())
      expect(failures[index]).to.match(
        new RegExp(
          `^failure: A ${role} process does not have the secret [0-9a-f]{8}, which another process uses`,
        ),
      );
    const queue = openQueueClient({
      place: { databaseUrl: database.url, redisUrl: settings['REDIS_URL'] },
      log: testLog(),
    });
    await waitUntilReady(queue);
    try {
      const depth = (await queue.depths()).find(({ queue: name }) => name === scanQueue.name);
      expect(depth?.jobs.failed).to.equal(0);
      await eventually(async () => expect(await queue.pending(scanQueue)).to.equal(1));
    } finally {
      await queue.close();
    }

    // The page that was opened at the old process is sent to the new one: same session, and the form is accepted.
    const moved = moveTo(newWeb.url, visitor);
    expect((await moved.get('/keys')).status).to.equal(200);
    expect((await moved.post('/keys', { csrfToken, name: 'after the move' })).status).to.equal(303);

    // Known devices stay known: wrong guesses elsewhere lock the account, but not this browser.
    const stranger = formClient(newWeb.url);
    await stranger.get('/signin');
    for (let guess = 0; guess < 10; guess += 1) await signIn(stranger, `wrong guess ${guess}`);
    expect((await signIn(stranger)).status).to.equal(429);
    const returning = moveTo(newWeb.url, visitor);
    returning.cookies.delete('qrelay-session');
    await returning.get('/signin');
    expect((await signIn(returning)).status).to.equal(303);
    expect(returning.cookies.get('qrelay-device')).to.not.equal(visitor.cookies.get('qrelay-device'));

    // A worker with the new secret records what waits, also what is encrypted with the old one.
    await worker(newSecret);
    await eventually(async () => expect(await recorded()).to.equal(3), 30_000);
    await oldWorker.stop();
    await scan(oldWeb.url);
    await scan(newWeb.url);
    await eventually(async () => expect(await recorded()).to.equal(5));

    // Refused as long as a process needs it.
    const early = await runQrelayHere(['secret', 'remove'], env(newSecret));
    expect(early.code).to.equal(1);
    expect(early.stderr).to.include('A web process that is connected still uses the secret of the database.');
    await oldWeb.stop();
    await eventually(async () =>
      expect((await secretFindings(newSecret)).at(-1)).to.match(
        /^ok: All processes .* use the secret [0-9a-f]{8}\.$/,
      ),
    );
    expect((await runQrelayHere(['secret', 'remove'], env(newSecret))).code).to.equal(0);
    expect(await secretFindings(newSecret)).to.have.length(2);
    await scan(newWeb.url);
    await eventually(async () => expect(await recorded()).to.equal(6));
  });

  it('does not start a process that has no secret any more, and says why', async () => {
    await removeStoredSecret(db);
    for (const program of ['src/server.js', 'workers/main.js']) {
      const { code: exitCode, stdout } = await outcomeOf(startProgram(program, { ...env(''), PORT: '1' }));
      expect(exitCode).to.equal(1);
      expect(jsonLines(stdout).at(-1)).to.include({
        level: 60,
        msg: 'The database has no root secret any more. Set QRELAY_SECRET to the one that the other processes have.',
      });
    }
  });
});
