import { Worker } from 'node:worker_threads';
import { growingDelay } from './growing-delay.ts';
import { type Log, passOn } from './telemetry/log.ts';

/** What a thread says: something of its own accord, or the answer to what it was asked. */
export type ThreadMessage<Notice> =
  | { notice: Notice }
  | { logLine: string }
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: string };

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface ThreadOptions<Notice> {
  /** The file the thread runs, beside the one that opens it: `new URL('….js', import.meta.url)`. */
  file: URL;
  data: unknown;
  /** Waited for when the thread is opened; told of again after each restart. */
  onNotice?: (notice: Notice) => void;
  onEnd?: () => void;
  name: string;
  log: Log;
}

export interface Thread<Question extends object> {
  ask(question: Question): Promise<unknown>;
  end(): Promise<void>;
}

/** A thread that answers questions, and is started again where it fails. Resolves with its first notice. */
export async function openThread<Question extends object, Notice>({
  file,
  data,
  onNotice,
  onEnd,
  name,
  log,
}: ThreadOptions<Notice>): Promise<Thread<Question>> {
  const asked = new Map<number, Asked>();
  const delay = growingDelay({ firstMs: 100 });
  let lastId = 0;
  let isEnding = false;
  let restart: NodeJS.Timeout | undefined;

  function start(begun: () => void = () => undefined): Worker {
    const startedAt = Date.now();
    const started = startFile(file, data);
    started.on('message', (message: ThreadMessage<Notice>) => {
      if ('logLine' in message) return passOn(log, message.logLine);
      if ('notice' in message) {
        onNotice?.(message.notice);
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

  let thread!: Worker;
  await new Promise<void>((resolve) => {
    thread = start(resolve);
  });
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        // Node's sign for a thread that has ended: nobody would answer.
        if (thread.threadId < 0) throw new Error(`The ${name} thread has ended`);
        lastId += 1;
        asked.set(lastId, { resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage({ id: lastId, ...question });
      }),
    async end() {
      isEnding = true;
      clearTimeout(restart);
      await thread.terminate();
    },
  };
}

/** Where the service runs as TypeScript, its threads do too: built files may be old, or not there. */
function startFile(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(file, { workerData });
  const source = file.href.replace(/\.js$/, '.ts');
  return new Worker(new URL('thread-from-source.mjs', import.meta.url), { workerData, argv: [source] });
}
