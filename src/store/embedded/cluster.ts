import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../errors.ts';
import type { PostgresBinaries } from './binaries.ts';
import { type Credentials, embeddedFiles, readPostmaster } from './files.ts';
import type { RunAs } from './run-as.ts';

export interface ClusterTools {
  dataDir: string;
  binaries: PostgresBinaries;
  runAs: RunAs;
}

/** Makes the cluster where there is none. It is whole or not there: a killed initdb leaves only the unfinished folder. */
export async function ensureCluster(tools: ClusterTools): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  if (existsSync(files.cluster)) return checkCluster(tools);
  await rm(files.unfinished, { recursive: true, force: true });
  await mkdir(files.unfinished, { mode: 0o700 });
  const { owner } = tools.runAs;
  if (owner) await chown(files.unfinished, owner.uid, owner.gid);

  const credentials: Credentials = {
    superuser: randomBytes(24).toString('hex'),
    service: randomBytes(24).toString('hex'),
  };
  await writeFile(files.password, `${credentials.superuser}\n`, { mode: 0o600 });
  if (owner) await chown(files.password, owner.uid, owner.gid);
  const log = openSync(files.log, 'a', 0o600);
  const child = run(
    tools,
    tools.binaries.initdb,
    [
      `--pgdata=${files.unfinished}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      `--pwfile=${files.password}`,
    ],
    log,
  );
  const code = await exitOf(child);
  closeSync(log);
  await unlink(files.password);
  if (code !== 0)
    throw new SetupError(`The embedded PostgreSQL could not make its database: see ${files.log}`);
  await writeFile(join(files.unfinished, files.credentials), JSON.stringify(credentials), { mode: 0o600 });
  await rename(files.unfinished, files.cluster);
}

async function checkCluster({ dataDir, binaries, runAs }: ClusterTools): Promise<void> {
  const files = embeddedFiles(dataDir);
  const whole = [
    files.version,
    join(files.cluster, files.credentials),
    join(files.cluster, 'global', 'pg_control'),
  ];
  const missing = whole.find((path) => !existsSync(path));
  if (missing) {
    throw new SetupError(
      `The database in ${files.cluster} is incomplete: ${missing} is missing. Put a backup in its place, or move the folder away to start with an empty one.`,
    );
  }
  const found = (await readFile(files.version, 'utf8')).trim();
  const ours = await majorVersion({ dataDir, binaries, runAs });
  if (found !== ours) {
    throw new SetupError(
      `The database in ${files.cluster} is of PostgreSQL ${found}, and the embedded one is ${ours}. Dump it with the old version and load it into a new DATA_DIR.`,
    );
  }
}

async function majorVersion(tools: ClusterTools): Promise<string> {
  const child = spawn(tools.binaries.postgres, ['--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  await exitOf(child);
  return /(\d+)\./.exec(text)?.[1] ?? text;
}

/** Starts the server in a session of its own, so that a Ctrl-C meant for us does not end it before we are done. */
export function spawnServer(tools: ClusterTools, port: number, settings: string[]): ChildProcess {
  const files = embeddedFiles(tools.dataDir);
  const log = openSync(files.log, 'a', 0o600);
  writeSync(log, `--- starting on port ${port}\n`);
  const options = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    ...settings,
  ];
  const args = ['-D', files.cluster, '-p', String(port), ...options.flatMap((option) => ['-c', option])];
  const child = run(tools, tools.binaries.postgres, args, log);
  closeSync(log);
  return child;
}

/** Ends a server that an earlier run left behind when it was killed. The caller holds DATA_DIR: it can be nobody else's. */
export async function stopLeftoverServer(tools: ClusterTools): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  const postmaster = await readPostmaster(tools.dataDir);
  if (!postmaster) return;
  const program = await readFile(`/proc/${postmaster.pid}/comm`, 'utf8').catch(() => undefined);
  if (program !== undefined && program.trim() !== 'postgres') {
    // After a restart of the machine the number belongs to another program, and PostgreSQL would not dare to start.
    await unlink(files.pid);
    return;
  }
  const log = openSync(files.log, 'a', 0o600);
  await exitOf(
    run(tools, tools.binaries.pg_ctl, ['stop', '-D', files.cluster, '-m', 'fast', '-w', '-t', '20'], log),
  );
  closeSync(log);
}

function run(tools: ClusterTools, program: string, args: string[], log: number): ChildProcess {
  const [command = program, ...rest] = [...tools.runAs.command, program, ...args];
  return spawn(command, rest, {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
    env: { ...process.env, LC_ALL: 'C' },
  });
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null) return resolve(child.exitCode);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}
