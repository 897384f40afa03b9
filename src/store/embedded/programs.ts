import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { SetupError } from '../../errors.ts';
import type { PostgresBinaries } from './binaries.ts';
import { embeddedFiles } from './files.ts';
import type { PostgresUser } from './postgres-user.ts';

export interface PostgresTools {
  dataDir: string;
  binaries: PostgresBinaries;
  user: PostgresUser;
}

/** How long a fast shutdown may take. After that the server is stopped immediately, and the next start recovers. */
export const fastStopLimitMs = 15_000;

/** Starts a program in its own session, so that Ctrl-C does not stop it before we do. Its output goes to the log file. */
export function runProgram(
  { dataDir, user }: PostgresTools,
  parentDeathSignal: 'TERM' | 'KILL',
  program: string,
  args: string[],
  heading?: string,
): ChildProcess {
  const log = openSync(embeddedFiles(dataDir).log, 'a', 0o600);
  try {
    if (heading) writeSync(log, `${heading}\n`);
    const [command = program, ...rest] = [...user.commandPrefix(parentDeathSignal), program, ...args];
    return spawn(command, rest, {
      detached: true,
      cwd: '/',
      stdio: ['ignore', log, log],
      env: { ...process.env, LC_ALL: 'C' },
    });
  } finally {
    closeSync(log);
  }
}

/** If Qrelay is killed, the server gets SIGTERM ("smart shutdown"): it stops when the web and worker processes have disconnected. */
export function spawnServer(tools: PostgresTools, port: number, settings: string[]): ChildProcess {
  const { cluster } = embeddedFiles(tools.dataDir);
  const options = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    ...settings,
  ];
  const args = ['-D', cluster, '-p', String(port), ...options.flatMap((option) => ['-c', option])];
  return runProgram(tools, 'TERM', tools.binaries.postgres, args, `--- starting on port ${port}`);
}

export async function stopServer(server: ChildProcess): Promise<void> {
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGQUIT'), fastStopLimitMs);
  await exitOf(server);
  clearTimeout(timer);
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once('error', (error) =>
      reject(
        new SetupError(
          `The embedded PostgreSQL cannot run on this machine (${error.message}). Set DATABASE_URL to a PostgreSQL server instead.`,
        ),
      ),
    );
    child.once('exit', (code) => resolve(code));
  });
}

/** The major version, in the format of PG_VERSION. */
export async function versionOf(postgres: string): Promise<string> {
  const child = spawn(postgres, ['--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  await exitOf(child);
  return /(\d+)\./.exec(text)?.[1] ?? text;
}
