import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import { asSuperuser, startStandby } from '../support/standby.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import type { Random } from './random.ts';

/** A primary and a synchronous standby, each behind a proxy; their roles change with a promotion. */
export interface PostgresPair {
  /** Both proxies in one URL, as DATABASE_URL has them. */
  url: string;
  proxies: FaultyProxy[];
  primary(): EmbeddedPostgres;
  /** Kills the primary with all its sessions. */
  kill(): Promise<void>;
  /** Starts the killed primary again. */
  restart(): Promise<void>;
  /** Kills the primary and promotes the standby. */
  promote(): Promise<void>;
  /** Makes the server that is no longer primary a standby of the other, from a new base backup. */
  rejoin(): Promise<void>;
  /** Rejects unless every commit waits for the standby. */
  checkReplication(): Promise<void>;
  /** Asks the primary directly, on a connection of its own. */
  query<Row extends object>(sql: string, timeoutMs?: number): Promise<Row[]>;
  stop(): Promise<void>;
}

interface Node {
  server: EmbeddedPostgres;
  dataDir: string;
  proxy: FaultyProxy;
}

/** Each base backup copies the log. */
const settings = ['max_wal_size=128MB'];
const queryTimeoutMs = 5_000;

export async function startPostgresPair(
  folder: string,
  random: Random,
  prepare: (url: string) => Promise<void>,
): Promise<PostgresPair> {
  let copies = 0;
  const newDataDir = () => join(folder, `postgres-${(copies += 1)}`);
  const portOf = ({ url }: EmbeddedPostgres) => Number(new URL(url).port);

  const firstDataDir = newDataDir();
  await mkdir(firstDataDir);
  const first = await startEmbeddedPostgres({ dataDir: firstDataDir, settings });
  await prepare(first.url);
  let primary: Node = {
    server: first,
    dataDir: firstDataDir,
    proxy: await startFaultyProxy(portOf(first), random),
  };
  let standby: Node = { ...primary, ...(await follow()), proxy: await startFaultyProxy(0, random) };
  standby.proxy.forwardTo(portOf(standby.server));

  async function follow(): Promise<Omit<Node, 'proxy'>> {
    const dataDir = newDataDir();
    const { server } = await startStandby(primary.server, primary.dataDir, dataDir, { settings });
    // It came with the copy. Promoted, this server would wait for a standby that it does not have.
    await asSuperuser(server.superuserUrl, async (client) => {
      await client.query('ALTER SYSTEM RESET synchronous_standby_names');
      await client.query('SELECT pg_reload_conf()');
    });
    return { server, dataDir };
  }

  async function query<Row extends object>(sql: string, timeoutMs = queryTimeoutMs): Promise<Row[]> {
    const client = new Client({
      connectionString: primary.server.url,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    client.on('error', () => undefined); // the query is rejected as well
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  async function kill({ server }: Node): Promise<void> {
    const { process: child } = server;
    // A backend outlives its postmaster for a moment, and could still answer.
    signalTree(child.pid ?? 0, 'SIGKILL');
    await eventually(() => expect(child.exitCode ?? child.signalCode).to.not.equal(null));
  }

  const url = new URL(primary.server.url);
  return {
    url: url.href.replace(url.host, [primary, standby].map(({ proxy }) => `127.0.0.1:${proxy.port}`).join()),
    proxies: [primary.proxy, standby.proxy],
    primary: () => primary.server,
    kill: () => kill(primary),
    restart: () => eventually(() => primary.server.restart(), 20_000),
    async promote() {
      await kill(primary);
      await asSuperuser(standby.server.superuserUrl, async (client) => {
        await client.query('SELECT pg_promote(true, 30)');
      });
      [primary, standby] = [standby, primary];
    },
    async rejoin() {
      const { dataDir: old } = standby;
      standby = { ...standby, ...(await follow()) };
      standby.proxy.forwardTo(portOf(standby.server));
      await rm(old, { recursive: true, force: true });
    },
    async checkReplication() {
      const client = new Client({
        connectionString: primary.server.superuserUrl,
        query_timeout: queryTimeoutMs,
      });
      client.on('error', () => undefined);
      await client.connect();
      try {
        const { rows } = await client.query<{ sync_state: string }>(
          'SELECT sync_state FROM pg_stat_replication',
        );
        expect(rows.map(({ sync_state: state }) => state)).to.deep.equal(['sync']);
      } finally {
        await client.end();
      }
    },
    query,
    async stop() {
      for (const { server, proxy } of [standby, primary]) {
        signalTree(server.process.pid ?? 0, 'SIGCONT');
        await server.stop();
        await proxy.stop();
      }
    },
  };
}
