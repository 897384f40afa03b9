import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createCode as insertCode } from '../../src/codes/codes.ts';
import { purgeTrash, trashCode } from '../../src/codes/trash.ts';
import { runChecks } from '../../src/doctor/checks.ts';
import { defaultLimits } from '../../src/limits.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { runAs } from '../../src/store/actor.ts';
import { type Database, openDatabase, queryPrepared } from '../../src/store/database.ts';
import { monitorReplicas } from '../../src/store/replicas.ts';
import { goodConfig, findingsIn } from '../doctor/setup.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startWebProcess, startWorkerProcess } from '../support/programs.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { servers } from '../support/servers.ts';
import { createCode, openShare } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { renameWorkspace } from '../../src/workspaces/founding.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

const newCode = {
  name: 'Code',
  type: 'url',
  content: 'https://example.com',
  foregroundColor: '#000000',
  backgroundColor: '#ffffff',
  size: 128,
  errorCorrection: 'M',
  category: null,
} as const;
const creation = { lifetimeDays: 365, limits: defaultLimits };

describe('PgBouncer in front of PostgreSQL', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let bouncers: Record<'transaction' | 'session', PgBouncer>;
  let direct: Database;
  let folder: string;

  before(async function () {
    database = await createTestDatabase();
    direct = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    folder = await mkdtemp(join(tmpdir(), 'qrelay-bouncer-data-'));
    const transaction = await startPgBouncer(database.url, 'transaction');
    const session = await startPgBouncer(database.url, 'session', 20);
    if (!transaction || !session) return this.skip();
    bouncers = { transaction, session };
  });
  after(async () => {
    await bouncers?.transaction.stop();
    await bouncers?.session.stop();
    await direct?.destroy();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('runs frequent statements on shared connections, whatever each one has prepared', async () => {
    const db = openDatabase(bouncers.transaction.url, { poolMax: 6, applicationName: 'test' });
    const statement = { name: 'sum-of-two', text: 'SELECT $1::int + $2::int AS sum' };
    try {
      const sums = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          queryPrepared<{ sum: number }>(db, statement, [index, 1]).then(([row]) => row?.sum),
        ),
      );
      expect(sums).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 1));
    } finally {
      await db.destroy();
    }
  });

  it('does the same in transactions, which a failed statement would abort', async () => {
    const db = openDatabase(bouncers.transaction.url, { poolMax: 6, applicationName: 'test' });
    const statement = { name: 'product-of-two', text: 'SELECT $1::int * $2::int AS product' };
    try {
      const products = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          db.transaction(async (transaction) => {
            await transaction.raw('SELECT 1');
            return queryPrepared<{ product: number }>(transaction, statement, [index, 2]);
          }),
        ),
      );
      expect(products).to.deep.equal(Array.from({ length: 200 }, (_, index) => [{ product: index * 2 }]));
    } finally {
      await db.destroy();
    }
  });

  it("never runs another release's statement of the same name", async () => {
    const [old, current] = [1, 2].map(() =>
      openDatabase(bouncers.transaction.url, { poolMax: 2, applicationName: 'test' }),
    ) as [Database, Database];
    try {
      for (let turn = 0; turn < 10; turn += 1) {
        const before = await queryPrepared(old, { name: 'same', text: "SELECT 'old' AS is" }, []);
        const now = await queryPrepared(current, { name: 'same', text: "SELECT 'new' AS is" }, []);
        expect([before, now]).to.deep.equal([[{ is: 'old' }], [{ is: 'new' }]]);
      }
    } finally {
      await old.destroy();
      await current.destroy();
    }
  });

  it('gets no timeout from the monitor of replicas, which would apply to the statements of others', async () => {
    const single = await startPgBouncer(database.url, 'transaction', 1);
    const url = single?.url ?? '';
    const db = openDatabase(url, { poolMax: 1, applicationName: 'test' });
    try {
      await db.raw('SELECT 1');
      const replicas = monitorReplicas({ databaseUrl: url, replicaUrl: url, poolSize: 2, log: testLog() });
      // It has measured both: this database is no replica.
      await eventually(() => expect(replicas.list[0]?.state()).to.equal('primary'));
      await replicas.close();
      const { rows } = (await db.raw('SHOW statement_timeout')) as { rows: unknown[] };
      expect(rows).to.deep.equal([{ statement_timeout: '9s' }]);
    } finally {
      await db.destroy();
      await single?.stop();
    }
  });

  it('names who makes a change, whichever server connection the change gets', async () => {
    const clients = Array.from({ length: 4 }, () =>
      openDatabase(bouncers.transaction.url, { poolMax: 2, applicationName: 'test' }),
    );
    const [db] = clients as [Database];
    const now = new Date();
    try {
      const workspaceId = ownWorkspaceId(await findOrCreateUser(direct, 'named@example.com', now));
      const codes = await Promise.all(
        clients.map((client, index) =>
          insertCode(client, workspaceId, { ...newCode, name: `Code ${index}` }, { ...creation, now }),
        ),
      );
      await runAs({ kind: 'operator', name: 'command line' }, () =>
        Promise.all(clients.map((client, index) => renameWorkspace(client, workspaceId, `Name ${index}`))),
      );
      for (const { id } of codes) await trashCode(db, workspaceId, id, defaultLimits);
      await direct('trashed_codes').update({ trashed_at: new Date(now.getTime() - 31 * dayMs) });
      expect(await purgeTrash(db, () => false)).to.equal(4);
      const actors = (await direct('changes')
        .where({ workspace_id: workspaceId })
        .groupBy('kind', 'action', 'actor_kind')
        .orderBy(['kind', 'action'])
        .select('kind', 'action', 'actor_kind')) as unknown[];
      expect(actors).to.deep.equal([
        { kind: 'code', action: 'created', actor_kind: 'service' },
        { kind: 'code', action: 'deleted', actor_kind: 'service' },
        { kind: 'code', action: 'trashed', actor_kind: 'service' },
        { kind: 'workspace', action: 'changed', actor_kind: 'operator' },
      ]);
    } finally {
      await Promise.all(clients.map((client) => client.destroy()));
    }
  });

  describe('with processes of the service [processes]', () => {
    it('in transaction mode carries the whole service: no attempt to record scans fails', async function () {
      const redisUrl = await emptyRedisDatabase();
      if (!redisUrl) return this.skip();
      const settings = {
        DATABASE_URL: bouncers.transaction.url,
        REDIS_URL: redisUrl,
        DATA_DIR: folder,
        BASE_URL: 'https://qr.test',
        LOG_LEVEL: 'info',
      };
      const [web, worker] = await Promise.all([startWebProcess(settings), startWorkerProcess(settings)]);
      try {
        const user = await findOrCreateUser(direct, 'bouncer@example.com', new Date());
        await setPlan(direct, ownWorkspaceId(user), 'pro');
        const api = apiClient(web.url, await createApiKey(direct, ownWorkspaceId(user), 'test', new Date()));
        const codes = await Promise.all([createCode(api), createCode(api)]);
        for (let turn = 1; turn <= 20; turn += 1) {
          await Promise.all(codes.map(({ shareToken }) => openShare(web.url, shareToken)));
          await eventually(async () => {
            for (const { id } of codes) {
              expect((await direct('scans').where({ qr_code_id: id })).length).to.equal(turn);
            }
          });
        }
        expect((await api(`/qrcodes/${codes[0]?.id}/analytics`)).body).to.include({ totalScans: 20 });
      } finally {
        await web.stop();
        await worker.stop();
      }
      expect(`${web.output()}${worker.output()}`).to.not.match(/42P05|26000|"level":50/);
      const allowed =
        /"this process opens up to (\d+) connections to PostgreSQL; the server allows \d+ in all"/;
      expect([web, worker].map((program) => allowed.exec(program.output())?.[1])).to.deep.equal(['10', '11']);
    });
  });

  describe('is detected by the doctor', () => {
    const findings = async (databaseUrl: string, redisUrl: string | undefined) =>
      (await runChecks({ config: goodConfig({ databaseUrl, redisUrl, dataDir: folder }) })).filter(
        ({ finding }) => finding.includes('pooler'),
      );

    it('in transaction mode: ok with Redis, a failure if the queue is in PostgreSQL', async function () {
      const { redisUrl } = servers();
      if (!redisUrl) return this.skip();
      const fine = findingsIn(await findings(bouncers.transaction.url, redisUrl), 'ok');
      expect(fine[0]).to.match(/^postgres: \d+ connections allowed, \d+ open; the pooler shares them\.$/);
      expect(fine.slice(1)).to.deep.equal([
        'postgres: A pooler in transaction mode is in front of PostgreSQL: statements are sent unprepared.',
      ]);
      expect(findingsIn(await findings(bouncers.transaction.url, undefined), 'failure')).to.deep.equal([
        'postgres: A pooler in transaction mode is in front of PostgreSQL, and the queue in PostgreSQL needs LISTEN, which does not work through it: scans are recorded late or never.',
      ]);
    });

    it('in session mode, with the number of connections that its pool needs', async () => {
      const [found, ...rest] = await findings(bouncers.session.url, undefined);
      expect(rest).to.deep.equal([]);
      expect(found).to.include({ subject: 'postgres', state: 'ok' });
      expect(found?.finding).to.match(
        /^A pooler in session mode is in front of PostgreSQL: its pool needs at least \d+ connections\.$/,
      );
    });

    it('in session mode, even if its pool has a single connection', async () => {
      const small = await startPgBouncer(database.url, 'session', 1);
      try {
        expect((await findings(small?.url ?? '', undefined))[0]?.finding).to.match(
          /^A pooler in session mode/,
        );
      } finally {
        await small?.stop();
      }
    });

    it('in statement mode, which rejects transactions: a failure', async () => {
      const statement = await startPgBouncer(database.url, 'statement');
      try {
        const found = await findings(statement?.url ?? '', servers().redisUrl);
        expect(findingsIn(found, 'failure').join()).to.match(/^postgres: A pooler in statement mode/);
      } finally {
        await statement?.stop();
      }
    });

    it('with its version and limits, which must be enough', async () => {
      const ofConsole = async (url: string, changes = {}) =>
        (
          await runChecks({
            config: goodConfig({ databaseUrl: url, redisUrl: undefined, dataDir: folder, ...changes }),
          })
        ).filter(({ finding }) => finding.startsWith('PgBouncer'));
      const [fine] = await ofConsole(bouncers.transaction.url);
      expect(fine?.finding).to.match(
        /^PgBouncer 1\.\d+\.\d+: max_client_conn is 200, default_pool_size 2\.$/,
      );
      const [few] = await ofConsole(bouncers.transaction.url, { webConcurrency: 20 });
      expect(few?.state).to.equal('warning');
      expect(few?.finding).to.match(
        /max_client_conn is 200, .* open up to \d+ connections: some are refused\.$/,
      );
      const [small] = await ofConsole(bouncers.session.url);
      expect(small?.state).to.equal('warning');
      expect(small?.remedy).to.match(/^Set default_pool_size to \d+ or more/);
    });

    it('only if there is one', async () => {
      expect(await findings(database.url, undefined)).to.deep.equal([]);
    });
  });
});
