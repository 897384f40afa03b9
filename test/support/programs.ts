import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { keepLog, testLogLevel } from './test-log.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is set where the tests run must not reach the programs under test; an empty string is "not set". */
export const unsetSettings = Object.fromEntries(
  [
    'QRELAY_COMMIT',
    'DATABASE_URL',
    'FREE_LIMITS',
    'PRO_LIMITS',
    'DATABASE_REPLICA_URL',
    'REDIS_URL',
    'REDIS_CA_FILE',
    'SCAN_QUEUES',
    'SCAN_JOURNAL',
    'QRELAY_SECRET',
    'GEO_DATABASE',
    'DATA_DIR',
    'BASE_URL',
    'PORT',
    'HOST',
    'LOG_LEVEL',
    'WEB_CONCURRENCY',
    'METRICS_TOKEN',
    'METRICS_PORT',
    'WORKER_METRICS_PORT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ].map((name) => [name, '']),
);

export type Settings = Record<string, string>;

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Builds what the programs run from, where it is out of date. */
export async function ensureBuilt(): Promise<void> {
  const launch = (await import(new URL('../../src/launch.mjs', import.meta.url).href)) as {
    ensureBuilt(): Promise<void>;
  };
  await launch.ensureBuilt();
}

/** Runs `qrelay …` in a process of its own. */
export function runQrelay(args: string[], settings: Settings): Promise<Outcome> {
  return outcomeOf(startQrelay(args, settings));
}

export function startQrelay(args: string[], settings: Settings): ChildProcess {
  return start(process.execPath, [join('dist', 'src', 'cli.js'), ...args], settings);
}

/** As the README tells a newcomer to run it. */
export function runQrelayWithNpm(args: string[], settings: Settings): Promise<Outcome> {
  return outcomeOf(start('npm', ['run', '-s', 'qrelay', '--', ...args], settings));
}

/** A program of the build, to be looked at until it ends. */
export function startProgram(
  file: string,
  settings: Settings,
  { hasParent = false }: { hasParent?: boolean } = {},
): ChildProcess {
  return start(process.execPath, [join('dist', file)], { HOST: '127.0.0.1', ...settings }, hasParent);
}

export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { ...outcome, code };
}

interface OwnProcess {
  /** What it has written to standard output. */
  output(): string;
  stop(): Promise<void>;
  /** Without a chance to finish anything. */
  kill(): Promise<void>;
}

interface WebProcess extends OwnProcess {
  url: string;
}

/** The web program in a process of its own, ready to answer. */
export async function startWebProcess(settings: Settings): Promise<WebProcess> {
  const port = await freePort();
  const web = await startProcess('web', join('dist', 'src', 'server.js'), {
    PORT: String(port),
    ...settings,
  });
  return { url: `http://127.0.0.1:${port}`, ...web };
}

/** The worker program in a process of its own, at work. */
export function startWorkerProcess(settings: Settings): Promise<OwnProcess> {
  return startProcess('worker', join('dist', 'workers', 'main.js'), settings);
}

async function startProcess(name: string, file: string, settings: Settings): Promise<OwnProcess> {
  const child = spawn(process.execPath, [file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...unsetSettings, HOST: '127.0.0.1', LOG_LEVEL: testLogLevel, ...settings },
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    keepLog(text);
  });
  const gone = once(child, 'exit');
  const ready = await Promise.race([
    once(child, 'message').then(() => true),
    gone.then(
      () => false,
      () => false,
    ),
  ]);
  if (!ready) throw new Error(`The ${name} process ended before it was ready`);
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function start(program: string, args: string[], settings: Settings, hasParent = false): ChildProcess {
  return spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', ...(hasParent ? (['ipc'] as const) : [])],
    env: { ...process.env, ...unsetSettings, ...settings },
  });
}
