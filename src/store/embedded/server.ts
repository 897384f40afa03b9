import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SetupError } from '../../errors.ts';
import { findBinaries } from './binaries.ts';
import { type ClusterTools, ensureCluster, exitOf, spawnServer, stopLeftoverServer } from './cluster.ts';
import { type Credentials, embeddedFiles, readCredentials, readPostmaster, serviceUrl } from './files.ts';
import { chooseRunAs } from './run-as.ts';

export interface EmbeddedPostgres {
  /** For the service: a role that owns its one database. */
  url: string;
  /** For tests that make databases of their own. */
  superuserUrl: string;
  process: ChildProcess;
  /** Starts it again, on the same port, after it died. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface StartOptions {
  dataDir: string;
  /** Further server settings, `name=value`. */
  settings?: string[];
}

/** Starts PostgreSQL on a data folder that the caller has claimed; makes the database first where there is none. */
export async function startEmbeddedPostgres({
  dataDir,
  settings = [],
}: StartOptions): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const { cluster } = embeddedFiles(dataDir);
  const tools: ClusterTools = {
    dataDir,
    binaries,
    runAs: chooseRunAs(cluster, [binaries.postgres, cluster]),
  };
  await ensureCluster(tools);
  await stopLeftoverServer(tools);
  const credentials = await readCredentials(dataDir);
  const port = await freePort();
  const start = () => startServer(tools, port, settings, credentials);

  const embedded: EmbeddedPostgres = {
    url: serviceUrl(port, credentials),
    superuserUrl: superuserUrl(port, credentials),
    process: await start(),
    async restart() {
      embedded.process = await start();
    },
    async stop() {
      const { process: server } = embedded;
      if (server.exitCode !== null || server.signalCode !== null) return;
      // "Fast shutdown": ends the sessions, writes everything, leaves.
      server.kill('SIGINT');
      await exitOf(server);
    },
  };
  return embedded;
}

/** The address of the embedded database that runs on this data folder, if one does. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const postmaster = await readPostmaster(dataDir);
  if (!postmaster) return undefined;
  const url = serviceUrl(postmaster.port, await readCredentials(dataDir));
  return (await tryConnect(url)) === undefined ? url : undefined;
}

async function startServer(
  tools: ClusterTools,
  port: number,
  settings: string[],
  credentials: Credentials,
): Promise<ChildProcess> {
  const child = spawnServer(tools, port, settings);
  let over = false;
  child.once('exit', () => {
    over = true;
  });
  const admin = superuserUrl(port, credentials);
  for (;;) {
    const refusal = await tryConnect(admin);
    if (refusal === undefined) break;
    if (over) throw new SetupError(await whyItStopped(tools.dataDir));
    await sleep(50);
  }
  await ensureServiceDatabase(admin, credentials);
  return child;
}

async function whyItStopped(dataDir: string): Promise<string> {
  const { cluster, log } = embeddedFiles(dataDir);
  const text = await readFile(log, 'utf8');
  const lastRun = text.slice(text.lastIndexOf('--- starting'));
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(lastRun)?.[1] ?? 'it said nothing';
  return `The embedded PostgreSQL did not start on ${cluster}: ${reason}. Its log is ${log}.`;
}

function superuserUrl(port: number, { superuser }: Credentials): string {
  return `postgres://postgres:${superuser}@127.0.0.1:${port}/postgres`;
}

async function tryConnect(url: string): Promise<unknown> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {
    // The server may go away again at once; the next try tells.
  });
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ensureServiceDatabase(admin: string, { service }: Credentials): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  try {
    const role = await client.query("SELECT 1 FROM pg_roles WHERE rolname = 'qrelay'");
    if (role.rowCount === 0)
      await client.query(`CREATE ROLE qrelay LOGIN PASSWORD ${client.escapeLiteral(service)}`);
    const database = await client.query("SELECT 1 FROM pg_database WHERE datname = 'qrelay'");
    if (database.rowCount === 0) await client.query('CREATE DATABASE qrelay OWNER qrelay');
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
