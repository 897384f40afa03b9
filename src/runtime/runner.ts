import { Readable } from 'node:stream';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** What a thread sends: that it is ready, or the response to a request or to a health check. */
export type ThreadMessage =
  | { ready: true }
  | { pong: true }
  | { id: number; value: unknown; error?: undefined }
  | { id: number; error: string };

/** Code that runs beside the event loop and exchanges messages with it: a thread, or a process of its own. */
export interface Runner {
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

export function startThread(file: URL, data: unknown): Runner {
  try {
    return runnerOf(startFile(file, data));
  } catch (error) {
    return exitedRunner((take) => setImmediate(take, error));
  }
}

/** What could not be started counts as exited at once: it is started again later. */
export function exitedRunner(onError: Runner['onError']): Runner {
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

function runnerOf(worker: Worker): Runner {
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
export function entryOf(file: URL): { entry: URL; args: string[] } {
  if (!import.meta.url.endsWith('.ts')) return { entry: file, args: [] };
  const source = file.href.replace(/\.js$/, '.ts');
  return { entry: new URL('thread-from-source.mjs', import.meta.url), args: [source] };
}
