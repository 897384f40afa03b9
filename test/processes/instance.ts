import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { keepLog } from '../support/test-log.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const isRoot = process.getuid?.() === 0;
export const readyLine = /^Qrelay is ready at (http:\/\/\S+)$/gm;

const roles = {
  standalone: /launch\.mjs\0standalone|dist\/src\/standalone\.js|src\/launch\.mjs\0dev/,
  web: /src\/server\.[jt]s/,
  worker: /workers\/main\.[jt]s/,
  postgres: /\/postgres\0-D\0/,
  initdb: /\/initdb\0/,
} as const;

/** The environment of the test run must not reach the programs under test. */
const settings =
  'DATABASE_URL REDIS_URL REDIS_CA_FILE SCAN_QUEUES SCAN_JOURNAL QRELAY_SECRET GEO_DATABASE DATA_DIR BASE_URL PORT HOST LOG_LEVEL WEB_CONCURRENCY QR_CODE_LIFETIME_DAYS TRUST_PROXY_HOPS THREADS_FROM_BUILD';
const unset = Object.fromEntries(settings.split(' ').map((name) => [name, '']));

/** The program that `npm start` runs, without npm and the checks for installation and build: faster. */
export const standalone = [process.execPath, join(root, 'dist', 'src', 'standalone.js')];
export const webProgram = [process.execPath, join(root, 'dist', 'src', 'server.js')];
export const npmStart = ['npm', 'start'];
/** Another user with read access only. The checkout may be in a folder that only root can enter. */
const mayPass = [
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
  '--securebits=+no_setuid_fixup',
];
export const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...mayPass];

/** A service under test with its own process group (as in a terminal), data folder and port. */
export interface Instance {
  child: ChildProcess;
  port: number;
  url: string;
  dataDir: string;
  stdout(): string;
  stderr(): string;
  /** Resolves when the ready line is printed. */
  ready(): Promise<void>;
  /** The exit code or signal; rejects after a few seconds. */
  exit(): Promise<number | string>;
  pids(role: keyof typeof roles): number[];
  pid(role: keyof typeof roles): number;
}

const folders: string[] = [];

export async function newFolder(): Promise<string> {
  // Private like a home folder: when run as root, PostgreSQL's user may not enter it.
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-process-'));
  folders.push(folder);
  return folder;
}

let template: Promise<string> | undefined;

/** A copy of a data folder with a migrated database, so that not every test waits for a new one. */
export async function usedDataDir(): Promise<string> {
  template ??= makeTemplate();
  const from = await template;
  const to = join(await newFolder(), 'data');
  expect(spawnSync('cp', ['-a', from, to]).status).to.equal(0);
  return to;
}

async function makeTemplate(): Promise<string> {
  const dataDir = join(await newFolder(), 'data');
  await mkdir(dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir });
  await migrateDatabase(postgres.url, () => undefined);
  await migrateQueue({ databaseUrl: postgres.url, redisUrl: undefined });
  await postgres.stop();
  process.once('exit', () => rmSync(dirname(dataDir), { recursive: true, force: true }));
  return dataDir;
}

interface StartOptions {
  dataDir: string;
  command?: string[];
  env?: Record<string, string>;
  port?: number;
  /** Working directory; default: this checkout. */
  folder?: string;
}

export async function start({
  dataDir,
  command = standalone,
  env = {},
  port: givenPort,
  folder = root,
}: StartOptions): Promise<Instance> {
  const port = givenPort ?? (await freePort());
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...unset, DATA_DIR: dataDir, PORT: String(port), ...env },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      keepLog(chunk);
    });
  }
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const pids = (role: keyof typeof roles) =>
    processesOf(dataDir)
      .filter(({ commandLine }) => roles[role].test(commandLine))
      .map(({ pid }) => pid);
  return {
    child,
    port,
    url: `http://localhost:${port}`,
    dataDir,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    async ready() {
      await eventually(() => {
        if (!text.stdout.match(readyLine)) throw new Error(`Not ready: ${text.stdout}${text.stderr}`);
      }, 60_000);
    },
    async exit() {
      await eventually(
        () => expect(child.exitCode ?? child.signalCode, 'still runs').to.not.equal(null),
        30_000,
      );
      const [code, signal] = await exited;
      return code ?? signal ?? 'unknown';
    },
    pids,
    pid(role) {
      const [first] = pids(role);
      if (first === undefined) throw new Error(`There is no ${role} process`);
      return first;
    },
  };
}

/** Retries without a response: the connection may have been accepted by a process that was exiting. */
export async function expectServes({ url }: Instance): Promise<void> {
  await eventually(async () => {
    const { status } = await fetch(url, {
      signal: AbortSignal.timeout(1_000),
      // Keep-alive connections would delay the shutdown of the service.
      headers: { Connection: 'close' },
    });
    expect(status).to.equal(200);
  }, 20_000);
}

/** How often to look for processes: reading all of /proc takes milliseconds. */
export const everyMs = 150;

interface FoundProcess {
  pid: number;
  commandLine: string;
}

/** Every process that was started with this DATA_DIR or has its working directory there, whatever its parent is now. */
export function processesOf(dataDir: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = `\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`;
        const folder = readlinkSync(`/proc/${name}/cwd`);
        if (!environment.includes(`\0DATA_DIR=${dataDir}\0`) && folder !== join(dataDir, 'postgres'))
          return [];
        return [{ pid: Number(name), commandLine: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        // Exited in the meantime, or not readable for us.
        return [];
      }
    });
}

/** No process of this folder is running, and the folder can be claimed again. */
export async function expectAllGone(dataDir: string, withinMs = 10_000): Promise<void> {
  await eventually(
    () => {
      const left = processesOf(dataDir).map(
        ({ pid, commandLine }) => `${pid} ${commandLine.replaceAll('\0', ' ')}`,
      );
      expect(left).to.deep.equal([]);
    },
    withinMs,
    everyMs,
  );
}

export function expectReleased(dataDir: string): void {
  expect(existsSync(join(dataDir, 'qrelay.pid')), 'DATA_DIR is still claimed').to.equal(false);
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'PostgreSQL did not end well').to.equal(
    false,
  );
}

/** A folder that belongs to the user `nobody` and that it can enter. */
export async function folderOfNobody(): Promise<string> {
  const folder = `${await newFolder()}-nobody`;
  await mkdir(folder, { mode: 0o700 });
  folders.push(folder);
  await chown(folder, 65534, 65534);
  return folder;
}

/** For an `after` hook: kills the remaining processes of the test by PID, and removes the folders. */
export async function cleanUp(): Promise<void> {
  const kept = template ? await template.catch(() => undefined) : undefined;
  for (const folder of folders.splice(0)) {
    if (kept?.startsWith(`${folder}/`)) {
      folders.push(folder);
      continue;
    }
    for (const dataDir of [folder, join(folder, 'data')]) {
      for (const { pid } of processesOf(dataDir)) kill(pid);
      await expectAllGone(dataDir);
    }
    await rm(folder, { recursive: true, force: true });
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already exited.
  }
}
