import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from './config.ts';
import { SetupError } from './errors.ts';
import { drainLimitMs, endWith, runMain } from './runtime/lifecycle.ts';
import { migrateQueue } from './queue/postgres-engine.ts';
import { claimDataDir } from './store/data-dir.ts';
import { keepPostgresRunning } from './store/embedded/keep.ts';
import { startEmbeddedPostgres } from './store/embedded/server.ts';
import { migrateDatabase } from './store/migrate.ts';
import { keepRunning } from './runtime/supervisor.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { logWarnings } from './telemetry/stray-output.ts';

const portPatienceMs = 3_000;
/** The web process, then the worker, then Postgres: each may take its own limit. */
const stopLimitMs = 3 * drainLimitMs;

/** Given to a step of the start: what was begun is ended in the opposite order. */
type AtEnd = (end: () => Promise<void>) => void;

/** What `npm start` runs: the embedded Postgres where none is set, migrations, a web and a worker process. */
runMain(async () => {
  const config = loadConfig(process.env, { logLevel: 'warn' });
  const log = createLog('standalone', config.logLevel);
  logWarnings(log);
  const stopping = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  const endAll = async () => {
    for (let end = ends.pop(); end; end = ends.pop()) await end();
  };

  const started = start(config, log, stopping.signal, (end) => ends.push(end));
  endWith(
    log,
    async () => {
      stopping.abort();
      // Whatever step it was at, it has ended what it had begun, or left it to us.
      await started.catch(() => undefined);
      await endAll();
    },
    stopLimitMs,
  );
  try {
    await started;
    welcome(config);
  } catch (error) {
    // Asked to stop while starting: that is no failure, and `endWith` sees to the rest.
    if (stopping.signal.aborted) return;
    await endAll();
    throw error;
  }
});

async function start(config: Config, log: Log, signal: AbortSignal, atEnd: AtEnd): Promise<void> {
  const onLost = () => {
    log.error(
      `another Qrelay has taken ${config.dataDir}, because this one stood still for too long: ending`,
    );
    process.kill(process.pid, 'SIGTERM');
  };
  atEnd(await claimDataDir(config.dataDir, { signal, onLost }));
  await checkPort(config, signal);
  const databaseUrl = config.databaseUrl ?? (await startPostgres(config, log, signal, atEnd));
  await unlessAborted(migrateAll(databaseUrl, config.redisUrl, log), signal);

  const env = { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: config.logLevel };
  // The web process ends before the worker: what it still holds goes to the queue.
  const limits = { hangLimitMs: config.hangLimitSeconds * 1_000 };
  const kept = [
    keepRunning('worker', () => startProcess('../workers/main', env), log, limits),
    keepRunning('web', () => startProcess('./server', env), log, limits),
  ];
  for (const { stop } of kept) atEnd(stop);
  await unlessAborted(Promise.all(kept.map(({ ready }) => ready)), signal);
  if (process.argv.includes('--watch')) {
    renewOnChange(() => {
      for (const { renew } of kept) renew();
    });
  }
}

async function startPostgres(
  { dataDir }: Config,
  log: Log,
  signal: AbortSignal,
  atEnd: AtEnd,
): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, signal });
  atEnd(keepPostgresRunning(postgres, log));
  return postgres.url;
}

async function migrateAll(databaseUrl: string, redisUrl: string | undefined, log: Log): Promise<void> {
  const { notice } = await migrateDatabase(databaseUrl, (sentence) => console.error(sentence));
  if (notice) log.warn(notice);
  await migrateQueue({ databaseUrl, redisUrl });
}

/** The same entry points as the Procfile's, in sessions of their own: Ctrl-C reaches us alone, and we end them in order. */
function startProcess(entry: string, env: NodeJS.ProcessEnv): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const path = fileURLToPath(new URL(`${entry}.${isSource ? 'ts' : 'js'}`, import.meta.url));
  return spawn(process.execPath, [...process.execArgv, ...(isSource ? ['--import', 'tsx'] : []), path], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Asked before anything is started. A web process that a killed run left behind lets go of the port in a moment. */
async function checkPort({ port, host }: Config, signal: AbortSignal): Promise<void> {
  const giveUpAt = Date.now() + portPatienceMs;
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
      const another = port < 65_535 ? port + 1 : port - 1;
      throw new SetupError(
        `Port ${port} is taken by another program. Stop that one, or choose another port: PORT=${another} npm start`,
      );
    }
    await sleep(100, undefined, { signal });
  }
}

/** For work that is left to itself, because what it works on is ended next. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error('asked to stop'));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([work, aborted]);
}

function renewOnChange(renew: () => void): void {
  let pause: NodeJS.Timeout | undefined;
  for (const folder of ['.', '../workers']) {
    watch(fileURLToPath(new URL(folder, import.meta.url)), { recursive: true }, () => {
      clearTimeout(pause);
      pause = setTimeout(() => {
        console.log('The sources have changed: web and worker start again.');
        renew();
      }, 100);
    });
  }
}

function welcome({ host, port, dataDir, databaseUrl }: Config): void {
  const address = `http://${nameOf(host)}:${port}`;
  const folder = relative(process.cwd(), dataDir);
  const where = databaseUrl || folder === '.data' ? '' : `DATA_DIR='${dataDir}' `;
  console.log(`Qrelay is ready at ${address}

Next: make an API key, in another terminal, and create a code with it:

  KEY=$(${where}npm run -s qrelay -- key create --email you@example.com)
  curl -s ${address}/api/v1/qrcodes -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"name":"My first code","content":"https://example.com/"}'

Open the shareUrl of the answer, and its scan is counted. Ctrl-C stops everything.`);
}

/** How this machine reaches what listens on HOST. */
function nameOf(host: string | undefined): string {
  if (!host || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
