import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from '../telemetry/log.ts';
import { createBackoff } from './backoff.ts';
import { startBackgroundProcess } from './background-process.ts';
import { watchLiveness } from './liveness.ts';
import { type Runner, startThread, type ThreadMessage } from './runner.ts';

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
  callTimeoutMs = 10_000,
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
    const runner = inProcess ? startBackgroundProcess(file) : startThread(file, data);
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
