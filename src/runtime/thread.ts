import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Log } from '../telemetry/log.ts';
import { createBackoff } from './backoff.ts';
import { watchLiveness } from './liveness.ts';

/** What a thread sends: that it is ready, or the response to a request or to a health check. */
export type ThreadMessage =
  | { ready: true }
  | { pong: true }
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: string };

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
  log: Log;
  callTimeoutMs?: number;
  /** A thread whose event loop is blocked for this long is replaced. Loading its code counts too. */
  hangLimitMs?: number;
}

export interface Thread<Request extends object> {
  call(request: Request): Promise<unknown>;
  end(): Promise<void>;
}

/** Starts a thread that handles requests, and starts it again when it fails. Resolves when it is ready. */
export async function openThread<Request extends object>({
  file,
  data,
  name,
  log,
  callTimeoutMs = 10_000,
  hangLimitMs = 30_000,
}: ThreadOptions): Promise<Thread<Request>> {
  const calls = new Map<number, PendingCall>();
  const backoff = createBackoff({ firstMs: 100 });
  let lastId = 0;
  let isEnding = false;
  let restartTimer: NodeJS.Timeout | undefined;

  function start(onStarted: () => void = () => undefined): Worker {
    const startedAt = Date.now();
    const worker = startFile(file, data);
    const from = `${name} thread`;
    onLine(worker.stdout, (line) => log.info({ from }, line));
    onLine(worker.stderr, (line) => log.warn({ from }, line));
    const liveness = watchLiveness({
      limitMs: hangLimitMs,
      onHang() {
        log.error(`the ${name} thread hangs; terminating it`);
        void worker.terminate();
      },
    });
    worker.on('message', (message: ThreadMessage) => {
      liveness.heartbeat();
      if ('pong' in message) return;
      if ('ready' in message) return onStarted();
      const call = calls.get(message.id);
      calls.delete(message.id);
      if (message.error === undefined) call?.resolve(message.value);
      else call?.reject(new Error(message.error));
    });
    worker.on('error', (err) => log.error({ err }, `the ${name} thread failed`));
    worker.on('exit', () => {
      liveness.stop();
      for (const { reject } of calls.values()) reject(new Error(`The ${name} thread has exited`));
      calls.clear();
      onStarted();
      if (isEnding) return;
      log.warn(`the ${name} thread exited; starting it again`);
      restartTimer = setTimeout(
        () => {
          thread = start();
        },
        backoff.next(Date.now() - startedAt),
      );
    });
    return worker;
  }

  const checkTimer = setInterval(() => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage('ping');
    for (const [id, call] of calls) {
      call.checks += 1;
      if (call.checks * checkEveryMs <= callTimeoutMs) continue;
      calls.delete(id);
      call.reject(new Error(`The ${name} thread did not respond in time`));
    }
  }, checkEveryMs).unref();

  let thread!: Worker;
  await new Promise<void>((resolve) => {
    thread = start(resolve);
  });
  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        // Node sets threadId to -1 when a thread has exited; the call would never settle.
        if (thread.threadId < 0) throw new Error(`The ${name} thread has exited`);
        lastId += 1;
        calls.set(lastId, { checks: 0, resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage({ id: lastId, ...request });
      }),
    async end() {
      isEnding = true;
      clearInterval(checkTimer);
      clearTimeout(restartTimer);
      await thread.terminate();
    },
  };
}

function onLine(output: Readable, take: (line: string) => void): void {
  createInterface({ input: output }).on('line', take);
}

/** When the service runs from TypeScript, its threads do too: the built files may be outdated or missing. */
export function startFile(file: URL, workerData: unknown, resourceLimits?: ResourceLimits): Worker {
  // What Node and libraries print in a thread would otherwise get between the lines of the log.
  const output = { stdout: true, stderr: true, ...(resourceLimits && { resourceLimits }) };
  if (!import.meta.url.endsWith('.ts')) return new Worker(file, { workerData, ...output });
  const source = file.href.replace(/\.js$/, '.ts');
  const entry = new URL('thread-from-source.mjs', import.meta.url);
  // Without the options of this process, which would load its module loader once more.
  return new Worker(entry, { workerData, argv: [source], execArgv: [], ...output });
}
