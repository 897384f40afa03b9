import { Worker } from 'node:worker_threads';
import { createBackoff } from './backoff.ts';
import { watchLiveness } from './liveness.ts';
import { type Log, passOn } from '../telemetry/log.ts';

/** What a thread says: something of its own accord, or the answer to what it was asked. */
export type ThreadMessage<Notice> =
  | { notice: Notice }
  | { logLine: string }
  | { pong: true }
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: string };

const checkEveryMs = 500;

interface Asked {
  /** How many checks it has waited for: time in which we did not run ourselves is not held against the thread. */
  checks: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface ThreadOptions<Notice> {
  /** The file the thread runs, beside the one that opens it: `new URL('….js', import.meta.url)`. */
  file: URL;
  data: unknown;
  /** Waited for when the thread is opened; told of again after each restart. */
  onEvent?: (notice: Notice) => void;
  onEnd?: () => void;
  name: string;
  log: Log;
  /** A question that is not answered by then is given up. */
  callLimitMs?: number;
  /** A thread whose event loop stands still for this long is replaced. Loading its code is among it. */
  hangLimitMs?: number;
}

export interface Thread<Question extends object> {
  call(question: Question): Promise<unknown>;
  end(): Promise<void>;
}

/** A thread that answers questions, and is started again where it fails. Resolves with its first notice. */
export async function openThread<Question extends object, Notice>({
  file,
  data,
  onEvent,
  onEnd,
  name,
  log,
  callLimitMs = 10_000,
  hangLimitMs = 30_000,
}: ThreadOptions<Notice>): Promise<Thread<Question>> {
  const asked = new Map<number, Asked>();
  const delay = createBackoff({ firstMs: 100 });
  let lastId = 0;
  let isEnding = false;
  let restart: NodeJS.Timeout | undefined;

  function start(begun: () => void = () => undefined): Worker {
    const startedAt = Date.now();
    const started = startFile(file, data);
    const liveness = watchLiveness({
      limitMs: hangLimitMs,
      onHang() {
        log.error(`the ${name} thread hangs; ending it`);
        void started.terminate();
      },
    });
    started.on('message', (message: ThreadMessage<Notice>) => {
      liveness.heard();
      if ('pong' in message) return;
      if ('logLine' in message) return passOn(log, message.logLine);
      if ('notice' in message) {
        onEvent?.(message.notice);
        begun();
        return;
      }
      const question = asked.get(message.id);
      asked.delete(message.id);
      if (message.error === undefined) question?.resolve(message.value);
      else question?.reject(new Error(message.error));
    });
    started.on('error', (err) => log.error({ err }, `the ${name} thread failed`));
    started.on('exit', () => {
      liveness.stop();
      onEnd?.();
      for (const { reject } of asked.values()) reject(new Error(`The ${name} thread has ended`));
      asked.clear();
      begun();
      if (isEnding) return;
      log.warn(`the ${name} thread ended and is started again`);
      restart = setTimeout(
        () => {
          thread = start();
        },
        delay.next(Date.now() - startedAt),
      );
    });
    return started;
  }

  const checking = setInterval(() => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage('ping');
    for (const [id, question] of asked) {
      question.checks += 1;
      if (question.checks * checkEveryMs <= callLimitMs) continue;
      asked.delete(id);
      question.reject(new Error(`The ${name} thread did not answer in time`));
    }
  }, checkEveryMs).unref();

  let thread!: Worker;
  await new Promise<void>((resolve) => {
    thread = start(resolve);
  });
  return {
    call: (question) =>
      new Promise((resolve, reject) => {
        // Node's sign for a thread that has ended: nobody would answer.
        if (thread.threadId < 0) throw new Error(`The ${name} thread has ended`);
        lastId += 1;
        asked.set(lastId, { checks: 0, resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage({ id: lastId, ...question });
      }),
    async end() {
      isEnding = true;
      clearInterval(checking);
      clearTimeout(restart);
      await thread.terminate();
    },
  };
}

/** Where the service runs as TypeScript, its threads do too: built files may be old, or not there. */
export function startFile(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(file, { workerData });
  const source = file.href.replace(/\.js$/, '.ts');
  return new Worker(new URL('thread-from-source.mjs', import.meta.url), { workerData, argv: [source] });
}
