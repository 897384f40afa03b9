import { parentPort } from 'node:worker_threads';
import { lowerProcessPriority } from './thread-cpu.ts';
import type { ThreadMessage } from './thread.ts';

/** The other end of thread.ts: what the code that runs in a thread, or in a process of its own, uses. */

const port = parentPort ?? process;

function post(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  if (parentPort) parentPort.postMessage(message);
  else process.send?.(message);
}

if (!parentPort) {
  // It ends with its parent, however that ends: not with a signal to both, while the parent still finishes requests.
  process.on('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}

/** To be called once, when the thread can handle requests. */
export function signalReady(): void {
  if (!parentPort) lowerProcessPriority();
  post({ ready: true });
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- documents the requests the thread accepts
export function handleRequests<Request extends object>(handle: (request: Request) => Promise<unknown>): void {
  port.on('message', (message: 'ping' | ({ id: number } & Request)) => {
    if (message === 'ping') return post({ pong: true });
    const { id, ...request } = message;
    handle(request as unknown as Request).then(
      (value) => post({ id, value }),
      (error: unknown) => {
        post({ id, error: error instanceof Error ? error.message : String(error) });
        if (isFileError(error)) exitSoon();
      },
    );
  });
}

/** The only files that threads read are modules and what these need, such as fonts. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Node.js remembers that a module could not be loaded. Started again, the thread can try once more. */
function exitSoon(): void {
  // After the response was sent.
  setImmediate(() => process.exit(1));
}
