import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from './config.ts';
import { SetupError } from './errors.ts';
import { endWith, runMain } from './lifecycle.ts';
import { migrateQueue } from './queue/connection.ts';
import { claimDataDir } from './store/data-dir.ts';
import { openDatabase } from './store/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './store/embedded/server.ts';
import { migrate } from './store/migrate.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { keepRunning } from './supervisor.ts';

const portPatienceMs = 3_000;

/** What `npm start` runs: the embedded Postgres where none is set, migrations, a web and a worker process. */
runMain(async () => {
  const config = loadConfig(process.env, { logLevel: 'warn' });
  const log = createLog('standalone', config.logLevel);
  // What was begun, to be ended in the opposite order.
  const ends: (() => Promise<void>)[] = [];
  const endAll = async () => {
    for (let end = ends.pop(); end; end = ends.pop()) await end();
  };
  endWith(log, endAll);
  endWithNpm();
  try {
    await start(config, log, (end) => ends.push(end));
    welcome(config);
  } catch (error) {
    await endAll();
    throw error;
  }
});

async function start(config: Config, log: Log, atEnd: (end: () => Promise<void>) => void): Promise<void> {
  atEnd(await claimDataDir(config.dataDir, say));
  await checkPort(config);

  let { databaseUrl } = config;
  if (!databaseUrl) {
    const postgres = await startPostgres(config, log);
    atEnd(() => postgres.stop());
    databaseUrl = postgres.url;
  }
  await migrateAll(databaseUrl, config.redisUrl);

  const env = { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: config.logLevel };
  // The web process ends before the worker: what it still holds goes to the queue.
  const kept = [
    keepRunning('worker', () => startProcess('../workers/main', env), log),
    keepRunning('web', () => startProcess('./server', env), log),
  ];
  for (const { stop } of kept) atEnd(stop);
  await Promise.all(kept.map(({ ready }) => ready));
  if (process.argv.includes('--watch')) {
    renewOnChange(() => {
      for (const { renew } of kept) renew();
    });
  }
}

async function startPostgres({ dataDir }: Config, log: Log): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  const watchServer = () =>
    postgres.process.once('exit', (code, signal) => {
      // A stop of our own ends with 0.
      if (code === 0) return;
      log.error({ code, signal }, 'the embedded PostgreSQL ended; starting it again');
      postgres.restart().then(watchServer, (err: unknown) => {
        log.fatal({ err }, 'the embedded PostgreSQL did not start again');
        process.kill(process.pid, 'SIGTERM');
      });
    });
  watchServer();
  return postgres;
}

async function migrateAll(databaseUrl: string, redisUrl: string | undefined): Promise<void> {
  const db = openDatabase(databaseUrl, { poolMax: 2, applicationName: 'qrelay migrations' });
  try {
    await migrate(db);
    await migrateQueue({ databaseUrl, redisUrl });
  } finally {
    await db.destroy();
  }
}

/** The same entry points as the Procfile's, in sessions of their own: Ctrl-C reaches us alone, and we end them in order. */
function startProcess(entry: string, env: NodeJS.ProcessEnv): ChildProcess {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = fileURLToPath(new URL(`${entry}.${extension}`, import.meta.url));
  return spawn(process.execPath, [...process.execArgv, path], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Asked before anything is started. A web process that a killed run left behind lets go of the port in a moment. */
async function checkPort({ port, host }: Config): Promise<void> {
  const giveUpAt = Date.now() + portPatienceMs;
  for (;;) {
    const fault = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const probe = createServer();
      probe.once('error', resolve);
      probe.listen({ port, host }, () => probe.close(() => resolve(undefined)));
    });
    if (!fault) return;
    if (fault.code !== 'EADDRINUSE') {
      throw new SetupError(
        `Qrelay cannot listen on ${host ?? ''}:${port} (${fault.code}). Set HOST and PORT to an address of this machine that this user may use.`,
      );
    }
    if (Date.now() > giveUpAt) {
      throw new SetupError(
        `Port ${port} is taken by another program. Stop that one, or choose another port: PORT=${port + 1} npm start`,
      );
    }
    await sleep(100);
  }
}

/** npm killed outright cannot pass the signal on; its death is only seen in who our parent is. */
function endWithNpm(): void {
  if (!process.env['npm_lifecycle_event']) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

function renewOnChange(renew: () => void): void {
  let pause: NodeJS.Timeout | undefined;
  for (const folder of ['.', '../workers', '../migrations']) {
    watch(fileURLToPath(new URL(folder, import.meta.url)), { recursive: true }, () => {
      clearTimeout(pause);
      pause = setTimeout(renew, 100);
    });
  }
}

function welcome({ baseUrl, port }: Config): void {
  say(`Qrelay is ready at http://localhost:${port}`);
  say(`
Next: make an API key, in another terminal, and create a code with it:

  KEY=$(npm run -s qrelay -- key create --email you@example.com)
  curl -s ${baseUrl}/api/v1/qrcodes -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"name":"My first code","content":"https://example.com/"}'

Open the shareUrl of the answer, and its scan is counted. Ctrl-C stops everything.`);
}

function say(line: string): void {
  console.log(line);
}
