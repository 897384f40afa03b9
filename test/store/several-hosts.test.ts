import { expect } from 'chai';
import { connectToQueues } from '../../src/queue/queue-connection.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { type Database, isDatabaseUnavailable, openDatabase } from '../../src/store/database.ts';
import { splitHosts } from '../../src/store/database-url.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { asSuperuser } from '../support/standby.ts';
import { testLog } from '../support/test-log.ts';

const options = { poolMax: 4, applicationName: 'test', queryTimeoutMs: 2_000 };

describe('DATABASE_URL with several hosts', function () {
  this.timeout(120_000);
  let postgres: ReplicatedPostgres;
  let db: Database;

  before(async () => {
    postgres = await startReplicatedPostgres();
    db = openDatabase(postgres.url, options);
  });
  after(async () => {
    await db?.destroy();
    await postgres?.stop();
  });

  const portOf = async (database: Database) => {
    const { rows } = (await database.raw('SELECT inet_server_port() AS port')) as {
      rows: [{ port: number }];
    };
    return rows[0].port;
  };
  const primaryPort = () => Number(new URL(postgres.primary.url).port);

  it('connects to the primary, whichever host comes first', async () => {
    for (const hosts of [splitHosts(postgres.url), splitHosts(postgres.url).toReversed()]) {
      const [first, second] = hosts.map((url) => new URL(url).host);
      const both = openDatabase(postgres.url.replace(/@[^/]+/, `@${first},${second}`), options);
      try {
        const ports = await Promise.all([1, 2, 3, 4].map(() => portOf(both)));
        expect(ports).to.deep.equal(Array(4).fill(primaryPort()));
      } finally {
        await both.destroy();
      }
    }
  });

  it('finds the primary although another host does not respond', async () => {
    signalTree(postgres.standby.server.process.pid ?? 0, 'SIGSTOP');
    const other = openDatabase(postgres.url, options);
    try {
      expect(await portOf(other)).to.equal(primaryPort());
    } finally {
      await other.destroy();
      signalTree(postgres.standby.server.process.pid ?? 0, 'SIGCONT');
    }
  });

  it('asks the servers once for many connections', async () => {
    const seen = async () => {
      const statement = `SELECT sessions FROM pg_stat_database WHERE datname = 'qrelay'`;
      let sessions = 0;
      await asSuperuser(postgres.primary.superuserUrl, async (client) => {
        sessions = Number((await client.query<{ sessions: string }>(statement)).rows[0]?.sessions);
      });
      return sessions;
    };
    const before = await seen();
    const other = openDatabase(postgres.url, { ...options, poolMax: 8 });
    await Promise.all(Array.from({ length: 8 }, () => other.raw('SELECT pg_sleep(0.2)')));
    await other.destroy();
    // Sessions are counted shortly after they end.
    await eventually(async () => expect(await seen()).to.equal(before + 9));
  });

  it('migrates, and adds jobs to a queue in PostgreSQL', async () => {
    expect(await migrateDatabase(postgres.url, () => undefined)).to.deep.equal({
      applied: [],
      notice: undefined,
    });
    const connection = connectToQueues({ databaseUrl: postgres.url, redisUrl: undefined }, testLog());
    try {
      await connection.queue(scanQueue).add('record', { scans: [], sealedAddresses: '' });
      expect(await connection.queue(scanQueue).count()).to.equal(1);
    } finally {
      await connection.close();
    }
  });

  it('says of each host why it is not used, and reports a wrong password as such', async () => {
    const [standbyUrl = ''] = splitHosts(postgres.url);
    const readOnly = openDatabase(`${standbyUrl}?target_session_attrs=read-write`, options);
    const error = await portOf(readOnly).catch((reason: unknown) => reason);
    await readOnly.destroy();
    const host = `127.0.0.1:${postgres.standby.port}/qrelay`;
    expect(error).to.have.property('message', `No server accepts writes: ${host} is read-only`);
    expect(isDatabaseUnavailable(error)).to.equal(true);
    const wrong = openDatabase(postgres.url.replace(/:[^:@]+@/, ':hidden-word@'), options);
    const refused = await portOf(wrong).catch((reason: unknown) => reason);
    await wrong.destroy();
    expect(refused).to.have.property('code', '28P01');
  });

  it('follows a promotion', async () => {
    expect(await portOf(db)).to.equal(primaryPort());
    signalTree(postgres.primary.process.pid ?? 0, 'SIGKILL');
    await postgres.standby.promote();
    await eventually(async () => {
      expect(await portOf(db)).to.equal(postgres.standby.port);
      await db('service_secrets').insert({ name: 'after the promotion', value: Buffer.alloc(1) });
    });
  });
});
