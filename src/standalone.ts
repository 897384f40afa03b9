import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from './config.ts';
import { hostOf, isLoopback } from './net/address-policy.ts';
import { SetupError } from './errors.ts';
import { terminalUrl } from './mail/mailer.ts';
import { onShutdown, plainErrorsFlag, runMain } from './lifecycle.ts';
import { claimDataDir } from './store/data-dir.ts';
import { startEmbeddedPostgres, supervisePostgres } from './store/embedded/server.ts';
import { createPartitions } from './scans/partitions.ts';
import { drainLimitMs, supervise } from './runtime/supervisor.ts';
import { createLog, type Log, logWarnings } from './telemetry/log.ts';
import { welcomeText } from './welcome.ts';

const portTimeoutMs = 3_000;
/** The web process, the worker and Postgres stop one after the other; each may use its own limit. */
const shutdownLimitMs = 3 * drainLimitMs;

/** Registers the cleanup of a start-up step. Cleanups run in reverse order. */
type AddCleanup = (cleanUp: () => Promise<void>) => void;

/** What `npm start` runs: the embedded Postgres unless DATABASE_URL is set, migrations, one web and one worker process. */
runMain(async () => {
  const config = loadConfig(process.env, { logLevel: 'warn' });
  const log = createLog('standalone', config.logLevel);
  logWarnings(log);
  const stopping = new AbortController();
  const cleanups: (() => Promise<void>)[] = [];
  const cleanUpAll = async () => {
    for (let cleanUp = cleanups.pop(); cleanUp; cleanUp = cleanups.pop()) await cleanUp();
  };

  const started = start(config, log, stopping.signal, (cleanUp) => cleanups.push(cleanUp));
  onShutdown(
    log,
    async () => {
      stopping.abort();
      // The interrupted step has cleaned up after itself or registered a cleanup.
      await started.catch(() => undefined);
      await cleanUpAll();
    },
    shutdownLimitMs,
  );
  try {
    await started;
    console.log(welcomeText(config));
  } catch (error) {
    // Stopped while starting: not a failure, and `onShutdown` cleans up.
    if (stopping.signal.aborted) return;
    await cleanUpAll();
    throw error;
  }
});

async function start(config: Config, log: Log, signal: AbortSignal, addCleanup: AddCleanup): Promise<void> {
  const onLost = () => {
    log.error(
      `another Qrelay has claimed ${config.dataDir} because this one was unresponsive for too long; shutting down`,
    );
    process.kill(process.pid, 'SIGTERM');
  };
  addCleanup(await claimDataDir(config.dataDir, { signal, onLost }));
  await checkPort(config, signal);
  const databaseUrl = config.databaseUrl ?? (await startPostgres(config, log, signal, addCleanup));
  await unlessAborted(migrateAll(databaseUrl, config.redisUrl, log), signal);

  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: config.logLevel,
    // On this machine only: links to new passwords must not get into the log of a service.
    ...(!config.mail && isLoopback(hostOf(config.baseUrl)) && { SMTP_URL: terminalUrl }),
  };
  // Cleanups run in reverse, so the web process stops before the worker and its last scans still reach the queue.
  const limits = { hangLimitMs: config.hangLimitSeconds * 1_000 };
  const processes = [
    supervise('worker', () => startProcess('../workers/main', env), log, limits),
    supervise('web', () => startProcess('./server', env), log, limits),
  ];
  for (const { stop } of processes) addCleanup(stop);
  await unlessAborted(Promise.all(processes.map(({ ready }) => ready)), signal);
  if (process.argv.includes('--watch')) {
    onSourceChange(() => {
      for (const { restart } of processes) restart();
    });
  }
}

async function startPostgres(
  { dataDir }: Config,
  log: Log,
  signal: AbortSignal,
  addCleanup: AddCleanup,
): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, signal });
  addCleanup(supervisePostgres(postgres, log));
  return postgres.url;
}

async function migrateAll(databaseUrl: string, redisUrl: string | undefined, log: Log): Promise<void> {
  // Loaded when the database is up: a start that fails before that says so sooner.
  const { migrateDatabase } = await import('./store/migrate.ts');
  const { migrateQueue } = await import('./queue/postgres-engine.ts');
  const { requireEngineInUse } = await import('./queue/queue-agreement.ts');
  const { notice } = await migrateDatabase(
    databaseUrl,
    (message) => console.error(message),
    async (db) => {
      await requireEngineInUse(db, { databaseUrl, redisUrl });
      await createPartitions(db, new Date());
    },
  );
  if (notice) log.warn(notice);
  await migrateQueue({ databaseUrl, redisUrl });
}

/** The Procfile's entry points. Detached, so that Ctrl-C reaches only this process, which stops them in order. */
function startProcess(entry: string, env: NodeJS.ProcessEnv): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const path = fileURLToPath(new URL(`${entry}.${isSource ? 'ts' : 'js'}`, import.meta.url));
  const options = [...process.execArgv, ...(isSource ? ['--import', 'tsx'] : [])];
  return spawn(process.execPath, [...options, path, plainErrorsFlag], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Checked before anything starts. It retries for a moment, because a web process of a killed run may still hold the port. */
async function checkPort({ port, host }: Config, signal: AbortSignal): Promise<void> {
  const giveUpAt = Date.now() + portTimeoutMs;
  for (;;) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const probe = createServer();
      probe.once('error', resolve);
      probe.listen({ port, host }, () => probe.close(() => resolve(undefined)));
    });
    if (!error) return;
    if (error.code !== 'EADDRINUSE') {
      throw new SetupError(
        `Qrelay cannot listen on ${host ?? ''}:${port} (${error.code}). Set HOST and PORT to an address of this machine that this user may use.`,
      );
    }
    if (Date.now() > giveUpAt) {
      const otherPort = port < 65_535 ? port + 1 : port - 1;
      throw new SetupError(
        `Port ${port} is in use by another program. Stop that program, or choose another port: PORT=${otherPort} npm start`,
      );
    }
    await sleep(100, undefined, { signal });
  }
}

/** Rejects on abort without waiting for the work, whose database or processes are about to be stopped. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error('aborted'));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([work, aborted]);
}

function onSourceChange(restart: () => void): void {
  let debounce: NodeJS.Timeout | undefined;
  for (const folder of ['.', '../workers']) {
    watch(fileURLToPath(new URL(folder, import.meta.url)), { recursive: true }, () => {
      clearTimeout(debounce);
      debounce = setTimeout(() => {
        console.log('The sources have changed. Restarting web and worker.');
        restart();
      }, 100);
    });
  }
}
