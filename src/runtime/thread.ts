import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { createBackoff } from './backoff.ts';
import { watchLiveness } from './heartbeat.ts';

const checkEveryMs = 500;

interface PendingCall {
  /** Timer ticks since the call. Ticks instead of time, so that a pause of our own process does not count. */
  checks: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface ThreadOptions {
  /** The file that the thread runs, beside the one that opens it: `new URL('….js', import.meta.url)`. */
  file: URL;
  data: unknown;
  name: string;
  log: Logger;
  callTimeoutMs?: number;
  /** A thread whose event loop is blocked for this long is replaced. Loading its code counts too. */
  hangLimitMs?: number;
  /** A process of its own, in the background: for work that would slow down redirects even from a thread. */
  inProcess?: boolean;
}

export interface Thread<Request extends object> {
  call(request: Request): Promise<unknown>;
  end(): Promise<void>;
}

/**
 * Starts a thread that handles requests, and starts it again when it fails. Resolves when it is ready, or when its first start
 * has failed: calls are rejected until another one succeeds.
 */
export async function openThread<Request extends object>({
  file,
  data,
  name,
  log,
  callTimeoutMs = 30_000,
  hangLimitMs = 30_000,
  inProcess = false,
}: ThreadOptions): Promise<Thread<Request>> {
  const kind = inProcess ? 'process' : 'thread';
  const calls = new Map<number, PendingCall>();
  const backoff = createBackoff({ firstMs: 100 });
  let lastId = 0;
  let isEnding = false;
  let restartTimer: NodeJS.Timeout | undefined;

  function start(onStarted: () => void = () => undefined): Runner {
    const startedAt = Date.now();
    const runner = startRunner(file, data, inProcess);
    const from = `${name} ${kind}`;
    onLine(runner.stdout, (line) => log.info({ from }, line));
    onLine(runner.stderr, (line) => log.warn({ from }, line));
    const liveness = watchLiveness({
      limitMs: hangLimitMs,
      onHang() {
        log.error(`the ${name} ${kind} hangs; terminating it`);
        void runner.stop();
      },
    });
    runner.onMessage((message: ThreadMessage) => {
      liveness.heartbeat();
      if ('pong' in message) return;
      if ('ready' in message) return onStarted();
      const call = calls.get(message.id);
      calls.delete(message.id);
      if (message.error === undefined) call?.resolve(message.value);
      else call?.reject(new Error(message.error));
    });
    runner.onError((err) => log.error({ err }, `the ${name} ${kind} failed`));
    runner.onExit(() => {
      liveness.stop();
      for (const { reject } of calls.values()) reject(new Error(`The ${name} ${kind} has exited`));
      calls.clear();
      onStarted();
      if (isEnding) return;
      log.warn(`the ${name} ${kind} exited; starting it again`);
      restartTimer = setTimeout(
        () => {
          thread = start();
        },
        backoff.next(Date.now() - startedAt),
      );
    });
    return runner;
  }

  const checkTimer = setInterval(() => {
    thread.send('ping');
    for (const [id, call] of calls) {
      call.checks += 1;
      if (call.checks * checkEveryMs <= callTimeoutMs) continue;
      calls.delete(id);
      call.reject(new Error(`The ${name} ${kind} did not respond in time`));
    }
  }, checkEveryMs).unref();

  let thread!: Runner;
  await new Promise<void>((resolve) => {
    thread = start(resolve);
  });
  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        // The call would never settle.
        if (!thread.isRunning()) throw new Error(`The ${name} ${kind} has exited`);
        lastId += 1;
        calls.set(lastId, { checks: 0, resolve, reject });
        thread.send({ id: lastId, ...request });
      }),
    async end() {
      isEnding = true;
      clearInterval(checkTimer);
      clearTimeout(restartTimer);
      await thread.stop();
    },
  };
}

function onLine(output: Readable, take: (line: string) => void): void {
  createInterface({ input: output }).on('line', take);
}

/** What a thread sends: that it is ready, or the response to a request or to a health check. */
export type ThreadMessage =
  | { ready: true }
  | { pong: true }
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: string };

/** Code that runs beside the event loop and exchanges messages with it: a thread, or a process of its own. */
interface Runner {
  stdout: Readable;
  stderr: Readable;
  /** False once it has exited: nothing that is sent to it is read. */
  isRunning(): boolean;
  send(message: unknown): void;
  onMessage(take: (message: ThreadMessage) => void): void;
  onError(take: (error: unknown) => void): void;
  onExit(take: () => void): void;
  stop(): Promise<void>;
}

function startRunner(file: URL, data: unknown, inProcess: boolean): Runner {
  try {
    return inProcess ? processRunner(spawnFile(file)) : threadRunner(startFile(file, data));
  } catch (error) {
    return exitedRunner((take) => setImmediate(take, error));
  }
}

/** For a thread that could not be started: it counts as exited at once, and is started again later. */
function exitedRunner(onError: Runner['onError']): Runner {
  return {
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    isRunning: () => false,
    send: () => undefined,
    onMessage: () => undefined,
    onError,
    onExit: (take) => void setImmediate(take),
    stop: async () => undefined,
  };
}

function threadRunner(worker: Worker): Runner {
  return {
    stdout: worker.stdout,
    stderr: worker.stderr,
    // Node sets threadId to -1 when a thread has exited.
    isRunning: () => worker.threadId >= 0,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    send: (message) => worker.postMessage(message),
    onMessage: (take) => worker.on('message', take),
    onError: (take) => worker.on('error', take),
    onExit: (take) => worker.on('exit', take),
    async stop() {
      await worker.terminate();
    },
  };
}

/** When the service runs from TypeScript, its threads do too: the built files may be outdated or missing. */
export function startFile(file: URL, workerData: unknown, resourceLimits?: ResourceLimits): Worker {
  // What Node and libraries print in a thread would otherwise get between the lines of the log.
  const output = { stdout: true, stderr: true, ...(resourceLimits && { resourceLimits }) };
  const { entry, args } = entryOf(file);
  // Without the options of this process, which would load its module loader once more.
  return new Worker(entry, { workerData, argv: args, ...(args.length > 0 && { execArgv: [] }), ...output });
}

/** The file to start for `….js`, and its arguments. */
function entryOf(file: URL): { entry: URL; args: string[] } {
  if (!import.meta.url.endsWith('.ts')) return { entry: file, args: [] };
  const source = file.href.replace(/\.js$/, '.ts');
  return { entry: new URL('thread-from-source.mjs', import.meta.url), args: [source] };
}

/** Garbage is collected in the same thread: helper threads would compete with redirects for cores. */
const nodeOptions = ['--single-threaded-gc', '--max-old-space-size=512'];

/** Variables that it needs to start. Secrets, such as the address of the database, are not passed on. */
const passedVariables = ['PATH', 'HOME', 'TMPDIR', 'NODE_ENV', 'THREADS_FROM_BUILD'];

/**
 * A process of its own, of low priority once it is ready, for work that would slow down this one even from a thread of low
 * priority: threads of a process share the helper threads of the garbage collector and the lock on its memory.
 */
function spawnFile(file: URL): ChildProcess {
  const { entry, args } = entryOf(file);
  return spawn(process.execPath, [...nodeOptions, fileURLToPath(entry), ...args], {
    env: Object.fromEntries(passedVariables.map((name) => [name, process.env[name]])),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

function processRunner(child: ChildProcess): Runner {
  const { stdout, stderr } = child;
  // With too many open files there are no pipes, and the error is not followed by an exit.
  if (!stdout || !stderr) return exitedRunner((take) => child.on('error', take));
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.connected;
  return {
    stdout,
    stderr,
    isRunning,
    send(message) {
      // The callback: a process that exits at this moment is an exit, and no error of ours.
      if (isRunning()) child.send(message as object, () => undefined);
    },
    onMessage: (take) => child.on('message', take as (message: unknown) => void),
    onError: (take) => child.on('error', take),
    onExit: (take) => child.on('close', take),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
